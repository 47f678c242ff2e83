//! The seam between agents' files and everything else.

use crate::{AgentInfo, Env};
use serde::{Deserialize, Serialize};
use session_core::{FileStamp, KnownTurns, SessionMeta, Turn, TurnSpan};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// One agent whose history can be read.
pub trait Source: Sync {
    /// Returns the agent: its names, its folders, its commands.
    fn agent(&self) -> &'static AgentInfo;

    /// Returns the stable name, such as `claude`, which the index stores and users type: never changes.
    fn name(&self) -> &'static str {
        self.agent().name
    }

    /// Finds what there is, by listing and `stat` alone.
    fn locate(&self, env: &Env) -> Listing;

    /// Finds what there is, but may leave out files for which `is_known` is true: of thousands that have not
    /// changed, each would cost more than its `stat`.
    fn locate_unknown(&self, env: &Env, is_known: &IsKnownFile<'_>) -> Listing {
        let _ = is_known;
        self.locate(env)
    }

    /// Reads a location from `from` on (from its beginning without a cursor)
    /// into `sink`. Never fails: what cannot be read is given to
    /// [`Sink::warning`]. The last call before it returns is
    /// [`Sink::checkpoint`], unless the sink asked to stop, or a warning says
    /// that the location could not be read now and is worth another try as it
    /// is ([`Retry::NextRefresh`]: locked, no permission, a failing disk).
    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink);

    /// Reads turns again in full. `spans` are those that [`Source::read`] gave,
    /// in the order wanted. A turn that is no longer there is left out.
    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns;

    /// Returns a cursor of a location without excluded titles and sessions, and redacted. If the only session of a file is
    /// excluded, its title and branch are removed, too. A cursor that this version does not resume from becomes empty. Ids and
    /// folders stay: by them the next read goes on with the same sessions, and rules exclude them.
    fn redact_cursor(&self, at: &Path, cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor;

    /// Returns the file of the session that started a subagent, where the subagent's own file is a location whose path tells it.
    fn parent_file(&self, at: &Location) -> Option<PathBuf> {
        let _ = at;
        None
    }

    /// Returns the id by which the agent itself knows a session: another one only where
    /// a session of the agent has more than one file.
    fn own_id<'s>(&self, session: &'s str) -> &'s str {
        session
    }

    /// Returns the program that takes a session up again, and its arguments. None for
    /// a subagent's, and for an id that a program could take for an option.
    fn resume(&self, session: &SessionMeta) -> Option<Vec<String>> {
        self.agent().resume_command(session)
    }

    /// Returns the command that forks a session: a new one that begins as this one. None also where the program cannot
    /// do that.
    fn fork(&self, session: &SessionMeta) -> Option<Vec<String>> {
        self.agent().fork_command(session)
    }
}

/// Returns true for a history file, by its path and stamp, that need not be listed.
pub type IsKnownFile<'k> = dyn Fn(&Path, FileStamp) -> bool + Sync + 'k;

/// The session that this process works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// The one with this id.
    Session(String),
    /// Some session: the agent says that it is there, and not which one.
    Unnamed,
}

/// The histories that [`Source::locate`] finds.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Histories, each once, in an order that does not change between runs:
    /// oldest change first, so that the first session to hold a turn owns it.
    pub locations: Vec<Location>,
    /// Files that are not listed, since another one holds all of theirs and goes on.
    pub continued: Vec<ContinuedFile>,
    /// Folders that could not be listed.
    pub warnings: Vec<Warning>,
}

/// A file of which another one holds all, and goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContinuedFile {
    /// The file.
    pub path: PathBuf,
    /// The one that goes on.
    pub by: PathBuf,
}

/// One history file or database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// Changes when the content may have changed.
    pub stamp: FileStamp,
    /// The session, as far as the path names it.
    pub path_session: PathSession,
    /// Files that go on with this one, in order: they are read as one, and the stamp is that of all.
    pub continuations: Vec<PathBuf>,
}

impl Location {
    /// Returns true if the file's own name has the id of its session: Copilot calls each file `events.jsonl`, in a
    /// folder of that name.
    pub fn has_session_name(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let session = self.path_session.session.as_deref();
        session.is_some_and(|session| name.contains(session))
    }
}

/// The session of a history file, as far as its path names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathSession {
    /// Session id, where a file is one session.
    pub session: Option<String>,
    /// Parent session id, for a subagent's file in its parent's folder.
    pub parent: Option<String>,
}

/// The position from which a source resumes a history. Only the source that made it can read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// The titles, sessions and branches that a cursor is not to remember, and how those that it does are redacted.
#[derive(Clone, Copy)]
pub struct CursorRedaction<'e> {
    /// Returns true for an excluded title.
    pub excludes_title: &'e dyn Fn(&str) -> bool,
    /// Returns true for an excluded session, as its cursor describes it.
    pub excludes_session: &'e dyn Fn(&SessionMeta) -> bool,
    /// The branch is excluded, since the last turn is. A history tells it again with what follows.
    pub excludes_branch: bool,
    /// Redacts the title and the branch of a session, of which nothing else is set.
    pub redact: &'e dyn Fn(&mut SessionMeta),
}

impl CursorRedaction<'_> {
    /// Returns what leaves a cursor as it is.
    pub fn none() -> Self {
        Self {
            excludes_title: &|_| false,
            excludes_session: &|_| false,
            excludes_branch: false,
            redact: &|_| {},
        }
    }

    /// Redacts a title, and removes it where it is excluded.
    pub(crate) fn redact_title(&self, title: &mut Option<String>) {
        let mut meta = SessionMeta {
            title: title.take(),
            ..SessionMeta::default()
        };
        (self.redact)(&mut meta);
        *title = meta.title.filter(|title| !(self.excludes_title)(title));
    }

    /// Redacts a branch, and removes it where it is excluded.
    pub(crate) fn redact_branch(&self, branch: &mut Option<String>) {
        let mut meta = SessionMeta {
            branch: branch.take(),
            ..SessionMeta::default()
        };
        (self.redact)(&mut meta);
        *branch = meta.branch.filter(|_| !self.excludes_branch);
    }
}

/// Receives what a source reads, in the order of the file. Once a method returns `Break`, the source returns without further
/// calls.
pub trait Sink {
    /// Opens a session. May be called again for a session that is open, with better metadata.
    fn session(&mut self, meta: &SessionMeta, known: KnownTurns) -> ControlFlow<()>;

    /// Receives a turn of the session opened last. It takes the place of one of its index that was
    /// delivered before, unless it [continues](Turn::continues) that one.
    fn turn(&mut self, turn: Turn) -> ControlFlow<()>;

    /// Reports a session of this location that could not be read, or not to its end. What was delivered of it before stays.
    fn report_unread_session(&mut self, session: &str) -> ControlFlow<()> {
        let _ = session;
        ControlFlow::Continue(())
    }

    /// Reports that everything before the cursor has been delivered: a reader that starts from it delivers the rest and
    /// nothing twice. What came after the last checkpoint before a stop is to be discarded.
    fn checkpoint(&mut self, cursor: Cursor) -> ControlFlow<()>;

    /// Reports a session that left this location.
    fn report_gone_session(&mut self, session: &str) -> ControlFlow<()>;

    /// Receives a title for a session of another file, which is named by the id of one of its messages (a `summary` line).
    fn receive_foreign_title(&mut self, message: &str, title: &str) -> ControlFlow<()>;

    /// Reports something unreadable.
    fn warning(&mut self, warning: Warning);

    /// Returns true if the time for reading is up. A source that delivers nothing for long asks this, and goes on to
    /// its checkpoint.
    fn is_out_of_time(&self) -> bool {
        false
    }
}

/// A place that could not be read, with the reason. One for each kind and file, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// Byte offset of the first such place, if it is one.
    pub offset: Option<u64>,
    /// Why, as half a sentence: "line is not valid JSON".
    pub reason: String,
    /// How often.
    pub count: u64,
    /// When that place is tried again, until which the warning holds.
    pub retry: Retry,
    /// The kind of its problem.
    #[serde(default)]
    pub kind: WarningKind,
}

/// The kind of a [`Warning`], where a caller treats it in its own way. The index stores the reason, and [`Self::is_unread`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WarningKind {
    /// A place could not be read.
    #[default]
    Unreadable,
    /// A variable names a folder or a file that cannot be used.
    UnusableVariable,
    /// A variable names a folder that does not exist, or in which there is no session yet.
    EmptyVariableFolder,
    /// A link leads nowhere, or what stands where a history would be is no file.
    NotAFile,
    /// The name of a file or a folder is not UTF-8.
    NonUtf8Name,
    /// A folder stands where a history would be a file.
    UnexpectedFolder,
    /// A folder is a project, of which no file is a history.
    Project,
}

impl WarningKind {
    /// Returns true if a place holds, or may hold, histories that are unread.
    pub fn is_unread(self) -> bool {
        !matches!(
            self,
            Self::EmptyVariableFolder | Self::NotAFile | Self::NonUtf8Name
        )
    }
}

/// When a place that could not be read is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Retry {
    /// When the file is read from its beginning.
    FullRead,
    /// By the next read of the file, which comes when it has changed.
    NextRead,
    /// By the next refresh, though the file is as it is: it could not be read now. What was delivered before stays.
    NextRefresh,
}

/// The index of a turn in its session, and where the turn lies in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedSpan {
    /// The index.
    pub index: u32,
    /// The span.
    pub span: TurnSpan,
}

impl From<&Turn> for IndexedSpan {
    fn from(turn: &Turn) -> Self {
        let &Turn { index, span, .. } = turn;
        Self { index, span }
    }
}

/// Turns read again in full, or why not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownTurns {
    /// The turns that were found, with [`session_core::ReadDetail::Full`].
    pub turns: Vec<Turn>,
    /// Places that could not be read.
    pub warnings: Vec<Warning>,
}
