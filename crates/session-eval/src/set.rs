//! Questions with known answers, as a folder of plain files.

use serde::Deserialize;
use session_core::{DOCS_URL, TurnAddress};
use session_files::{Dir, FileError, path_line};
use session_search::{Level, ResolvedSession, resolve_session_id};
use session_store::SessionRow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Most bytes of a file of a set.
const LIMIT: u64 = 256 << 20;

/// An error of an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file cannot be read or written; the text names it.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line of a file is not what it should be.
    #[error("`{}` line {line}: {why}", path_line(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// The reason, as half a sentence.
        why: String,
    },
    /// A question is there twice.
    #[error("`{}`: the question `{}` is there twice", path_line(path), path_line(id.as_ref()))]
    Twice {
        /// The file.
        path: PathBuf,
        /// Its id.
        id: String,
    },
    /// There is nothing to ask.
    #[error(
        "`{}` has no question\nhint: write some as {}/evaluation.md shows",
        path_line(path),
        DOCS_URL
    )]
    NoQuestions {
        /// The file.
        path: PathBuf,
    },
    /// The folder has no file of questions.
    #[error(
        "there is no file `{}`\nhint: write one as {}/evaluation.md shows",
        path_line(path),
        DOCS_URL
    )]
    MissingQuestions {
        /// The file.
        path: PathBuf,
    },
    /// Nothing says which answers are right.
    #[error(
        "no file in `{}` says which sessions or turns answer the questions\nhint: write qrels.session.tsv or qrels.turn.tsv as {}/evaluation.md shows",
        path_line(folder),
        DOCS_URL
    )]
    NoLabels {
        /// The set.
        folder: PathBuf,
    },
    /// The folder for the index holds another one.
    #[error("`{}` holds an index that no evaluation made\nhint: name another folder", folder.display())]
    OtherIndex {
        /// The folder.
        folder: PathBuf,
    },
    /// A model failed; without it the figures would be those of the words alone.
    #[error("a question cannot be embedded: {0}")]
    Embed(String),
    /// Searching failed.
    #[error(transparent)]
    Search(#[from] session_store::StoreError),
}

/// A question of a labelled set.
#[derive(Debug, Clone, Deserialize)]
pub struct LabelledQuestion {
    /// Names it in labels and runs.
    pub id: String,
    /// The words, asked as they are.
    pub query: String,
    /// Kind of question, for averages by kind.
    #[serde(default)]
    pub category: String,
    /// True for questions that a search tool can be expected to serve.
    #[serde(default = "default_core")]
    pub core: bool,
    /// Where it is asked.
    #[serde(default)]
    pub scope: QuestionScope,
    /// The folder that `scope: project` means.
    #[serde(default)]
    pub cwd: Option<String>,
}

fn default_core() -> bool {
    true
}

/// The sessions that are searched for a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionScope {
    /// In all sessions.
    #[default]
    All,
    /// In the sessions of its `cwd`.
    Project,
}

type RelevanceLabels = HashMap<String, HashSet<String>>;

/// A folder with `queries.jsonl`, `qrels.session.tsv`, `qrels.turn.tsv`, and, if
/// it brings its own history, `claude/projects`.
#[derive(Debug, Clone)]
pub struct LabelledSet {
    /// The folder.
    pub folder: PathBuf,
    /// All questions, in order.
    pub questions: Vec<LabelledQuestion>,
    /// Ids that have labels and no question.
    pub unasked: Vec<String>,
    /// Ids of questions that have no label, in order: they are not counted.
    pub unlabelled: Vec<String>,
    labels: [RelevanceLabels; 2],
}

impl LabelledSet {
    /// Reads a set. One of the two files of labels may be missing.
    ///
    /// # Errors
    /// When a file cannot be read or a line of it is wrong, a question is there twice, or there
    /// are no labels.
    pub fn open(set: &Dir) -> Result<Self, EvalError> {
        let folder = set.path();
        let path = folder.join("queries.jsonl");
        let text = set.read_text(Path::new("queries.jsonl"), LIMIT)?;
        let Some(text) = text else {
            return Err(EvalError::MissingQuestions { path });
        };
        let question = |(i, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|e| EvalError::Line {
                path: path.clone(),
                line: i + 1,
                why: e.to_string(),
            })
        };
        let lines = strip_byte_order_mark(&text)
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let questions = lines
            .map(question)
            .collect::<Result<Vec<LabelledQuestion>, _>>()?;
        if questions.is_empty() {
            return Err(EvalError::NoQuestions { path });
        }
        let ids = collect_ids(&questions, &path)?;
        let read = |level: &str| read_labels(set, &format!("qrels.{level}.tsv"));
        let mut labels = [read("session")?, read("turn")?];
        let mut unasked = BTreeSet::new();
        for labels in &mut labels {
            unasked.extend(labels.keys().filter(|id| !ids.contains(*id)).cloned());
            labels.retain(|id, _| ids.contains(id));
        }
        if labels.iter().all(RelevanceLabels::is_empty) {
            return Err(EvalError::NoLabels {
                folder: folder.to_owned(),
            });
        }
        let is_labelled = |id: &String| labels.iter().any(|labels| labels.contains_key(id));
        let unlabelled = questions.iter().map(|question| &question.id);
        Ok(Self {
            folder: folder.to_owned(),
            unlabelled: unlabelled.filter(|id| !is_labelled(id)).cloned().collect(),
            questions,
            unasked: unasked.into_iter().collect(),
            labels,
        })
    }

    /// Writes out the right answers that are said by the beginning of a session's id. Returns
    /// those that mean no session.
    pub fn complete_targets(&mut self, sessions: &[SessionRow]) -> Vec<String> {
        let whole: HashSet<&str> = sessions.iter().map(|s| s.uid.as_str()).collect();
        let mut unknown = BTreeSet::new();
        let labels = self.labels.iter_mut().zip([Level::Session, Level::Turn]);
        let labels =
            labels.flat_map(|(labels, level)| labels.values_mut().map(move |r| (r, level)));
        for (right, level) in labels {
            let is_whole = |target: &String| match level {
                Level::Session => whole.contains(target.as_str()),
                Level::Turn => target
                    .parse()
                    .is_ok_and(|turn: TurnAddress| whole.contains(turn.session.as_str())),
            };
            let short: Vec<String> = right.iter().filter(|t| !is_whole(t)).cloned().collect();
            for target in short {
                match complete_target(&target, level, sessions) {
                    Some(full) => {
                        right.remove(&target);
                        right.insert(full);
                    }
                    None => drop(unknown.insert(target)),
                }
            }
        }
        unknown.into_iter().collect()
    }

    /// Returns the folder to set as `CLAUDE_CONFIG_DIR`, if the set brings a history.
    pub fn claude_directory(&self) -> Option<PathBuf> {
        let claude = self.folder.join("claude");
        claude.join("projects").is_dir().then_some(claude)
    }

    /// Returns the relevant ids of a question at a level; `None` where nothing is labelled.
    pub(crate) fn relevant_targets(
        &self,
        level: Level,
        question: &str,
    ) -> Option<&HashSet<String>> {
        self.labels[usize::from(level == Level::Turn)].get(question)
    }

    /// Returns the levels at which some question has labels, sessions first.
    pub fn labelled_levels(&self) -> Vec<Level> {
        let all = [Level::Session, Level::Turn].into_iter();
        all.filter(|level| self.has_labels(*level)).collect()
    }

    /// Returns true where some question has a label at a level.
    pub fn has_labels(&self, level: Level) -> bool {
        !self.labels[usize::from(level == Level::Turn)].is_empty()
    }
}

/// Collects the ids of all questions, each of which is there once.
fn collect_ids(questions: &[LabelledQuestion], path: &Path) -> Result<HashSet<String>, EvalError> {
    let mut ids = HashSet::new();
    match questions.iter().find(|q| !ids.insert(q.id.clone())) {
        None => Ok(ids),
        Some(twice) => Err(EvalError::Twice {
            path: path.to_owned(),
            id: twice.id.clone(),
        }),
    }
}

/// Reads lines `question TAB target TAB relevance`; relevance 0 is no answer. Without a file there are no labels.
fn read_labels(set: &Dir, name: &str) -> Result<RelevanceLabels, EvalError> {
    let path = set.path().join(name);
    let Some(text) = set.read_text(Path::new(name), LIMIT)? else {
        return Ok(RelevanceLabels::new());
    };
    let mut labels = RelevanceLabels::new();
    for (i, line) in strip_byte_order_mark(&text).lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let fields: Vec<&str> = fields
            .into_iter()
            .filter(|field| !field.is_empty())
            .collect();
        let read = match fields[..] {
            [] => continue,
            [question, target] => Some((question, target, 1.0)),
            [question, target, relevance, ..] => match relevance.parse::<f32>() {
                Err(_) if i == 0 => continue, // names of columns
                relevance => relevance.ok().map(|r| (question, target, r)),
            },
            _ => None,
        };
        let (question, target, relevance) = read.ok_or_else(|| EvalError::Line {
            path: path.clone(),
            line: i + 1,
            why: "is not question, target and 1 or 0, with tabs between them".to_owned(),
        })?;
        if relevance > 0.0 {
            let right = labels.entry(question.to_owned()).or_default();
            right.insert(target.to_owned());
        }
    }
    Ok(labels)
}

/// Strips the mark that some editors put before a text.
fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Completes the id of a target, `SESSION` or, at turn level, `SESSION:TURN`, whose session may be named by the
/// beginning of its id. Returns `None` where no session, or more than one, begins so.
fn complete_target(target: &str, level: Level, sessions: &[SessionRow]) -> Option<String> {
    let complete_session = |id: &str| match resolve_session_id(sessions, id) {
        ResolvedSession::One(found) => Some(found.uid),
        ResolvedSession::None | ResolvedSession::Many(_) => None,
    };
    match level {
        Level::Session => complete_session(target),
        Level::Turn => {
            let TurnAddress { session, turn } = target.parse::<TurnAddress>().ok()?;
            let session = complete_session(&session)?;
            Some(TurnAddress::new(session, turn).to_string())
        }
    }
}
