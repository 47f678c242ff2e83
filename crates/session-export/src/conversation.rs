//! Turns as they are kept beside a memory.

use crate::exported_session::make_address;
use crate::kept_text::TextLimit;
use crate::markdown::{format_heading, format_turn};
use session_search::Exchange;
use session_store::SessionRow;

/// Length in bytes after which no further turn is kept.
const MAX_BYTES: usize = 2 << 20;

/// Formats turns of a session as the conversation beside a memory: Markdown with whole outputs, cut after the turn with
/// which it is longer than 2 MB.
pub fn format_conversation(session: &SessionRow, exchanges: &[Exchange]) -> String {
    let mut out = format_heading(session);
    for exchange in exchanges {
        let address = make_address(&session.uid, exchange.turn.index);
        out += &format_turn(exchange, &address, session.turns, TextLimit::UNLIMITED);
        if out.len() > MAX_BYTES {
            out += "\n*The rest was too long to be kept.*\n";
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::Turn;
    use session_search::TurnOrigin;

    fn exchange(index: u32, prompt: String) -> Exchange {
        Exchange {
            origin: TurnOrigin::History,
            turn: Turn {
                index,
                prompt,
                ..Turn::default()
            },
        }
    }

    #[test]
    fn a_conversation_is_cut_after_a_turn() {
        let session = SessionRow {
            uid: "a1".into(),
            turns: 3,
            ..SessionRow::default()
        };
        let long = "word ".repeat(MAX_BYTES / 4);
        let turns = [
            exchange(0, "Why?".into()),
            exchange(1, long),
            exchange(2, "And now?".into()),
        ];
        let short = format_conversation(&session, &turns[..1]);
        assert!(short.contains("- Session: `a1`\n"), "{short}");
        assert!(short.contains("\n## a1:0, 1 of 3, "), "{short}");
        assert!(short.ends_with("\n> Why?\n"), "{short}");
        let cut = format_conversation(&session, &turns);
        assert!(cut.ends_with("\n*The rest was too long to be kept.*\n"));
        assert!(!cut.contains("And now?"));
    }
}
