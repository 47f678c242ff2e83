//! Questions with known answers, as a folder of plain files.

use serde::Deserialize;
use session_core::text::{path_line, strip_byte_order_mark};
use session_core::{DOCS_URL, TurnAddress};
use session_files::{Dir, FileError};
use session_search::{Level, ResolvedSession, resolve_session_uid};
use session_store::SessionRow;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Greatest size of a file of a set, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

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
    #[error("`{}` has no question", path_line(path))]
    NoQuestions {
        /// The file.
        path: PathBuf,
    },
    /// The folder has no file of questions.
    #[error("there is no file `{}`", path_line(path))]
    MissingQuestions {
        /// The file.
        path: PathBuf,
    },
    /// Nothing says which answers are right.
    #[error(
        "no file in `{}` says which sessions or turns answer the questions",
        path_line(folder)
    )]
    NoLabels {
        /// The set.
        folder: PathBuf,
    },
    /// The folder for the index holds another one.
    #[error("`{}` holds an index that no evaluation made", folder.display())]
    OtherIndex {
        /// The folder.
        folder: PathBuf,
    },
    /// A model failed; without it the figures would be those of the words alone.
    #[error("a question cannot be embedded")]
    Embed(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Searching failed.
    #[error(transparent)]
    Search(#[from] session_store::StoreError),
}

impl EvalError {
    /// Returns the hint: what a user can do about it.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        let files = match self {
            Self::NoQuestions { .. } => "some",
            Self::MissingQuestions { .. } => "one",
            Self::NoLabels { .. } => "qrels.session.tsv or qrels.turn.tsv",
            Self::OtherIndex { .. } => return Some("name another folder".into()),
            _ => return None,
        };
        Some(format!("write {files} as {DOCS_URL}/evaluation.md shows").into())
    }
}

/// A question of a labelled set.
#[derive(Debug, Clone, Deserialize)]
pub struct LabelledQuestion {
    /// The id by which labels and runs name it.
    pub id: String,
    /// The words, searched verbatim.
    pub query: String,
    /// Kind of question, for averages by kind.
    #[serde(default)]
    pub category: String,
    /// True for questions that a search tool can be expected to serve.
    #[serde(default = "default_core")]
    pub core: bool,
    /// The sessions in which it is asked.
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
    /// All sessions.
    #[default]
    All,
    /// The sessions of the project in its `cwd`.
    Project,
}

/// The relevant targets of each question, by its id.
type RelevanceLabels = HashMap<String, HashSet<String>>;

/// The labels of a set by level, without a level that has none.
type LevelLabels = HashMap<Level, RelevanceLabels>;

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
    labels: LevelLabels,
}

impl LabelledSet {
    /// Reads a set. One of the two files of labels may be missing.
    ///
    /// # Errors
    /// When a file cannot be read or a line of it is wrong, a question is there twice, or there
    /// are no labels.
    pub fn open(set: &Dir) -> Result<Self, EvalError> {
        let questions = read_questions(set)?;
        let ids = collect_ids(&questions, &set.path().join(QUESTIONS))?;
        let mut labels = LevelLabels::from([
            (Level::Session, read_labels(set, "qrels.session.tsv")?),
            (Level::Turn, read_labels(set, "qrels.turn.tsv")?),
        ]);
        let unasked = remove_unasked(&mut labels, &ids);
        let folder = set.path().to_owned();
        if labels.is_empty() {
            return Err(EvalError::NoLabels { folder });
        }
        let unlabelled = questions.iter().map(|question| &question.id);
        let unlabelled =
            unlabelled.filter(|id| !labels.values().any(|labels| labels.contains_key(*id)));
        Ok(Self {
            folder,
            unlabelled: unlabelled.cloned().collect(),
            questions,
            unasked,
            labels,
        })
    }

    /// Completes the labels that name a session by the beginning of its id. Returns those that name no session of the index, or
    /// several.
    pub fn complete_targets(&mut self, sessions: &[SessionRow]) -> Vec<String> {
        let ids: HashSet<&str> = sessions.iter().map(|s| s.uid.as_str()).collect();
        let mut unknown = BTreeSet::new();
        for (&level, labels) in &mut self.labels {
            for relevant in labels.values_mut() {
                let is_short = |target: &&String| !is_whole_target(target, level, &ids);
                let short: Vec<String> = relevant.iter().filter(is_short).cloned().collect();
                for target in short {
                    match complete_target(&target, level, sessions) {
                        Some(whole) => {
                            relevant.remove(&target);
                            relevant.insert(whole);
                        }
                        None => drop(unknown.insert(target)),
                    }
                }
            }
        }
        unknown.into_iter().collect()
    }

    /// Returns the folder to set as `CLAUDE_CONFIG_DIR`, if the set brings a history.
    pub fn history_directory(&self) -> Option<PathBuf> {
        let claude = self.folder.join("claude");
        claude.join("projects").is_dir().then_some(claude)
    }

    /// Returns the relevant ids of a question at a level; `None` if nothing is labelled.
    pub(crate) fn relevant_targets(
        &self,
        level: Level,
        question: &str,
    ) -> Option<&HashSet<String>> {
        self.labels.get(&level)?.get(question)
    }

    /// Returns the levels at which some question has labels, sessions first.
    pub fn labelled_levels(&self) -> Vec<Level> {
        let levels = Level::ALL.into_iter();
        levels.filter(|level| self.has_labels(*level)).collect()
    }

    /// Returns true if some question has a label at a level.
    pub fn has_labels(&self, level: Level) -> bool {
        self.labels.contains_key(&level)
    }
}

/// The file of the questions of a set.
const QUESTIONS: &str = "queries.jsonl";

/// Reads the questions of a set, a line of JSON each.
fn read_questions(set: &Dir) -> Result<Vec<LabelledQuestion>, EvalError> {
    let path = set.path().join(QUESTIONS);
    let Some(text) = set.read_text(Path::new(QUESTIONS), MAX_FILE_BYTES)? else {
        return Err(EvalError::MissingQuestions { path });
    };
    let lines = strip_byte_order_mark(&text).lines().zip(1..);
    let questions = lines
        .filter(|(line, _)| !line.trim().is_empty())
        .map(|(line, number)| {
            serde_json::from_str(line).map_err(|error| EvalError::Line {
                path: path.clone(),
                line: number,
                why: error.to_string(),
            })
        });
    let questions = questions.collect::<Result<Vec<_>, _>>()?;
    if questions.is_empty() {
        Err(EvalError::NoQuestions { path })
    } else {
        Ok(questions)
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

/// Reads lines `question TAB target TAB relevance`, as TREC's qrels have them; relevance 0 is no answer. Without a file there
/// are no labels.
fn read_labels(set: &Dir, name: &str) -> Result<RelevanceLabels, EvalError> {
    let path = set.path().join(name);
    let Some(text) = set.read_text(Path::new(name), MAX_FILE_BYTES)? else {
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
            why: "expected question, target and 1 or 0, separated by tabs".to_owned(),
        })?;
        if relevance > 0.0 {
            let relevant = labels.entry(question.to_owned()).or_default();
            relevant.insert(target.to_owned());
        }
    }
    Ok(labels)
}

/// Removes the labels of all questions but those with these ids, and the levels without any then. Returns the ids of the others,
/// sorted.
fn remove_unasked(labels: &mut LevelLabels, questions: &HashSet<String>) -> Vec<String> {
    let mut unasked = BTreeSet::new();
    labels.retain(|_, labels| {
        let ids = labels.keys();
        unasked.extend(ids.filter(|id| !questions.contains(*id)).cloned());
        labels.retain(|id, _| questions.contains(id));
        !labels.is_empty()
    });
    unasked.into_iter().collect()
}

/// Returns true if a label names a session by its whole id.
fn is_whole_target(target: &str, level: Level, ids: &HashSet<&str>) -> bool {
    match level {
        Level::Session => ids.contains(target),
        Level::Turn => target
            .parse()
            .is_ok_and(|turn: TurnAddress| ids.contains(turn.session.as_str())),
    }
}

/// Completes the id of a target, `SESSION` or, at turn level, `SESSION:TURN`, whose session may be named by the
/// beginning of its id. Returns `None` if no session, or more than one, begins so.
fn complete_target(target: &str, level: Level, sessions: &[SessionRow]) -> Option<String> {
    let complete_session = |id: &str| match resolve_session_uid(sessions, id) {
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
