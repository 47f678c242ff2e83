//! Tool calls of a page, folded.

use super::safe_text::SafeText;
use crate::call_view::{CallInput, CallView};
use crate::kept_text::TextLimit;
use maud::{Markup, html};
use session_core::ToolCall;
use session_core::diff::DiffLine;
use session_core::text::clip;
use session_display::{pluralize, sanitize_line};

/// Longest subject in the line that stays when a call is folded, in bytes.
const SUBJECT_BYTES: usize = 300;

/// Renders calls that follow one another.
pub(super) fn render_calls(calls: &[&ToolCall]) -> Markup {
    html! {
        div class="calls" {
            @for call in calls { (render_call(&CallView::new(call))) }
        }
    }
}

fn render_call(view: &CallView<'_>) -> Markup {
    let call = view.call;
    html! {
        details class="call" {
            summary { (render_summary(view)) }
            div class="body" {
                @if let Some(command) = &call.command { (render_code("command", None, command)) }
                @if call.files.len() > 1 {
                    ul class="files" {
                        @for file in &call.files { li { code { (SafeText(file)) } } }
                    }
                }
                @for input in &view.inputs { (render_input(input)) }
                @for edit in &view.edits { (render_diff(edit)) }
                @if let Some(subagent) = &call.subagent {
                    p class="input" { span { "subagent" } " " code { (SafeText(subagent)) } }
                }
                @if let Some(output) = view.output.as_deref().filter(|o| !o.trim().is_empty()) {
                    (render_code("output", Some("output"), output))
                }
            }
        }
    }
}

/// Renders the line that stays when a call is folded.
fn render_summary(view: &CallView<'_>) -> Markup {
    let subject = view
        .subject
        .map(|subject| sanitize_line(clip(subject, SUBJECT_BYTES)));
    let count =
        |is: fn(&DiffLine<'_>) -> bool| view.edits.iter().flatten().filter(|l| is(l)).count();
    let added = count(|line| matches!(line, DiffLine::Added(_)));
    let removed = count(|line| matches!(line, DiffLine::Removed(_)));
    html! {
        span class="tool" { (SafeText(&sanitize_line(&view.call.name))) }
        @if let Some(subject) = subject { code class="subject" { (SafeText(&subject)) } }
        @if added > 0 { span class="added" { "+" (added) } }
        @if removed > 0 { span class="removed" { "−" (removed) } }
        @if let Some(words) = view.status.label() {
            span class=(if view.status.is_failed() { "failed" } else { "unfinished" }) { (words) }
        }
    }
}

fn render_input(input: &CallInput<'_>) -> Markup {
    html! {
        @if input.text.contains('\n') || input.text.len() > SUBJECT_BYTES {
            (render_code("value", Some(input.name), &input.text))
        } @else {
            p class="input" { span { (SafeText(input.name)) } " " code { (SafeText(&input.text)) } }
        }
    }
}

/// Renders a block of code with its name above it, and below it how much of it was cut.
pub(super) fn render_code(class: &str, name: Option<&str>, text: &str) -> Markup {
    let kept = TextLimit::EXPORT.cut_text(text);
    html! {
        @if let Some(name) = name { p class="label" { (SafeText(name)) } }
        pre class=(class) tabindex="0" { code { (SafeText(kept.text)) } }
        @if let Some(cut) = kept.cut { p class="cut" { (cut) } }
    }
}

fn render_diff(lines: &[DiffLine<'_>]) -> Markup {
    let kept = count_kept_lines(lines);
    html! {
        pre class="diff" tabindex="0" {
            code { @for line in &lines[..kept] { (render_diff_line(line)) } }
        }
        @if kept < lines.len() {
            p class="cut" { "… " (pluralize(lines.len() - kept, "more line")) }
        }
    }
}

fn render_diff_line(line: &DiffLine<'_>) -> Markup {
    let class = match line {
        DiffLine::Context(_) => "context",
        DiffLine::Removed(_) => "removed",
        DiffLine::Added(_) => "added",
        DiffLine::Gap => "gap",
    };
    html! {
        span class=(class) {
            @if let Some(text) = line.text() { (line.mark()) (SafeText(text)) } @else { "⋮" }
            "\n"
        }
    }
}

/// Counts the lines of a diff that are kept.
fn count_kept_lines(lines: &[DiffLine<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |line: &&DiffLine<'_>| {
        bytes += line.text().map_or(0, str::len);
        bytes <= TextLimit::EXPORT.bytes
    };
    lines
        .iter()
        .take(TextLimit::EXPORT.lines)
        .take_while(fits)
        .count()
}
