//! A session as one file that can be kept, printed and sent: HTML, Markdown or JSON.
//!
//! An [`ExportedSession`] is a session with those of its turns that are exported. It reads them from the
//! index and the history in batches while they are written ([`ExportedSession::open`]), with secrets
//! redacted, or takes turns that were read already ([`ExportedSession::new`]). [`write_session`] writes it in an
//! [`ExportFormat`], and [`make_file_name`] proposes a name.
//!
//! **HTML** is self-contained: one style sheet within, no script, and a content security policy that
//! allows that style sheet by its hash and nothing else. So the page loads nothing and runs nothing,
//! whatever the session says. Texts are neutralised as for a terminal ([`session_core::text::sanitize_text`])
//! and escaped by the type that writes them. What the user typed is shown as it is; what an agent wrote
//! is rendered as Markdown, without raw HTML, images and links other than `http`, `https` and `mailto`;
//! the targets of other links are text.
//!
//! **Markdown** and **JSON** are what `session-search show` prints. A [`TextLimit`] says how much of an
//! output is kept. A note stands in the place of what is left out.
//!
//! A [`CallView`] is what all formats show of a tool call: its subject, its edits as diffs, and the remaining
//! inputs.
//!
//! ```
//! use session_core::{TurnPart, PromptKind, Turn};
//! use session_export::{ExportFormat, ExportedSession, make_file_name, write_session};
//! use session_search::{Exchange, TurnOrigin};
//! use session_store::SessionRow;
//!
//! let session = SessionRow {
//!     uid: "a1b2c3d4-0000".into(),
//!     title: Some("Why does <b> not start?".into()),
//!     turns: 1,
//!     ..SessionRow::default()
//! };
//! let turn = Turn {
//!     kind: PromptKind::Typed,
//!     prompt: "Why does it not start?".into(),
//!     parts: vec![TurnPart::Text { text: "Process **4711** holds the port.".into() }],
//!     ..Turn::default()
//! };
//! let exchanges = [Exchange { turn, origin: TurnOrigin::History }];
//! let exported = ExportedSession::new(&session, &exchanges);
//! let mut page = Vec::new();
//! write_session(ExportFormat::Html, &exported, &mut page)?;
//! let page = String::from_utf8(page)?;
//! assert!(page.contains("<h1 dir=\"auto\">Why does &lt;b&gt; not start?</h1>"));
//! assert!(page.contains("<strong>4711</strong>"));
//! assert_eq!(make_file_name(&session, ExportFormat::Html), "why-does-b-not-start-a1b2c3d4.html");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod brief;
mod call_view;
mod capitalize;
mod conversation;
mod error;
mod export_format;
mod exported_session;
mod html;
mod json;
mod kept_text;
mod markdown;

pub use brief::{BriefSession, make_brief};
pub use call_view::{CallInput, CallView};
pub use conversation::format_conversation;
pub use error::ExportError;
pub use export_format::{ExportFormat, make_file_name};
pub use exported_session::ExportedSession;
pub use json::{ShownSession, ShownTurn, make_shown_session};
pub use kept_text::TextLimit;
pub use markdown::{format_heading, format_turn, write_markdown};

use std::io::Write;

/// Writes a session in a format, turn by turn.
///
/// # Errors
/// When the session cannot be read, or `out` cannot be written.
pub fn write_session(
    format: ExportFormat,
    session: &ExportedSession<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    match format {
        ExportFormat::Html => html::write_html(session, out),
        ExportFormat::Markdown => write_markdown(session, TextLimit::EXPORT, out),
        ExportFormat::Json => json::write_json(session, out),
    }
}
