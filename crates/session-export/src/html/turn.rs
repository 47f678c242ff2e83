//! A turn of a page.

use super::call::{render_calls, render_code};
use super::prose::render_prose;
use super::safe_text::SafeText;
use super::verbatim::render_verbatim;
use crate::capitalize::capitalize;
use maud::{Markup, html};
use session_core::{PromptAuthor, ToolCall, Turn, TurnPart};
use session_display::{format_duration, format_minute, format_rfc3339};
use session_search::Exchange;
use session_store::SessionRow;

/// Most lines of a remark that is not folded.
const MAX_REMARK_LINES: usize = 6;

/// Renders a turn: its address and prompt, then what the agent said and did.
pub(super) fn render_turn(exchange: &Exchange, address: &str, session: &SessionRow) -> Markup {
    let turn = &exchange.turn;
    html! {
        article class="turn" id={ "turn-" (turn.index) } {
            (render_heading(turn, address, session))
            @if let Some(note) = exchange.origin.note() { p class="note" { (capitalize(note)) "." } }
            @if !turn.prompt.trim().is_empty() { (render_prompt(turn)) }
            @for group in turn.parts.chunk_by(|a, b| is_call(a) && is_call(b)) {
                (render_parts(group))
            }
        }
    }
}

fn render_heading(turn: &Turn, address: &str, session: &SessionRow) -> Markup {
    let other_branch = turn.branch.as_ref();
    let other_branch = other_branch.filter(|_| turn.branch != session.branch);
    html! {
        header {
            h2 {
                a href={ "#turn-" (turn.index) } {
                    (SafeText(address)) " "
                    span class="of" { (turn.index + 1) " of " (session.turns) }
                }
            }
            time datetime=[format_rfc3339(turn.started_ms)] { (format_minute(turn.started_ms)) }
            @if let Some(took) = format_turn_duration(turn) { span { (took) } }
            @if let Some(branch) = other_branch { code { (SafeText(branch)) } }
            @for model in &turn.turn_stats.models { span class="model" { (SafeText(model)) } }
        }
    }
}

/// Formats how long a turn took, if it took a minute or more. Two days on, a turn was left open, and its hours say nothing.
fn format_turn_duration(turn: &Turn) -> Option<String> {
    const DAY_MS: i64 = 86_400_000;
    match turn.ended_ms?.checked_sub(turn.started_ms?)? {
        ..60_000 => None,
        ms if ms < 2 * DAY_MS => Some(format_duration(ms)),
        ms => Some(format!("{} days", ms / DAY_MS)),
    }
}

/// Renders a prompt: as it was typed, or as Markdown where a model wrote it.
fn render_prompt(turn: &Turn) -> Markup {
    let author = turn.kind.author();
    html! {
        section class="prompt" {
            h3 { (capitalize(author.label())) }
            @if author == PromptAuthor::Agent {
                div class="prose" dir="auto" { (render_prose(&turn.prompt)) }
            } @else {
                (render_verbatim(&turn.prompt))
            }
        }
    }
}

fn is_call(part: &TurnPart) -> bool {
    matches!(part, TurnPart::Call(_))
}

/// Renders several calls, or one part that is none.
fn render_parts(group: &[TurnPart]) -> Markup {
    match group {
        [TurnPart::Text { text }] => render_answer(text),
        [part @ (TurnPart::Thinking { text } | TurnPart::Summary { text })] => {
            render_folded(part.label(), text)
        }
        [
            part
            @ (TurnPart::Recap { text } | TurnPart::Notice { text } | TurnPart::Error { text }),
        ] => render_aside(part.label(), text),
        _ => render_calls(&group.iter().filter_map(as_call).collect::<Vec<_>>()),
    }
}

fn as_call(part: &TurnPart) -> Option<&ToolCall> {
    match part {
        TurnPart::Call(call) => Some(call),
        _ => None,
    }
}

fn render_answer(text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            section class="answer prose" dir="auto" { (render_prose(text)) }
        }
    }
}

fn render_folded(name: &str, text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            details class="aside" {
                summary { span class="tool" { (capitalize(name)) } }
                div class="body prose" dir="auto" { (render_prose(text)) }
            }
        }
    }
}

fn render_folded_code(name: &str, text: &str) -> Markup {
    html! {
        details class="aside" {
            summary { span class="tool" { (capitalize(name)) } code class="subject" { (SafeText(first_line(text))) } }
            div class="body" { (render_code("output", None, text.trim_matches('\n'))) }
        }
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Renders a remark of a line or two, or what stands in columns, folded. Its name is its class, too.
fn render_aside(name: &str, text: &str) -> Markup {
    if text.trim().lines().count() > MAX_REMARK_LINES {
        return render_folded_code(name, text);
    }
    html! {
        @if !text.trim().is_empty() {
            section class={ "remark " (name) } {
                h3 { (capitalize(name)) }
                p dir="auto" { (SafeText(text.trim())) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::PromptKind;

    #[test]
    fn a_prompt_is_markdown_where_a_model_wrote_it() {
        let rendered = |kind| {
            let prompt = "a **b**".into();
            render_prompt(&Turn {
                kind,
                prompt,
                ..Turn::default()
            })
            .into_string()
        };
        assert!(rendered(PromptKind::Model).contains("<p>a <strong>b</strong></p>"));
        for kind in [PromptKind::Typed, PromptKind::Command] {
            assert!(rendered(kind).contains(">a **b**<"), "{kind:?}");
            assert!(rendered(kind).contains("<h3>You</h3>"), "{kind:?}");
        }
    }

    #[test]
    fn durations_are_told_from_a_minute_on() {
        let took = |ms: i64| {
            format_turn_duration(&Turn {
                started_ms: Some(1000),
                ended_ms: Some(1000 + ms),
                ..Turn::default()
            })
        };
        assert_eq!(took(59_999), None);
        assert_eq!(took(-60_000), None);
        assert_eq!(took(60_000).as_deref(), Some("1 min"));
        assert_eq!(took(59 * 60_000 + 40_000).as_deref(), Some("1 h"));
        assert_eq!(took(61 * 60_000).as_deref(), Some("1 h 1 min"));
        assert_eq!(took(49 * 3_600_000).as_deref(), Some("2 days"));
        let endless = Turn {
            started_ms: Some(i64::MIN),
            ended_ms: Some(1),
            ..Turn::default()
        };
        assert_eq!(format_turn_duration(&endless), None);
    }
}
