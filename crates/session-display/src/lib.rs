//! Session text in the columns of a terminal.
//!
//! Session text is an attacker's: [`safe_line`] takes what a terminal would obey out of it. [`cut`]
//! and [`wrap_lines`] measure it in columns. [`title`], [`project`] and [`short_id`] name a session, a
//! [`Preview`] is a passage of a hit with the words that match, [`elapsed`] and [`minute`] are times, [`plural`] counts.
//! Nothing is coloured here: a front end has its own styles.
//!
//! ```
//! assert_eq!(session_display::line("a \x1b[31mred\x1b[0m lamp at the gate", 12), "a red lamp…");
//! assert_eq!(session_display::elapsed(Some(0), 90 * 60_000), "1h");
//! ```

mod columns;
mod matched_line;
mod plural;
mod preview;
mod session_label;
mod times;
mod unfound_terms;
mod unknown_project;

pub use columns::{cut, line, safe_line, split, wrap_lines};
pub use matched_line::matched_line;
pub use plural::plural;
pub use preview::{Preview, PreviewPart, mark_terms, mark_words, plain_previews, previews};
pub use session_label::{has_twin, is_plain, project, short_id, title, visible_title};
pub use times::{day, elapsed, minute, rfc3339, zoned_minute};
pub use unfound_terms::format_unfound_terms;
pub use unknown_project::format_unknown_project;
