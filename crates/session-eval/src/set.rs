//! Questions with known answers, as a folder of plain files.

use serde::Deserialize;
use session_files::{Dir, FileError, path_line};
use session_search::{Level, Resolved, resolve};
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
        "`{}` has no question\nhint: write some as docs/evaluation.md shows",
        path_line(path)
    )]
    NoQuestions {
        /// The file.
        path: PathBuf,
    },
    /// Nothing says which answers are right.
    #[error(
        "`{}` says of no question what answers it\nhint: write qrels.session.tsv or qrels.turn.tsv as docs/evaluation.md shows",
        path_line(folder)
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

/// A question.
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
    #[serde(default = "yes")]
    pub core: bool,
    /// Where it is asked.
    #[serde(default)]
    pub scope: Scope,
    /// The folder that `scope: project` means.
    #[serde(default)]
    pub cwd: Option<String>,
}

fn yes() -> bool {
    true
}

/// Where a question is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// In all sessions.
    #[default]
    All,
    /// In the sessions of its `cwd`.
    Project,
}

type Labels = HashMap<String, HashSet<String>>;

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
    labels: [Labels; 2],
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
            return Err(EvalError::NoQuestions { path });
        };
        let question = |(i, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|e| EvalError::Line {
                path: path.clone(),
                line: i + 1,
                why: e.to_string(),
            })
        };
        let lines = plain(&text)
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let questions = lines
            .map(question)
            .collect::<Result<Vec<LabelledQuestion>, _>>()?;
        if questions.is_empty() {
            return Err(EvalError::NoQuestions { path });
        }
        let ids = ids(&questions, &path)?;
        let read = |level: &str| labels(set, &format!("qrels.{level}.tsv"));
        let mut labels = [read("session")?, read("turn")?];
        let mut unasked = BTreeSet::new();
        for labels in &mut labels {
            unasked.extend(labels.keys().filter(|id| !ids.contains(*id)).cloned());
            labels.retain(|id, _| ids.contains(id));
        }
        if labels.iter().all(Labels::is_empty) {
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
    pub fn complete(&mut self, sessions: &[SessionRow]) -> Vec<String> {
        let whole: HashSet<&str> = sessions.iter().map(|s| s.uid.as_str()).collect();
        let mut unknown = BTreeSet::new();
        let labels = self.labels.iter_mut().zip([Level::Session, Level::Turn]);
        let labels =
            labels.flat_map(|(labels, level)| labels.values_mut().map(move |r| (r, level)));
        for (right, level) in labels {
            let is_whole = |target: &String| match level {
                Level::Session => whole.contains(target.as_str()),
                Level::Turn => target
                    .rsplit_once(':')
                    .is_some_and(|(s, _)| whole.contains(s)),
            };
            let short: Vec<String> = right.iter().filter(|t| !is_whole(t)).cloned().collect();
            for target in short {
                match in_full(&target, level, sessions) {
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

    /// The folder to set as `CLAUDE_CONFIG_DIR`, if the set brings a history.
    pub fn history(&self) -> Option<PathBuf> {
        let claude = self.folder.join("claude");
        claude.join("projects").is_dir().then_some(claude)
    }

    /// Returns the relevant ids of a question at a level; `None` where nothing is labelled.
    pub fn relevant(&self, level: Level, question: &str) -> Option<&HashSet<String>> {
        self.labels[usize::from(level == Level::Turn)].get(question)
    }

    /// Returns the levels at which some question has labels, sessions first.
    pub fn levels(&self) -> Vec<Level> {
        let all = [Level::Session, Level::Turn].into_iter();
        all.filter(|level| self.has(*level)).collect()
    }

    /// Returns true where some question has a label at a level.
    pub fn has(&self, level: Level) -> bool {
        !self.labels[usize::from(level == Level::Turn)].is_empty()
    }
}

/// The ids of all questions, each of which is there once.
fn ids(questions: &[LabelledQuestion], path: &Path) -> Result<HashSet<String>, EvalError> {
    let mut ids = HashSet::new();
    match questions.iter().find(|q| !ids.insert(q.id.clone())) {
        None => Ok(ids),
        Some(twice) => Err(EvalError::Twice {
            path: path.to_owned(),
            id: twice.id.clone(),
        }),
    }
}

/// Lines `question TAB target TAB relevance`; relevance 0 is no answer. No file, no labels.
fn labels(set: &Dir, name: &str) -> Result<Labels, EvalError> {
    let path = set.path().join(name);
    let Some(text) = set.read_text(Path::new(name), LIMIT)? else {
        return Ok(Labels::new());
    };
    let mut labels = Labels::new();
    for (i, line) in plain(&text).lines().enumerate() {
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

/// A text without the mark that some editors put before it.
fn plain(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The whole name of a target, `session` or, at turn level, `session:turn`, whose session may
/// be said by the beginning of its id; `None` where no session, or more than one, is meant.
fn in_full(target: &str, level: Level, sessions: &[SessionRow]) -> Option<String> {
    let (session, turn) = match level {
        Level::Session => (target, None),
        Level::Turn => target
            .rsplit_once(':')
            .map(|(session, turn)| (session, Some(turn)))?,
    };
    let Resolved::One(found) = resolve(sessions, session) else {
        return None;
    };
    Some(turn.map_or(found.uid.clone(), |turn| format!("{}:{turn}", found.uid)))
}
