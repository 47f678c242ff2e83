//! The position of a turn in its session.

/// Columns from which a position is formatted in full.
const FULL_COLUMNS: usize = 48;

/// Formats the address of a turn, which counts from 0 as in `ID:7`, and its position: `:7  8 of 23`. In fewer columns the
/// address stands alone.
pub(crate) fn format_turn_position(index: u32, turns: u32, columns: usize) -> String {
    if columns < FULL_COLUMNS {
        format_turn_address(index)
    } else {
        format!("{}  {} of {turns}", format_turn_address(index), index + 1)
    }
}

/// Formats the address of a turn in its session.
pub(crate) fn format_turn_address(index: u32) -> String {
    format!(":{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_has_the_address_in_any_width() {
        assert_eq!(format_turn_position(7, 23, 80), ":7  8 of 23");
        assert_eq!(format_turn_position(7, 23, 40), ":7");
    }
}
