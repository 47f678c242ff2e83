//! The line about an error that was cured before, for a command that failed.

use crate::history_line::{HistoryLine, shorten};
use crate::hook_call::HookCall;
use crate::project_sessions::ProjectDirectories;
use session_agents::{HookInput, ToolUse};
use session_core::{ErrorSignature, TurnAddress};
use session_display::SessionIds;
use session_memory::{MemoryBlock, SessionStateFile};
use session_query::{CureSearch, FoundCure};
use session_report::Cure;
use session_search::SearchFilter;
use session_store::{Reader, SessionRow, SessionTree};

/// The most characters of the line.
const MAX_CHARS: usize = 400;
/// The most files and commands of a cure that are named, and the most bytes of a command.
const MAX_NAMED: usize = 3;
const COMMAND_BYTES: usize = 80;

impl HookCall {
    /// Formats the line about what cured the error of a failed command in this project before, and records it:
    /// it is injected once a session. An error that many cures share has none. Only the index is read.
    pub(crate) fn find_earlier_cure(&self, tool_use: &ToolUse) -> Option<MemoryBlock> {
        let (input, memories) = (&self.input, &self.memories);
        let error = tool_use.error.as_deref()?;
        let context = self.context_id()?;
        let injector = memories.injector();
        let project = ProjectDirectories::new(memories.project.as_ref()?, &memories.home.env.home);
        let state_file = SessionStateFile::new(injector.index_directory, &context);
        if !injector.settings.enabled || self.is_off() {
            return None;
        }
        let index = memories.home.index().ok()?;
        let line = find_line(&index, error, input, &project)?;
        let block = line.into_block(&memories.home.config)?;
        let new = state_file.record_injected(&block.ids).ok()?;
        (new == block.ids).then_some(block)
    }
}

/// Finds the newest cure of an error in the sessions of a project, but for the calling one.
fn find_line(
    index: &Reader,
    error: &str,
    input: &HookInput,
    project: &ProjectDirectories<'_>,
) -> Option<HistoryLine> {
    let errors = ErrorSignature::read_all(error);
    let is_known = |error: &ErrorSignature| {
        let turns = index.turns_with_error(*error);
        turns.is_ok_and(|turns| !turns.is_empty())
    };
    if !errors.iter().any(is_known) {
        return None;
    }
    let sessions = index.sessions().ok()?;
    let tree = SessionTree::new(&sessions);
    let calling = input.session_id.as_deref();
    let is_calling = |session| calling.is_some_and(|uid| tree.is_within(session, uid));
    let here = sessions
        .iter()
        .filter(|session| project.has(session) && !is_calling(session));
    let filter = SearchFilter {
        only_sessions: here.map(|session| session.id).collect(),
        includes_subagents: true,
        ..SearchFilter::default()
    };
    if filter.only_sessions.is_empty() {
        return None;
    }
    let query = CureSearch {
        error,
        command: input.command(),
        filter: &filter,
        is_in_project: &|_| true,
        max_failed: 0,
    };
    let found = query.find(index, &sessions).ok()?;
    let fix = found.cures.first().filter(|_| !found.is_common)?;
    format_cure_line(fix, &sessions)
}

fn format_cure_line(fix: &FoundCure, all: &[SessionRow]) -> Option<HistoryLine> {
    let address = TurnAddress::new(SessionIds::new(all).short_id(&fix.session), fix.cure.turn);
    Some(HistoryLine {
        label: "failed before",
        text: format!("this error was cured by {}", describe_cure(&fix.cure)),
        id: format!("session-search show {address}"),
        time_ms: fix.cure.time_ms.or(fix.session.ended_ms)?,
        max_chars: MAX_CHARS,
    })
}

/// Describes a cure by its files and commands.
fn describe_cure(cure: &Cure) -> String {
    let files = cure.files.iter().take(MAX_NAMED);
    let files = files.map(|path| format!("a change of {path}"));
    let commands = cure.commands.iter().take(MAX_NAMED);
    let commands = commands.map(|command| format!("`{}`", shorten(command, COMMAND_BYTES)));
    let named: Vec<String> = files.chain(commands).take(MAX_NAMED).collect();
    let more = (cure.files.len() + cure.commands.len()).saturating_sub(named.len());
    let more = (more > 0).then(|| format!("{more} more"));
    named.into_iter().chain(more).collect::<Vec<_>>().join(", ")
}
