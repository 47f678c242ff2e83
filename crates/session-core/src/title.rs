//! Titles of sessions that nobody named. A title is the first prompt without the template that it was
//! typed into. If nothing is left of the prompt, it is what was done.

mod address;
mod change_subject;
mod template;

use self::address::{LeadingAddress, shorten_addresses};
use self::template::{OpeningLine, TemplateSplit, split_templates};
use crate::content::TurnContent;
use crate::paste::strip_image_marks;
use crate::prompt_content;
use crate::session::FileAccess;
use crate::text::{self, clip, collapse_whitespace, file_name};
use std::collections::HashSet;

/// Longest title, in bytes.
const TITLE_BYTES: usize = 120;
/// Longest beginning of a prompt that is compared with others, in bytes: templates have pages.
const OPENING_BYTES: usize = 16 * 1024;
/// Most files that a title names.
const MAX_FILES: usize = 3;
/// Mark of omitted words.
const CUT: &str = "…";

/// Returns the title that a prompt gives to its session: its head, on one line. Web addresses beside other words are in
/// their short form.
pub fn prompt_title(prompt: &str) -> String {
    let prompt = prompt_subject(prompt);
    let head = clip(prompt, 4 * TITLE_BYTES);
    let line = collapse_whitespace(strip_heading_mark(head.trim_start()));
    let line = match LeadingAddress::split(&line).task {
        "" => line,
        _ => shorten_addresses(&line),
    };
    if line.len() <= TITLE_BYTES && head.len() == prompt.len() {
        return line;
    }
    format!("{}{CUT}", shorten(&line))
}

/// Returns the title of the pull request that a session opened, else the subject of its commit.
pub fn change_title<'a>(turns: impl Iterator<Item = &'a TurnContent>) -> Option<String> {
    change_subject::find_change_subject(turns).map(|subject| prompt_title(&subject))
}

/// Returns the title of a session without prompts: that of the [change](change_title) which it made, else the files
/// that were changed, else the first command that ran, else the files that were read.
pub fn work_title<'a>(turns: impl Iterator<Item = &'a TurnContent> + Clone) -> Option<String> {
    let accessed = || turns.clone().flat_map(TurnContent::accessed_files);
    let named = |verb: &str, wanted: fn(FileAccess) -> bool| {
        let files = accessed().filter(|file| wanted(file.access));
        let names = join_names(files.map(|file| file_name(file.path)));
        names.map(|names| format!("{verb} {names}"))
    };
    let command = turns.clone().find_map(|turn| turn.commands.first());
    change_title(turns.clone())
        .or_else(|| named("edited", |access| access != FileAccess::Read))
        .or_else(|| command.map(|command| prompt_title(&format!("ran {command}"))))
        .or_else(|| named("read", |access| access == FileAccess::Read))
}

/// Joins the first names, each once, and adds how many more there are.
fn join_names<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut seen = HashSet::new();
    let mut names = names.filter(|name| !name.is_empty() && seen.insert(*name));
    let first: Vec<&str> = names.by_ref().take(MAX_FILES).collect();
    let more = names.count();
    let names = clip(&first.join(", "), TITLE_BYTES).to_owned();
    match more {
        _ if names.is_empty() => None,
        0 => Some(names),
        more => Some(format!("{names} and {more} more")),
    }
}

/// The beginning of a prompt, on one line, as it is compared with others.
#[derive(Debug, Clone, Default)]
pub struct PromptOpening {
    /// The short form of the web addresses that the prompt begins with: these differ by page, and are no template.
    address: String,
    task: String,
    /// The bytes of the first line of the task, 0 where no other follows or an address is before it.
    first_line: usize,
}

impl PromptOpening {
    /// Reads the opening of a prompt.
    pub fn new(prompt: &str) -> Self {
        let head = clip(prompt_subject(prompt), OPENING_BYTES).trim_start();
        let line = collapse_whitespace(head);
        let leading = LeadingAddress::split(&line);
        let task = shorten_addresses(leading.task);
        let first_line = head.lines().next().unwrap_or_default();
        let first_line = shorten_addresses(&collapse_whitespace(first_line)).len();
        let has_more = leading.address.is_empty() && first_line < task.len();
        Self {
            address: shorten_addresses(leading.address),
            first_line: if has_more { first_line } else { 0 },
            task,
        }
    }

    fn line(&self) -> OpeningLine<'_> {
        OpeningLine {
            text: &self.task,
            first_line: self.first_line,
        }
    }

    /// Returns the key that openings of one template share; `None` if the opening is too short.
    pub fn template_key(&self) -> Option<&str> {
        self.line().template_key()
    }

    /// Returns the length of its texts, in bytes.
    pub fn bytes(&self) -> usize {
        self.address.len() + self.task.len()
    }

    /// Returns the title that is left when the template is removed.
    fn remainder_title(&self, split: TemplateSplit<'_>) -> String {
        let rest = split.rest;
        let line = match self.address.as_str() {
            "" => format!("{CUT} {rest}"),
            address => format!("{address} {CUT} {rest}"),
        };
        if line.len() <= TITLE_BYTES && split.after.is_empty() {
            line
        } else {
            format!("{}{CUT}", shorten(&line))
        }
    }
}

/// The title of a prompt without its template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateTitle<'a> {
    /// The title: what fills the template.
    pub title: String,
    template: [&'a str; 2],
}

/// Words for the form of a text.
const FORMS: [&str; 8] = [
    "checklist",
    "guide",
    "guideline",
    "guidelines",
    "instructions",
    "overview",
    "rules",
    "workflow",
];
/// Characters by which forms of a word are one: `executing`, `execution`.
const STEM_CHARS: usize = 5;

impl TemplateTitle<'_> {
    /// Returns true for a title with no words of the prompt but those of its template.
    pub fn is_of_template(&self, given: &str) -> bool {
        let template = self.template.map(str::to_lowercase);
        let words = prompt_content::content_words(given).map(prompt_content::plain_word);
        let mut words = words.filter(|word| !FORMS.contains(&word.as_str()));
        words.all(|word| template.iter().any(|text| has_word(text, &word)))
    }
}

/// Returns true for a text with a form of a word; a number has none.
fn has_word(text: &str, word: &str) -> bool {
    let stem = word.char_indices().nth(STEM_CHARS);
    let stem = stem.and_then(|(end, _)| word.get(..end));
    let has_digits = word.contains(|c: char| c.is_ascii_digit());
    let stem = stem.filter(|_| !has_digits).unwrap_or(word);
    let mut found = text.match_indices(stem);
    found.any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        !before.ends_with(char::is_alphanumeric)
    })
}

/// Returns the title of each opening without its template; `None` if there is none, or nothing fills it.
pub fn template_titles(openings: &[PromptOpening]) -> Vec<Option<TemplateTitle<'_>>> {
    let lines: Vec<OpeningLine<'_>> = openings.iter().map(PromptOpening::line).collect();
    let splits = openings.iter().zip(split_templates(&lines));
    let titles = splits.map(|(opening, split)| {
        split.map(|split| TemplateTitle {
            title: opening.remainder_title(split),
            template: [split.before, split.after],
        })
    });
    titles.collect()
}

/// The line that Claude Code puts before an accepted plan, which begins a session.
const PLAN_LINE: &str = "Implement the following plan:";

/// Returns a prompt without the line that Claude Code puts before an accepted plan.
pub fn strip_plan_line(prompt: &str) -> &str {
    let plan = prompt.trim_start().strip_prefix(PLAN_LINE);
    plan.map_or(prompt, str::trim_start)
}

/// Returns the subject of a prompt: what stands behind images, and of a plan its heading.
fn prompt_subject(prompt: &str) -> &str {
    let typed = strip_image_marks(prompt).trim_start();
    let prompt = if typed.is_empty() { prompt } else { typed };
    let plan = prompt.strip_prefix(PLAN_LINE);
    let heading = plan.and_then(|plan| plan.trim_start().lines().next());
    let words = heading.map(strip_heading_mark);
    let words = words.map(|line| line.strip_prefix("Plan:").unwrap_or(line).trim());
    words.filter(|words| !words.is_empty()).unwrap_or(prompt)
}

/// Returns a text without the mark of a Markdown heading before it.
fn strip_heading_mark(text: &str) -> &str {
    let heading = text.trim_start_matches('#');
    if heading.is_empty() || heading.starts_with(' ') {
        heading.trim_start()
    } else {
        text
    }
}

/// Cuts a line after a word, with room for a mark in [`TITLE_BYTES`].
fn shorten(line: &str) -> &str {
    let whole = clip(line, TITLE_BYTES - CUT.len());
    let rest = line.get(whole.len()..).unwrap_or_default();
    let within_word = !rest.is_empty() && !rest.starts_with(' ');
    // What is written without spaces is cut where it must be.
    let space = whole.rfind(' ').filter(|at| *at > TITLE_BYTES / 2);
    let end = space.filter(|_| within_word).unwrap_or(whole.len());
    text::clip(whole, end).trim_end()
}

#[cfg(test)]
mod tests;
