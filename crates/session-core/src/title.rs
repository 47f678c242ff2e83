//! Titles of sessions that nobody named: what was typed first, without the template it was typed
//! into, else what was done.

mod address;

use self::address::{LeadingAddress, shorten_addresses};
use crate::content::TurnContent;
use crate::text::{self, clip, collapse_whitespace, file_name, is_unspaced};
use crate::turn_stats::FileAccess;
use std::collections::{BTreeMap, BTreeSet};

/// Longest title, in bytes.
const TITLE_BYTES: usize = 120;
/// Longest beginning of a prompt that is compared with others, in bytes: templates have pages.
const OPENING_BYTES: usize = 16 * 1024;
/// Characters that openings of one template share at least.
const SHARED_CHARS: usize = 40;
/// Fewest different openings with [`SHARED_CHARS`] in common that have a template. Two alone may be one
/// request that was typed again: they have to share a whole title.
const MIN_OPENINGS: usize = 3;
/// Most files that a title names.
const MAX_FILES: usize = 3;
/// Mark of omitted words.
const CUT: &str = "…";

/// Returns the title that a prompt gives to its session: its head, on one line. Web addresses beside other words are in
/// their short form.
pub fn prompt_title(prompt: &str) -> String {
    let prompt = prompt_subject(prompt);
    let head = clip(prompt, 4 * TITLE_BYTES);
    let line = collapse_whitespace(head);
    let line = match LeadingAddress::split(&line).task {
        "" => line,
        _ => shorten_addresses(&line),
    };
    if line.len() <= TITLE_BYTES && head.len() == prompt.len() {
        return line;
    }
    format!("{}{CUT}", shorten(&line))
}

/// Returns the title of a session without prompts: the files that were changed, else the first
/// command that ran, else the files that were read.
pub fn work_title<'a>(turns: impl Iterator<Item = &'a TurnContent> + Clone) -> Option<String> {
    let accessed = || turns.clone().flat_map(TurnContent::accessed_files);
    let named = |verb: &str, wanted: fn(FileAccess) -> bool| {
        let files = accessed().filter(|file| wanted(file.access));
        let names = join_names(files.map(|file| file_name(file.path)));
        names.map(|names| format!("{verb} {names}"))
    };
    let command = turns.clone().find_map(|turn| turn.commands.first());
    named("edited", |access| access != FileAccess::Read)
        .or_else(|| command.map(|command| prompt_title(&format!("ran {command}"))))
        .or_else(|| named("read", |access| access == FileAccess::Read))
}

/// Joins the first names, each once, and adds how many more there are.
fn join_names<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let more = all.len().saturating_sub(MAX_FILES);
    all.truncate(MAX_FILES);
    let names = clip(&all.join(", "), TITLE_BYTES).to_owned();
    match more {
        _ if names.is_empty() => None,
        0 => Some(names),
        more => Some(format!("{names}, +{more}")),
    }
}

/// The beginning of a prompt, on one line, as it is compared with others.
#[derive(Debug, Clone, Default)]
pub struct PromptOpening {
    /// The short form of the web addresses that the prompt begins with: these differ by page, and are no template.
    address: String,
    task: String,
}

impl PromptOpening {
    /// Reads the opening of a prompt.
    pub fn new(prompt: &str) -> Self {
        let line = collapse_whitespace(clip(prompt_subject(prompt), OPENING_BYTES));
        let leading = LeadingAddress::split(&line);
        Self {
            address: shorten_addresses(leading.address),
            task: shorten_addresses(leading.task),
        }
    }

    /// Returns the characters that openings of one template share at least, if there are so many.
    pub fn template_key(&self) -> Option<&str> {
        template_key(&self.task)
    }

    /// Returns the length of its texts, in bytes.
    pub fn bytes(&self) -> usize {
        self.address.len() + self.task.len()
    }

    /// Returns the title that is left when the template before `rest` is removed.
    fn remainder_title(&self, rest: &str) -> String {
        let line = match self.address.as_str() {
            "" => format!("{CUT} {rest}"),
            address => format!("{address} {CUT} {rest}"),
        };
        match line.len() <= TITLE_BYTES {
            true => line,
            false => format!("{}{CUT}", shorten(&line)),
        }
    }
}

/// Returns the title of each opening without its template; `None` where there is none, or nothing follows it.
pub fn template_titles(openings: &[PromptOpening]) -> Vec<Option<String>> {
    let tasks: Vec<&str> = openings.iter().map(|opening| &*opening.task).collect();
    let rests = openings.iter().zip(remove_templates(&tasks));
    rests
        .map(|(opening, rest)| rest.map(|rest| opening.remainder_title(rest)))
        .collect()
}

/// Returns the first characters of a text, if it has as many as a template.
fn template_key(text: &str) -> Option<&str> {
    let (end, _) = text.char_indices().nth(SHARED_CHARS)?;
    text.get(..end)
}

/// Returns each opening without its template, the beginning that several different openings share; `None` where there is
/// none, or nothing follows it.
///
/// A template within a template (a preamble, then one of several tasks) is removed, too. The time is
/// that of sorting the openings.
fn remove_templates<'a>(openings: &[&'a str]) -> Vec<Option<&'a str>> {
    let mut found = vec![None; openings.len()];
    let mut groups = group_by_key(openings.iter().copied().enumerate());
    while let Some(group) = groups.pop() {
        let end = template_bytes(group.iter().map(|(_, text)| *text));
        let rests = group.into_iter().filter_map(|(at, text)| {
            let rest = text.get(end?..)?.trim_start_matches(is_separator);
            rest.contains(char::is_alphanumeric).then_some((at, rest))
        });
        let rests: Vec<(usize, &str)> = rests.collect();
        for (at, rest) in &rests {
            if let Some(found) = found.get_mut(*at) {
                *found = Some(*rest);
            }
        }
        groups.extend(group_by_key(rests.into_iter()));
    }
    found
}

/// Groups numbered openings by their [`template_key`].
fn group_by_key<'a>(
    openings: impl Iterator<Item = (usize, &'a str)>,
) -> Vec<Vec<(usize, &'a str)>> {
    let mut groups: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, text) in openings {
        if let Some(key) = template_key(text) {
            groups.entry(key).or_default().push((at, text));
        }
    }
    groups.into_values().collect()
}

/// Returns the bytes of the template of openings that share their [`template_key`], if they have one.
fn template_bytes<'a>(openings: impl Iterator<Item = &'a str>) -> Option<usize> {
    let openings: BTreeSet<&str> = openings.collect();
    // Of sorted texts the first and the last share what all share.
    let shared = shared_bytes(openings.first()?, openings.last()?);
    let is_template =
        openings.len() >= MIN_OPENINGS || (openings.len() == 2 && shared > TITLE_BYTES);
    let start = |ends: fn(char) -> bool| {
        let starts = openings.iter().map(|text| word_start(text, shared, ends));
        starts.min().filter(|start| *start > 0)
    };
    // A long path that all begin with is cut after a folder.
    let start = start(char::is_whitespace).or_else(|| start(|c| c.is_whitespace() || c == '/'));
    start.filter(|_| is_template)
}

/// Counts the bytes of the longest common prefix of two texts.
fn shared_bytes(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// Returns `at`, or the beginning of the word that it is within; `ends` is true for a character that ends words.
fn word_start(text: &str, at: usize, ends: fn(char) -> bool) -> usize {
    let is_of_word = |c: char| !ends(c) && !is_unspaced(c);
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    match before.ends_with(is_of_word) && after.starts_with(|c: char| !c.is_whitespace()) {
        true => before.trim_end_matches(is_of_word).len(),
        false => at,
    }
}

/// Returns true for a character that may stand between a template and the text that fills it.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || ":;,.>|*–—".contains(c)
}

/// The line that Claude Code puts before an accepted plan, which begins a session.
const OF_A_PLAN: &str = "Implement the following plan:";

/// Returns a prompt without the line that Claude Code puts before an accepted plan.
pub fn strip_plan_line(prompt: &str) -> &str {
    let plan = prompt.trim_start().strip_prefix(OF_A_PLAN);
    plan.map_or(prompt, str::trim_start)
}

/// Returns the subject of a prompt: of a plan its heading.
fn prompt_subject(prompt: &str) -> &str {
    let plan = prompt.trim_start().strip_prefix(OF_A_PLAN);
    let heading = plan.and_then(|plan| plan.trim_start().lines().next());
    let words = heading.map(|line| line.trim_start_matches(['#', ' ']));
    let words = words.map(|line| line.strip_prefix("Plan:").unwrap_or(line).trim());
    words.filter(|words| !words.is_empty()).unwrap_or(prompt)
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
