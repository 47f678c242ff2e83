//! A turn of a page.

use super::call::{calls, code};
use super::prose::prose;
use super::safe_text::SafeText;
use super::verbatim::verbatim;
use maud::{Markup, html};
use session_core::{Part, PromptKind, ToolCall, Turn};
use session_display::{minute, rfc3339};
use session_search::{Exchange, Origin};
use session_store::SessionRow;

/// Most lines of a remark that is not folded.
const MAX_REMARK_LINES: usize = 6;

/// Renders a turn: its prompt, then what the agent said and did.
pub(super) fn markup(exchange: &Exchange, session: &SessionRow) -> Markup {
    let turn = &exchange.turn;
    html! {
        article class="turn" id={ "turn-" (turn.index) } {
            (heading(turn, session))
            @match exchange.origin {
                Origin::History => {}
                Origin::Index => p class="note" { "From the index: the history is gone or changed, outputs are not kept." }
                Origin::Forgotten => p class="note" { "Forgotten." }
            }
            @if !turn.prompt.trim().is_empty() { (prompt(turn)) }
            @for group in turn.parts.chunk_by(|a, b| is_call(a) && is_call(b)) {
                (parts(group))
            }
        }
    }
}

fn heading(turn: &Turn, session: &SessionRow) -> Markup {
    let other_branch = turn.branch.as_ref();
    let other_branch = other_branch.filter(|_| turn.branch != session.branch);
    html! {
        header {
            h2 {
                a href={ "#turn-" (turn.index) } {
                    (turn.index + 1) span class="of" { "/" (session.turns) }
                }
            }
            time datetime=[rfc3339(turn.started_ms)] { (minute(turn.started_ms)) }
            @if let Some(took) = duration(turn) { span { (took) } }
            @if let Some(branch) = other_branch { code { (SafeText(branch)) } }
            @for model in &turn.turn_stats.models { span class="model" { (SafeText(model)) } }
        }
    }
}

/// Formats how long a turn took, where it took a minute or more.
fn duration(turn: &Turn) -> Option<String> {
    let minutes = turn.ended_ms?.checked_sub(turn.started_ms?)? / 60_000;
    match (minutes / 60, minutes % 60) {
        (..0, _) | (0, ..1) => None,
        (0, minutes) => Some(format!("{minutes} min")),
        (hours @ ..48, minutes) => Some(format!("{hours} h {minutes} min")),
        (hours, _) => Some(format!("{} days", hours / 24)),
    }
}

/// Renders a prompt: as it was typed, or as Markdown where a model wrote it.
fn prompt(turn: &Turn) -> Markup {
    let who = match turn.kind {
        PromptKind::Model => "Agent",
        PromptKind::Command => "Command",
        _ => "You",
    };
    html! {
        section class="prompt" {
            h3 { (who) }
            @if turn.kind == PromptKind::Model {
                div class="prose" dir="auto" { (prose(&turn.prompt)) }
            } @else {
                (verbatim(&turn.prompt))
            }
        }
    }
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::Call(_))
}

/// Renders several calls, or one part that is none.
fn parts(group: &[Part]) -> Markup {
    let group_of_calls: Vec<&ToolCall> = group.iter().filter_map(call_of).collect();
    match group {
        [Part::Text { text }] => answer(text),
        [Part::Thinking { text }] => folded("Thinking", text),
        [Part::Summary { text }] => folded("Summary after compaction", text),
        [Part::Recap { text }] => aside("recap", "Recap", text),
        [Part::Notice { text }] => aside("notice", "Notice", text),
        [Part::Error { text }] => aside("error", "Error", text),
        _ => calls(&group_of_calls),
    }
}

fn call_of(part: &Part) -> Option<&ToolCall> {
    match part {
        Part::Call(call) => Some(call),
        _ => None,
    }
}

fn answer(text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            section class="answer prose" dir="auto" { (prose(text)) }
        }
    }
}

fn folded(name: &str, text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            details class="aside" {
                summary { span class="tool" { (name) } }
                div class="body prose" dir="auto" { (prose(text)) }
            }
        }
    }
}

fn folded_code(name: &str, text: &str) -> Markup {
    html! {
        details class="aside" {
            summary { span class="tool" { (name) } code class="subject" { (SafeText(first_line(text))) } }
            div class="body" { (code("output", None, text.trim_matches('\n'))) }
        }
    }
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Renders a remark of a line or two, or what stands in columns, folded.
fn aside(class: &str, name: &str, text: &str) -> Markup {
    if text.trim().lines().count() > MAX_REMARK_LINES {
        return folded_code(name, text);
    }
    html! {
        @if !text.trim().is_empty() {
            section class={ "remark " (class) } {
                h3 { (name) }
                p dir="auto" { (SafeText(text.trim())) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_markdown_where_a_model_wrote_it() {
        let rendered = |kind| {
            let prompt = "a **b**".into();
            self::prompt(&Turn {
                kind,
                prompt,
                ..Turn::default()
            })
            .into_string()
        };
        assert!(rendered(PromptKind::Model).contains("<p>a <strong>b</strong></p>"));
        for kind in [PromptKind::Typed, PromptKind::Command] {
            assert!(rendered(kind).contains(">a **b**<"), "{kind:?}");
        }
    }

    #[test]
    fn durations_are_told_from_a_minute_on() {
        let took = |ms: i64| {
            duration(&Turn {
                started_ms: Some(1000),
                ended_ms: Some(1000 + ms),
                ..Turn::default()
            })
        };
        assert_eq!(took(59_999), None);
        assert_eq!(took(-60_000), None);
        assert_eq!(took(60_000).as_deref(), Some("1 min"));
        assert_eq!(took(61 * 60_000).as_deref(), Some("1 h 1 min"));
        assert_eq!(took(49 * 3_600_000).as_deref(), Some("2 days"));
        let endless = Turn {
            started_ms: Some(i64::MIN),
            ended_ms: Some(1),
            ..Turn::default()
        };
        assert_eq!(duration(&endless), None);
    }
}
