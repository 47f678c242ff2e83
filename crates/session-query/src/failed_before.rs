//! The line about an error that was cured before, for a command that failed.

use crate::fixes::{FixQuery, FoundCure};
use crate::memories::Memories;
use jiff::Timestamp;
use session_agents::{HookInput, ToolUse};
use session_core::ErrorSignature;
use session_core::text::clip;
use session_memory::{
    BlockItem, FrontmatterTime, Importance, InjectionSettings, MemoryBlock, SessionState,
};
use session_report::Cure;
use session_search::Filter;
use session_store::{Reader, SessionRow};
use std::path::Path;

/// The most characters of the line, and of the block with its fence.
const MAX_LINE_CHARS: usize = 400;
const MAX_BLOCK_CHARS: usize = 600;
/// The characters of an id that name a session.
const SHORT_ID_CHARS: usize = 8;
/// The most files and commands of a cure that are named, and the most bytes of a command.
const MAX_NAMED: usize = 3;
const COMMAND_BYTES: usize = 80;

impl Memories {
    /// Formats the line about what cured the error of a failed command in this project before, and records it:
    /// it is said once a session. An error that many cures share says nothing. Only the index is read.
    pub(crate) fn failed_before(
        &self,
        input: &HookInput,
        tool_use: &ToolUse,
    ) -> Option<MemoryBlock> {
        let error = tool_use.error.as_deref()?;
        let context = input.context_id()?;
        let injector = self.injector();
        let root = self.project.as_ref()?.root();
        if !injector.settings.enabled || SessionState::read(injector.state, &context).off {
            return None;
        }
        let fix = find_fix(
            &self.home.index().ok()?,
            error,
            root,
            input.session_id.as_deref(),
        )?;
        let settings = InjectionSettings {
            item_chars: MAX_LINE_CHARS,
            total_chars: MAX_BLOCK_CHARS,
            ..InjectionSettings::default()
        };
        let mut block = MemoryBlock::assemble(vec![block_item(&fix)?], &settings)?;
        let is_new = SessionState::record_injected(injector.state, &context, &block.ids);
        self.home.config.redactor().redact_in_place(&mut block.text);
        is_new.unwrap_or(false).then_some(block)
    }
}

/// Finds the newest cure of an error in the sessions of a project, but for the one that asks.
fn find_fix(index: &Reader, error: &str, root: &Path, asking: Option<&str>) -> Option<FoundCure> {
    let errors = ErrorSignature::read_all(error);
    let is_known = |error: &ErrorSignature| {
        let turns = index.turns_with_error(*error);
        turns.is_ok_and(|turns| !turns.is_empty())
    };
    if !errors.iter().any(is_known) {
        return None;
    }
    let sessions = index.sessions().ok()?;
    let here = sessions
        .iter()
        .filter(|session| is_earlier(session, root, asking));
    let filter = Filter {
        only: here.map(|session| session.id).collect(),
        subagents: true,
        ..Filter::default()
    };
    if filter.only.is_empty() {
        return None;
    }
    let query = FixQuery {
        error,
        filter: &filter,
        is_here: &|_| true,
    };
    let found = query.find(index, &sessions).ok()?;
    (!found.is_common).then(|| found.fixes.into_iter().next())?
}

fn is_earlier(session: &SessionRow, root: &Path, asking: Option<&str>) -> bool {
    let is_here = |folder: &Option<String>| {
        let folder = folder.as_deref();
        folder.is_some_and(|folder| Path::new(folder).starts_with(root))
    };
    let is_asking =
        asking.is_some_and(|id| id == session.uid || Some(id) == session.parent.as_deref());
    (is_here(&session.cwd) || is_here(&session.project)) && !is_asking
}

fn block_item(fix: &FoundCure) -> Option<BlockItem> {
    let at = fix.cure.time_ms.or(fix.session.ended_ms)?;
    let id: String = fix.session.uid.chars().take(SHORT_ID_CHARS).collect();
    let turn = fix.cure.turn;
    Some(BlockItem {
        label: "failed before".to_owned(),
        text: format!(
            "this error was cured by {}; `session-search show {id}:{turn}`",
            describe(&fix.cure)
        ),
        id: format!("{id}:{turn}"),
        origin: "from your history",
        updated: FrontmatterTime(Timestamp::from_millisecond(at).ok()?),
        importance: Importance::Normal,
        relevance: 0,
    })
}

/// Describes a cure by its files and commands.
fn describe(cure: &Cure) -> String {
    let files = cure.files.iter().take(MAX_NAMED);
    let files = files.map(|path| format!("a change of {path}"));
    let commands = cure.commands.iter().take(MAX_NAMED);
    let commands = commands.map(|command| format!("`{}`", clip(command, COMMAND_BYTES)));
    let named: Vec<String> = files.chain(commands).take(MAX_NAMED).collect();
    let more = (cure.files.len() + cure.commands.len()).saturating_sub(named.len());
    let more = (more > 0).then(|| format!("{more} more"));
    named.into_iter().chain(more).collect::<Vec<_>>().join(", ")
}
