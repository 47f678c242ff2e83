//! Tool calls of a page, folded.

use super::safe_text::SafeText;
use crate::call_view::{CallInput, CallView};
use crate::kept_text::TextLimit;
use maud::{Markup, html};
use session_core::ToolCall;
use session_core::diff::DiffLine;
use session_core::text::clip;
use session_display::safe_line;

/// Longest subject in the line that stays when a call is folded, in bytes.
const SUBJECT_BYTES: usize = 300;

/// Renders calls that follow one another.
pub(super) fn calls(calls: &[&ToolCall]) -> Markup {
    html! {
        div class="calls" {
            @for call in calls { (markup(&CallView::new(call))) }
        }
    }
}

fn markup(view: &CallView<'_>) -> Markup {
    let call = view.call;
    html! {
        details class="call" {
            summary { (summary(view)) }
            div class="body" {
                @if let Some(command) = &call.command { (code("command", None, command)) }
                @if call.files.len() > 1 {
                    ul class="files" {
                        @for file in &call.files { li { code { (SafeText(file)) } } }
                    }
                }
                @for input in &view.inputs { (self::input(input)) }
                @for edit in &view.edits { (diff(edit)) }
                @if let Some(subagent) = &call.subagent {
                    p class="input" { span { "subagent" } " " code { (SafeText(subagent)) } }
                }
                @if let Some(output) = call.output.as_deref().filter(|o| !o.trim().is_empty()) {
                    (code("output", Some("output"), output))
                }
            }
        }
    }
}

/// The line that stays when a call is folded.
fn summary(view: &CallView<'_>) -> Markup {
    let subject = view
        .subject
        .map(|subject| safe_line(clip(subject, SUBJECT_BYTES)));
    let count =
        |is: fn(&DiffLine<'_>) -> bool| view.edits.iter().flatten().filter(|l| is(l)).count();
    let added = count(|line| matches!(line, DiffLine::Added(_)));
    let removed = count(|line| matches!(line, DiffLine::Removed(_)));
    html! {
        span class="tool" { (SafeText(&safe_line(&view.call.name))) }
        @if let Some(subject) = subject { code class="subject" { (SafeText(&subject)) } }
        @if added > 0 { span class="added" { "+" (added) } }
        @if removed > 0 { span class="removed" { "−" (removed) } }
        @if let Some(words) = view.status.words() {
            span class=(if view.status.is_failed() { "failed" } else { "unfinished" }) { (words) }
        }
    }
}

fn input(input: &CallInput<'_>) -> Markup {
    html! {
        @if input.text.contains('\n') || input.text.len() > SUBJECT_BYTES {
            (code("value", Some(input.name), &input.text))
        } @else {
            p class="input" { span { (SafeText(input.name)) } " " code { (SafeText(&input.text)) } }
        }
    }
}

/// A block of code with its name above it, and below it how much of it was cut.
pub(super) fn code(class: &str, name: Option<&str>, text: &str) -> Markup {
    let kept = TextLimit::EXPORT.cut(text);
    html! {
        @if let Some(name) = name { p class="label" { (SafeText(name)) } }
        pre class=(class) tabindex="0" { code { (SafeText(kept.text)) } }
        @if let Some(cut) = kept.cut { p class="cut" { (cut) } }
    }
}

fn diff(lines: &[DiffLine<'_>]) -> Markup {
    let kept = kept_lines(lines);
    html! {
        pre class="diff" tabindex="0" {
            code { @for line in &lines[..kept] { (diff_line(line)) } }
        }
        @if kept < lines.len() {
            p class="cut" { "… " (lines.len() - kept) " more lines" }
        }
    }
}

fn diff_line(line: &DiffLine<'_>) -> Markup {
    let (class, mark, text) = match line {
        DiffLine::Context(text) => ("context", ' ', *text),
        DiffLine::Removed(text) => ("removed", '-', *text),
        DiffLine::Added(text) => ("added", '+', *text),
        DiffLine::Gap => ("gap", '⋮', ""),
    };
    html! { span class=(class) { (mark) (SafeText(text)) "\n" } }
}

/// How many lines of a diff are kept.
fn kept_lines(lines: &[DiffLine<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |line: &&DiffLine<'_>| {
        bytes += match line {
            DiffLine::Context(text) | DiffLine::Removed(text) | DiffLine::Added(text) => text.len(),
            DiffLine::Gap => 0,
        };
        bytes <= TextLimit::EXPORT.bytes
    };
    lines
        .iter()
        .take(TextLimit::EXPORT.lines)
        .take_while(fits)
        .count()
}
