//! Where a turn stands in its session.

/// Formats a turn with the number of turns of its session. The part behind the colon is the turn's address, which counts
/// from 0, as in `ID:7`: `:7/23` is the eighth of 23 turns.
pub(crate) fn format_turn_position(index: u32, turns: u32) -> String {
    format!(":{index}/{turns}")
}
