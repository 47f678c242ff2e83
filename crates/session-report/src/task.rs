//! The tasks of a session: each begins with a prompt that says what it is about.

use session_core::slash_command::is_bare_command;
use session_core::{PromptKind, prompt_content};
use session_store::TurnRecord;

/// Returns true for a turn whose prompt says by itself what it is about.
pub(crate) fn has_telling_prompt(turn: &TurnRecord) -> bool {
    let prompt = &turn.content.prompt;
    !prompt_content::is_uninformative(prompt) && !prompt_content::needs_context(prompt)
}

/// Returns the turns of the task that a turn belongs to: from its prompt to the one that begins the next task. `None` if
/// no task begins at or before the turn, and in a session of a single task.
pub(crate) fn find_task(turns: &[TurnRecord], turn: u32) -> Option<&[TurnRecord]> {
    let after = turns.partition_point(|record| record.row.index <= turn);
    let (before, after) = turns.split_at(after);
    let start = before.iter().rposition(begins_task)?;
    let next = after.iter().position(begins_task);
    let is_single = next.is_none() && !before.iter().take(start).any(begins_task);
    let end = next.map_or(turns.len(), |next| before.len() + next);
    turns.get(start..end).filter(|_| !is_single)
}

fn begins_task(turn: &TurnRecord) -> bool {
    turn.row.kind != PromptKind::None
        && has_telling_prompt(turn)
        && !is_bare_command(&turn.content.prompt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::TurnContent;
    use session_store::TurnRow;

    fn task(prompts: &[&str], turn: u32) -> Option<Vec<u32>> {
        let record = |(prompt, index): (&&str, u32)| TurnRecord {
            row: TurnRow {
                index,
                kind: PromptKind::Typed,
                ..TurnRow::default()
            },
            content: TurnContent {
                prompt: (*prompt).to_owned(),
                ..TurnContent::default()
            },
        };
        let turns: Vec<TurnRecord> = prompts.iter().zip(0..).map(record).collect();
        let task = find_task(&turns, turn)?;
        Some(task.iter().map(|turn| turn.row.index).collect())
    }

    #[test]
    fn a_task_goes_up_to_the_prompt_that_begins_the_next() {
        let prompts = ["/clear", "Oil the gate", "go on", "Hang the lamp", "thanks"];
        for (turn, expected) in [
            (0, None),
            (1, Some(vec![1, 2])),
            (2, Some(vec![1, 2])),
            (3, Some(vec![3, 4])),
            (4, Some(vec![3, 4])),
        ] {
            assert_eq!(task(&prompts, turn), expected, "{turn}");
        }
        assert_eq!(task(&["Oil the gate", "go on"], 1), None);
    }
}
