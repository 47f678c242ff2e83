//! A session as one page.

mod call;
mod links;
mod prose;
mod safe_text;
mod turn;
mod verbatim;

use crate::error::ExportError;
use crate::exported_session::{ExportedSession, OutlineEntry};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use safe_text::SafeText;
use session_agents::resume_line;
use session_display::{format_rfc3339, format_zoned_minute, project_label, session_title};
use session_store::SessionRow;
use std::io::Write;

/// The style sheet, with light and dark colours and rules for print.
const STYLE: &str = include_str!("html/style.css");
/// Allows the style sheet by its hash, and nothing else: no script, no image, no font, no request, no
/// other style. A test compares the hash.
const POLICY: &str = "default-src 'none'; style-src 'sha256-1vmm7FCTId7uymjLoTvYE2pUh3blNS+FvPB3f8jErs0='; \
                      base-uri 'none'; form-action 'none'";

/// Writes a session as an HTML page, turn by turn.
pub(crate) fn write_html(
    session: &ExportedSession<'_>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut put = |markup: &str| out.write_all(markup.as_bytes());
    let row = session.row();
    put(&html! { (DOCTYPE) }.into_string())?;
    put("<html lang=\"en\">\n")?;
    put(&render_head(row).into_string())?;
    put("\n<body>\n")?;
    put(&render_header(session).into_string())?;
    put("\n<div class=\"page\">\n")?;
    put(&render_contents(&session.read_outline()?).into_string())?;
    put("\n<main>\n")?;
    session.try_for_each(|exchange| {
        let address = session.turn_address(exchange.turn.index);
        put(&turn::render_turn(exchange, &address, row).into_string())?;
        Ok::<(), ExportError>(put("\n")?)
    })?;
    put("</main>\n</div>\n")?;
    put(&render_footer().into_string())?;
    Ok(put("\n</body>\n</html>\n")?)
}

fn render_head(session: &SessionRow) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="referrer" content="no-referrer";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="robots" content="noindex";
            meta name="generator" content="session-search";
            title { (SafeText(&session_title(session))) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn render_header(session: &ExportedSession<'_>) -> Markup {
    let row = session.row();
    html! {
        header class="session" {
            h1 dir="auto" { (SafeText(&session_title(row))) }
            dl {
                (render_fact("Agent", html! { (SafeText(&row.source)) }))
                (render_fact("Project", html! { bdi { (SafeText(project_label(row))) } }))
                @if let Some(branch) = &row.branch {
                    (render_fact("Branch", html! { code { (SafeText(branch)) } }))
                }
                (render_fact("Began", render_time(row.started_ms)))
                @if row.ended_ms.is_some() { (render_fact("Ended", render_time(row.ended_ms))) }
                (render_fact("Turns", render_turns(session)))
                @if let Some(folder) = session.folder() {
                    (render_fact("Folder", html! { code { (SafeText(&folder)) } }))
                }
                (render_fact("Session", html! { code { (SafeText(&row.uid)) } }))
                @if let Some(parent) = &row.parent {
                    (render_fact("Part of", html! { code { (SafeText(parent)) } }))
                }
                @if let Some(origin) = &row.forked_from {
                    (render_fact("Forked from", html! { code { (SafeText(origin)) } }))
                }
                @if let Some(resume) = resume_line(row) {
                    (render_fact("Resume", html! { code class="command" { (SafeText(&resume)) } }))
                }
            }
        }
    }
}

fn render_fact(name: &str, value: Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn render_time(ms: Option<i64>) -> Markup {
    html! { time datetime=[format_rfc3339(ms)] { (format_zoned_minute(ms)) } }
}

fn render_turns(session: &ExportedSession<'_>) -> Markup {
    let (shown, all) = (session.len(), session.row().turns as usize);
    html! {
        (shown) @if shown < all { " of " (all) }
    }
}

fn render_contents(outline: &[OutlineEntry]) -> Markup {
    html! {
        nav aria-label="Turns" {
            h2 { "Turns" }
            ol {
                @for entry in outline {
                    li value=(entry.turn + 1) {
                        a href={ "#turn-" (entry.turn) } dir="auto" { (SafeText(&entry.label)) }
                    }
                }
            }
        }
    }
}

fn render_footer() -> Markup {
    let version = env!("CARGO_PKG_VERSION");
    html! {
        footer { "Exported by session-search " (version) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_allows_the_style_sheet() {
        let hash = base64(&<sha2::Sha256 as sha2::Digest>::digest(STYLE));
        assert!(
            POLICY.contains(&format!("'sha256-{hash}'")),
            "its hash is {hash}"
        );
    }

    /// Encodes a hash by RFC 4648: its last two bytes leave one `=`.
    fn base64(hash: &[u8]) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut padded = hash.to_vec();
        padded.push(0);
        let digit = |three: &[u8], n: usize| {
            let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
            char::from(digits[(bits >> (18 - 6 * n)) as usize & 63])
        };
        let encoded = padded.chunks_exact(3);
        let encoded: String = encoded
            .flat_map(|three| (0..4).map(move |n| digit(three, n)))
            .collect();
        format!("{}=", &encoded[..encoded.len() - 1])
    }
}
