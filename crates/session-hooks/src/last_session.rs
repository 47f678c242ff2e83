//! The line about the last session of a project, for the start of the next one.

use crate::history_line::HistoryLine;
use crate::memories::Memories;
use crate::project_sessions::ProjectDirectories;
use session_display::SessionIds;
use session_memory::MemoryBlock;
use session_report::{WorkSummary, read_turns};
use session_store::SessionRow;

/// The most characters of the line.
const MAX_CHARS: usize = 500;

impl Memories {
    /// Formats the line about the last session of the project, from the index as it is: what it was about,
    /// what came out, what failed last, and its id. The session that asks is left out.
    pub(crate) fn last_session(&self, asking: Option<&str>) -> Option<MemoryBlock> {
        let project = ProjectDirectories::new(self.project.as_ref()?, &self.home.env.home);
        let index = self.home.index().ok()?;
        let sessions = index.sessions().ok()?;
        let last = sessions
            .iter()
            .filter(|session| is_candidate(session, asking) && project.has(session))
            .max_by_key(|session| (session.ended_ms, &session.uid))?;
        let work = WorkSummary::from_turns(&read_turns(&index, last.id).ok()?);
        self.history_block(HistoryLine {
            label: "last session",
            text: describe(work)?,
            id: format!("continue: {}", SessionIds::new(&sessions).short_id(last)),
            time_ms: last.ended_ms?,
            max_chars: MAX_CHARS,
            taken_chars: 0,
        })
    }
}

fn is_candidate(session: &SessionRow, asking: Option<&str>) -> bool {
    session.parent.is_none() && session.turns > 0 && asking != Some(&session.uid)
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
