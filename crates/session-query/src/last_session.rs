//! The line about the last session of a project, for the start of the next one.

use crate::memories::Memories;
use jiff::Timestamp;
use session_memory::{BlockItem, FrontmatterTime, Importance, InjectionSettings, MemoryBlock};
use session_report::{WorkSummary, read_turns};
use session_store::{Reader, SessionRow};
use std::path::Path;

/// The most characters of the line, and of the block with its fence.
const MAX_LINE_CHARS: usize = 500;
const MAX_BLOCK_CHARS: usize = 700;
/// The characters of an id that name a session.
const SHORT_ID_CHARS: usize = 8;

impl Memories {
    /// Formats the line about the last session of the project, from the index as it is: what it was about,
    /// what came out, what failed last, and its id. The session that asks is left out.
    pub(crate) fn last_session(&self, asking: Option<&str>) -> Option<MemoryBlock> {
        let root = self.project.as_ref()?.root();
        let index = self.home.index().ok()?;
        let sessions = index.sessions().ok()?;
        let last = sessions
            .iter()
            .filter(|session| is_candidate(session, root, asking))
            .max_by_key(|session| (session.ended_ms, &session.uid))?;
        let settings = InjectionSettings {
            item_chars: MAX_LINE_CHARS,
            total_chars: MAX_BLOCK_CHARS,
            ..InjectionSettings::default()
        };
        let mut block = MemoryBlock::assemble(vec![block_item(&index, last)?], &settings)?;
        self.home.config.redactor().redact_in_place(&mut block.text);
        Some(block)
    }
}

fn is_candidate(session: &SessionRow, root: &Path, asking: Option<&str>) -> bool {
    let is_here = |cwd: &String| Path::new(cwd).starts_with(root);
    session.parent.is_none()
        && session.turns > 0
        && asking != Some(&session.uid)
        && session.cwd.as_ref().is_some_and(is_here)
}

fn block_item(index: &Reader, session: &SessionRow) -> Option<BlockItem> {
    let work = WorkSummary::from_turns(&read_turns(index, session.id).ok()?);
    let ended = Timestamp::from_millisecond(session.ended_ms?).ok()?;
    let id: String = session.uid.chars().take(SHORT_ID_CHARS).collect();
    Some(BlockItem {
        label: "last session".to_owned(),
        text: describe(work)?,
        id: format!("continue: {id}"),
        origin: "from your history",
        updated: FrontmatterTime(ended),
        importance: Importance::Normal,
        relevance: 0,
    })
}

/// Describes the work of a session in a line; `None` where it has no prompt.
fn describe(work: WorkSummary) -> Option<String> {
    let mut text = work.problem?;
    if let Some(solution) = work.solution {
        text = format!("{text} Came out: {solution}");
    }
    if let Some(error) = work.errors.last() {
        text = format!("{text} Failed last: {error}");
    }
    Some(text)
}
