//! Turns of the project's history that are put before a prompt.

use crate::history_line::shorten;
use crate::project_sessions::ProjectDirectories;
use jiff::Timestamp;
use session_core::{ConfidenceBand, TurnAddress};
use session_display::SessionIds;
use session_memory::{BlockItem, FrontmatterTime, PastTurn};
use session_project_memories::{ProjectMemories, ProjectMemoriesError};
use session_query::QueryModels;
use session_report::WorkSummary;
use session_search::{Level, SearchHit, SearchRequest, search};
use session_store::{EmbeddingPause, Reader, SessionRow, SessionTree, TurnRecord};

/// The most past turns of a prompt.
const MAX_PAST_TURNS: usize = 3;
/// The most bytes of a past turn's prompt: its answer says more.
const PROMPT_BYTES: usize = 70;

/// Finds the project's turns in the strong band for a prompt, except those of its own session. The index is
/// searched as it is: a prompt does not wait for a refresh.
pub(crate) fn find_past_turns(
    prompt: &str,
    memories: &ProjectMemories,
    session: Option<&str>,
) -> Result<Vec<BlockItem>, ProjectMemoriesError> {
    let Some(project) = &memories.project else {
        return Ok(Vec::new());
    };
    let home = &memories.home;
    let project = ProjectDirectories::new(project, &home.env.home);
    let index = home.index()?;
    let sessions = index.sessions()?;
    let own = sessions.iter().filter(|row| project.has(row));
    let only: Vec<_> = own.map(|row| row.id).collect();
    if only.is_empty() {
        return Ok(Vec::new());
    }
    let _pause = EmbeddingPause::request(index.root());
    let models = QueryModels::for_home(home)?;
    let embeddings = models.without_endpoint().embed(&index, prompt)?;
    let mut request = SearchRequest {
        level: Level::Turn,
        limit: MAX_PAST_TURNS,
        ..SearchRequest::new(prompt)
    };
    request.filter.only_sessions = only;
    let tree = SessionTree::new(&sessions);
    let is_own = |row: &&SessionRow| session.is_some_and(|session| tree.is_within(row, session));
    request.filter.excluded_sessions = sessions.iter().filter(is_own).map(|row| row.id).collect();
    let found = search(&index, &sessions, &request, &embeddings)?;
    let certain = found
        .hits
        .iter()
        .filter(|hit| hit.band == ConfidenceBand::Strong);
    let ids = SessionIds::new(&sessions);
    Ok(certain
        .filter_map(|hit| block_item(&index, hit, &ids))
        .collect())
}

fn block_item(index: &Reader, hit: &SearchHit, ids: &SessionIds<'_>) -> Option<BlockItem> {
    let row = hit.turn.clone()?;
    let at = hit.session.time_of(&row)?;
    let id = TurnAddress::new(ids.short_id(&hit.session), row.index);
    let content = index.packed_turn(row.id).ok()?.unpack_first();
    let work = WorkSummary::from_turns(&[TurnRecord { row, content }]);
    Some(BlockItem::from_past_turn(PastTurn {
        text: describe_turn(work, &hit.preview),
        id: id.to_string(),
        started: FrontmatterTime(Timestamp::from_millisecond(at).ok()?),
        probability: hit.probability,
    }))
}

/// Describes a turn by the beginnings of its prompt and of its final answer; by the passage that was found where it has
/// no answer.
fn describe_turn(work: WorkSummary, passage: &str) -> String {
    let Some(answer) = work.solution else {
        return passage.to_owned();
    };
    match work.problem {
        Some(prompt) => format!("{} — Answer: {answer}", shorten(&prompt, PROMPT_BYTES)),
        None => format!("Answer: {answer}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_turn_is_told_by_its_answer() {
        let work = |problem: Option<&str>, solution: Option<&str>| WorkSummary {
            problem: problem.map(str::to_owned),
            solution: solution.map(str::to_owned),
            ..WorkSummary::default()
        };
        let answer = Some("Create a network.");
        let text = |problem, solution| describe_turn(work(problem, solution), "a passage");
        assert_eq!(
            text(Some("No names?"), answer),
            "No names? — Answer: Create a network."
        );
        assert_eq!(text(None, answer), "Answer: Create a network.");
        assert_eq!(text(Some("No names?"), None), "a passage");
        let long = "the containers cannot find each other ".repeat(4);
        let line = text(Some(&long), answer);
        assert!(line.len() < 110 && line.ends_with("… — Answer: Create a network."));
    }
}
