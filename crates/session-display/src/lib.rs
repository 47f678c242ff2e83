//! Text that several front ends show: session text in the columns of a terminal, values with their units, and notes.
//!
//! A formatter that the command line and another front end use is here; one of the command line alone is in
//! `session-output`.
//!
//! Session text is an attacker's: [`sanitize_line`] removes what a terminal would obey. [`truncate_to_columns`] and
//! [`wrap_lines`] measure it in columns. [`session_title`], [`project_label`] and [`SessionIds`] name a session, a
//! [`Preview`] is a passage of a hit with the words that match, [`format_elapsed`] and [`format_minute`] are times,
//! [`format_duration`] is how long something took, [`pluralize`] counts.
//! Nothing is coloured here: a front end has its own styles.
//!
//! ```
//! assert_eq!(session_display::fit_line("a \x1b[31mred\x1b[0m lamp at the gate", 12), "a red lamp…");
//! assert_eq!(session_display::format_elapsed(Some(0), 90 * 60_000), "1h");
//! ```

mod columns;
mod continuation;
mod durations;
mod home_path;
mod matched_line;
mod note;
mod plural;
mod preview;
mod session_ids;
mod session_label;
mod similarity;
mod sizes;
mod times;
mod unfound_terms;
mod unknown_project;
mod unmet_filter;

pub use columns::{
    fit_line, fit_path, fit_words, pad_to_columns, sanitize_line, truncate_to_columns, wrap_lines,
};
pub use continuation::format_continuation;
pub use durations::format_duration;
pub use home_path::shorten_home;
pub use matched_line::format_matched_line;
pub use note::{Note, wrap_note};
pub use plural::pluralize;
pub use preview::{
    Preview, PreviewPart, make_plain_previews, make_previews, mark_terms, mark_words,
};
pub use session_ids::SessionIds;
pub use session_label::{project_label, session_title, visible_title};
pub use sizes::format_size;
pub use times::{
    format_day, format_elapsed, format_minute, format_rfc3339, format_zoned_minute,
    now_without_zone_name,
};
pub use unfound_terms::{UnfoundHints, format_unfound_terms};
pub use unknown_project::{format_project_elsewhere, format_unknown_project};
pub use unmet_filter::{format_unmet_clause, format_unmet_clause_and_others};
