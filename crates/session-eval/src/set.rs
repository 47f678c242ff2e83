//! Questions with known answers, as a folder of plain files.

use serde::Deserialize;
use session_search::Level;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// An error of an evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A file cannot be read or written; the text names it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line of `queries.jsonl` is not what it should be.
    #[error("`{}` line {line}: {why}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// Searching failed.
    #[error(transparent)]
    Search(#[from] session_store::StoreError),
}

/// A question.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
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
    pub questions: Vec<Question>,
    labels: [Labels; 2],
}

impl LabelledSet {
    /// Reads a set. A missing file of labels is an empty one.
    ///
    /// # Errors
    /// When `queries.jsonl` cannot be read or a line of it is wrong.
    pub fn open(folder: &Path) -> Result<Self, EvalError> {
        let path = folder.join("queries.jsonl");
        let text = fs_err::read_to_string(&path)?;
        let question = |(i, line): (usize, &str)| {
            serde_json::from_str(line).map_err(|e| EvalError::Line {
                path: path.clone(),
                line: i + 1,
                why: e.to_string(),
            })
        };
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let questions = lines.map(question).collect::<Result<_, _>>()?;
        let labels =
            ["session", "turn"].map(|level| labels(&folder.join(format!("qrels.{level}.tsv"))));
        Ok(Self {
            folder: folder.to_owned(),
            questions,
            labels,
        })
    }

    /// The folder to set as `CLAUDE_CONFIG_DIR`, if the set brings a history.
    pub fn history(&self) -> Option<PathBuf> {
        let claude = self.folder.join("claude");
        claude.join("projects").is_dir().then_some(claude)
    }

    /// What answers a question at a level; `None` where nothing is labelled.
    pub fn relevant(&self, level: Level, question: &str) -> Option<&HashSet<String>> {
        self.labels[usize::from(level == Level::Turn)].get(question)
    }

    /// True when some question has labels at this level.
    pub fn has(&self, level: Level) -> bool {
        !self.labels[usize::from(level == Level::Turn)].is_empty()
    }
}

/// Lines `question TAB target TAB relevance`; relevance 0 is no answer.
fn labels(path: &Path) -> Labels {
    let text = fs_err::read_to_string(path).unwrap_or_default();
    let mut labels = Labels::new();
    for line in text.lines() {
        let mut fields = line.split('\t');
        if let (Some(question), Some(target)) = (fields.next(), fields.next())
            && fields.next() != Some("0")
        {
            labels
                .entry(question.to_owned())
                .or_default()
                .insert(target.to_owned());
        }
    }
    labels
}
