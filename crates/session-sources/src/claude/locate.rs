//! Where the transcripts are: `<config>/projects/<folder>/<session>.jsonl`,
//! and those of subagents beside them or below `<session>/subagents`; and
//! `<config>/history.jsonl`, with the prompts of all sessions.

use crate::prompt_history;
use crate::{AgentInfo, Env, HistorySearch, IsKnownFile, Listing, PathSession};
use session_core::is_uuid;
use std::path::Path;

const FILES: [&str; 3] = [
    "projects/*/*.jsonl",
    "projects/*/*/subagents/**/agent-*.jsonl",
    prompt_history::FILE_NAME,
];

/// Lists all transcripts, those changed last at the end, and after them the histories of
/// prompts: what a transcript holds is not wanted of them. Known files are left out.
pub(super) fn locate(agent: &AgentInfo, env: &Env, is_known: &IsKnownFile<'_>) -> Listing {
    let mut search = HistorySearch::new(is_known);
    for folder in agent.history_folders(env) {
        search.add(&folder, &FILES, &parse_path_session);
    }
    search.finish()
}

/// Returns the session of a transcript by its path; `None` when the path is none of a transcript.
fn parse_path_session(path: &Path) -> Option<PathSession> {
    let mut names = path.iter();
    names.next()?;
    let Some(_project) = names.next() else {
        return Some(PathSession::default());
    };
    let third = names.next()?;
    let is_file = names.next().is_none();
    let stem = if is_file {
        Path::new(third).file_stem()
    } else {
        path.file_stem()
    };
    let (stem, third) = (stem?.to_str()?, third.to_str()?);
    let is_wanted = if is_file {
        is_uuid(stem) || stem.starts_with("agent-")
    } else {
        is_uuid(third)
    };
    is_wanted.then(|| PathSession {
        session: Some(stem.to_owned()),
        parent: (!is_file).then(|| third.to_owned()),
    })
}
