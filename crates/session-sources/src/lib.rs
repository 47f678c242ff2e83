//! Read-only parsers of the session histories of coding agents.
//!
//! A [`Source`] is one agent. It [locates](Source::locate) history on disk, as
//! [`Location`]s with a [stamp](session_core::FileStamp) that changes when the content does, and
//! [reads](Source::read) one into a [`Sink`]: turns in the order of the file,
//! one at a time, so that memory does not grow with the file. A [`Cursor`]
//! says where to go on when the file has grown. For `show`,
//! [`Source::show`] reads just the [spans](session_core::TurnSpan) of some turns
//! again, in full.
//!
//! Sources share some parts. An agent that appends lines of JSON is a
//! [`JsonlFormat`]: its [`AgentInfo`], the patterns of its files, and a function that
//! passes the events of a line to a [`TurnWriter`]. [`Jsonl`] makes a source of it.
//! [`ToolTable`] translates the tool names of an agent into those that all share. A
//! history that is rewritten in place, such as a database, is a `SessionStorage`, of
//! which `read_sessions` and `show_sessions` make a source.
//!
//! Nothing here writes, and nothing here fails: what cannot be read becomes a
//! [`Warning`] and costs only itself.
//!
//! ```
//! use session_sources::{CollectingSink, Env, sources};
//!
//! let home = tempfile::tempdir().unwrap();
//! let folder = home.path().join(".claude/projects/-home-ann-app");
//! std::fs::create_dir_all(&folder).unwrap();
//! std::fs::write(
//!     folder.join("7a1e0c52-0000-4000-8000-000000000001.jsonl"),
//!     concat!(
//!         r#"{"type":"user","uuid":"u1","cwd":"/home/ann/app","message":{"role":"user","content":"Why does the server not start?"}}"#, "\n",
//!     ),
//! ).unwrap();
//!
//! let env = Env::with_home(home.path());
//! let mut found = CollectingSink::default();
//! for source in sources() {
//!     for location in source.locate(&env).locations {
//!         source.read(&location, None, &mut found);
//!     }
//! }
//! assert_eq!(found.turns[0].turn.prompt, "Why does the server not start?");
//! ```

mod agent_info;
mod attached_files;
mod blank_lines;
mod call_result;
mod calls;
mod claude;
mod codex;
mod collecting_sink;
mod copilot;
mod cursor;
mod cursor_cli;
mod cursor_ide;
mod cursor_tools;
mod env;
mod file;
mod folder_walk;
mod gemini;
mod history_search;
mod json;
mod jsonl;
mod lenient_json;
mod lines;
mod opencode;
mod other_homes;
mod path_pattern;
mod pi;
mod project;
mod prompt_history;
mod reading;
mod reminder;
mod session_announcer;
mod session_signature;
mod session_storage;
mod source;
mod sqlite;
mod storage_error;
mod stored_turns;
mod tags;
mod time;
mod tool_table;
mod turn_assembler;
mod turn_writer;
mod user_text;
mod warning;
mod written_files;

pub use agent_info::{AgentInfo, FolderVariable};
pub use collecting_sink::{CollectedTitle, CollectedTurn, CollectingSink};
pub use env::Env;
pub use file::{leads_to_same_file, path_text};
pub use history_search::{
    HistoryFolder, HistorySearch, MIN_PARALLEL_FILES, ParsePathSession, is_packed,
};
pub use jsonl::{Jsonl, JsonlFormat};
pub use other_homes::locate_in_all_homes;
pub use project::{is_network_path, project_root};
pub use source::{
    Caller, ContinuedFile, Cursor, CursorRedaction, IndexedSpan, IsKnownFile, Listing, Location,
    PathSession, Retry, ShownTurns, Sink, Source, Warning, WarningKind,
};

pub use json::readable_json;
pub use time::milliseconds;
pub use tool_table::{FieldName, ToolRow, ToolTable, patched_files};
pub use turn_writer::{CallOutcome, TurnWriter};

static SOURCES: [&dyn Source; 8] = [
    &claude::Claude,
    &opencode::OpenCode,
    &Jsonl(codex::Codex),
    &gemini::Gemini,
    &Jsonl(copilot::Copilot),
    &Jsonl(pi::Pi),
    &cursor_ide::CursorIde,
    &Jsonl(cursor_cli::CursorCli),
];

/// Returns every agent that is read. Adding one is a file, its fixtures and a line above.
pub fn sources() -> &'static [&'static dyn Source] {
    &SOURCES
}

/// Returns the agent of this name.
pub fn find_source(name: &str) -> Option<&'static dyn Source> {
    let found = SOURCES.iter().find(|source| source.name() == name);
    found.copied()
}

/// Returns every agent that is read, as data.
pub fn agents() -> impl Iterator<Item = &'static AgentInfo> {
    SOURCES.iter().map(|source| source.agent())
}
