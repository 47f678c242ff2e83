//! The preview of the selected turn, beside the list.

use crate::marked::MarkedWords;
use crate::text_blocks::TextPosition;
use crate::text_lines::CallDetail;
use crate::text_pane::TextPane;
use session_search::Exchange;
use session_store::SessionRow;

/// A turn of a session as lines.
pub(crate) struct PreviewPane {
    pub(crate) session: SessionRow,
    turn: u32,
    pub(crate) pane: TextPane,
}

impl PreviewPane {
    /// Shows a turn of a session as it was read.
    pub(crate) fn new(session: SessionRow, turn: u32, exchanges: Vec<Exchange>) -> Self {
        Self {
            turn,
            // The heading of the preview says which turn it is.
            pane: TextPane::new(exchanges, None),
            session,
        }
    }

    /// Lays the turn out for a pane, opened at the first of the terms.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize, terms: &[String]) {
        let pane = &mut self.pane;
        pane.lay_out(columns, height, CallDetail::Short);
        if pane.set_marked(MarkedWords::Terms(terms.to_vec())) {
            pane.open_at_match(TextPosition::default()..pane.text.end());
        }
    }

    /// Returns what was read of a turn of a session; nothing where another one is shown.
    pub(crate) fn exchanges_of(&self, session: &SessionRow, turn: u32) -> &[Exchange] {
        if self.session.id == session.id && self.turn == turn {
            self.pane.text.exchanges()
        } else {
            &[]
        }
    }
}
