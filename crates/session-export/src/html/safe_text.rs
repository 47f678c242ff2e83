//! Text of a session in a page.

use maud::{Escaper, Render};
use session_core::text::sanitize_text;
use std::fmt::Write;

/// Text of a session: neutralised and escaped when it is rendered, in elements and attributes alike.
pub(super) struct SafeText<'t>(pub(super) &'t str);

impl Render for SafeText<'_> {
    fn render_to(&self, out: &mut String) {
        // Writing to a string does not fail.
        let _ = Escaper::new(out).write_str(&sanitize_text(self.0));
    }
}
