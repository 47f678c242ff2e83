//! Templates of prompts: the text that different openings share at their beginning, and again behind the part that differs.

use super::TITLE_BYTES;
use crate::text::is_unspaced;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Characters that openings of one template share at least, unless their first line is shorter.
const SHARED_CHARS: usize = 40;
/// Fewest different openings with [`SHARED_CHARS`] in common that have a template. Two alone may be one
/// request that was typed again: they have to share a whole title.
const MIN_OPENINGS: usize = 3;

/// An opening on one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpeningLine<'a> {
    pub(super) text: &'a str,
    /// The bytes of its first line as it was typed, 0 where no other follows.
    pub(super) first_line: usize,
}

impl<'a> OpeningLine<'a> {
    /// Returns the key that openings of one template share: their first line, cut to [`SHARED_CHARS`]; `None` if the
    /// opening is too short.
    pub(super) fn template_key(self) -> Option<&'a str> {
        let key = template_key(self.text);
        let line = self.text.get(..self.first_line)?;
        let is_shorter = key.is_none_or(|key| line.len() < key.len());
        if is_shorter && line.contains(char::is_alphanumeric) {
            Some(line)
        } else {
            key
        }
    }
}

/// An opening in three parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TemplateSplit<'a> {
    /// The beginning of the template.
    pub(super) before: &'a str,
    /// The text that fills it.
    pub(super) rest: &'a str,
    /// The text that follows in several openings of the template.
    pub(super) after: &'a str,
}

/// Splits each opening that begins as several different ones do; `None` if there are none, or nothing follows.
///
/// A template within a template (a preamble, then one of several tasks) is removed, too. The time is
/// that of sorting the openings.
pub(super) fn split_templates<'a>(openings: &[OpeningLine<'a>]) -> Vec<Option<TemplateSplit<'a>>> {
    let mut found = vec![None; openings.len()];
    let keyed = openings.iter().enumerate();
    let keyed = keyed.filter_map(|(index, opening)| {
        let rest = OpeningRest {
            opening: index,
            text: opening.text,
        };
        Some((opening.template_key()?, rest))
    });
    let mut groups = group_by_key(keyed);
    while let Some((key, group)) = groups.pop_last() {
        let rests = rests_of_group(key, &group);
        for (member, end) in rests.iter().zip(rest_ends(&rests)) {
            if let (Some(found), Some(opening)) =
                (found.get_mut(member.opening), openings.get(member.opening))
            {
                *found = split_at_rest(opening.text, member.text, end);
            }
        }
        let keyed = rests
            .into_iter()
            .filter_map(|member| Some((template_key(member.text)?, member)));
        groups.append(&mut group_by_key(keyed));
    }
    found
}

/// The rest of an opening behind the templates that were removed so far.
#[derive(Debug, Clone, Copy)]
struct OpeningRest<'a> {
    /// Index of the opening.
    opening: usize,
    text: &'a str,
}

/// The rests that share a key.
type RestsByKey<'a> = BTreeMap<&'a str, Vec<OpeningRest<'a>>>;

fn group_by_key<'a>(keyed: impl Iterator<Item = (&'a str, OpeningRest<'a>)>) -> RestsByKey<'a> {
    let mut groups = RestsByKey::new();
    for (key, member) in keyed {
        groups.entry(key).or_default().push(member);
    }
    groups
}

/// Returns the first characters of a text, if it has as many as a template.
fn template_key(text: &str) -> Option<&str> {
    let (end, _) = text.char_indices().nth(SHARED_CHARS)?;
    text.get(..end)
}

/// Returns what follows the template of a group that shares a key.
fn rests_of_group<'a>(key: &str, group: &[OpeningRest<'a>]) -> Vec<OpeningRest<'a>> {
    let Some(end) = template_bytes(key, group) else {
        return Vec::new();
    };
    let rests = group.iter().filter_map(|member| {
        let text = member.text.get(end..)?.trim_start_matches(is_separator);
        let text = super::strip_heading_mark(text);
        text.contains(char::is_alphanumeric)
            .then_some(OpeningRest { text, ..*member })
    });
    rests.collect()
}

/// Returns the bytes of the template of openings that share a key, if they have one.
fn template_bytes(key: &str, group: &[OpeningRest<'_>]) -> Option<usize> {
    let openings: BTreeSet<&str> = group.iter().map(|member| member.text).collect();
    // Of sorted texts the first and the last share what all share.
    let shared = shared_bytes(openings.first()?, openings.last()?);
    let is_template =
        openings.len() >= MIN_OPENINGS || (openings.len() == 2 && shared > TITLE_BYTES);
    let is_line = key.chars().count() < SHARED_CHARS;
    if is_line && shared < key.len() + SHARED_CHARS {
        // A first line, which is whole, and perhaps a word that follows it by chance.
        return is_template.then_some(key.len());
    }
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
    if before.ends_with(is_of_word) && after.starts_with(|c: char| !c.is_whitespace()) {
        before.trim_end_matches(is_of_word).len()
    } else {
        at
    }
}

/// Returns where each rest ends: before the first words that several different ones have in the room of a title.
fn rest_ends(rests: &[OpeningRest<'_>]) -> Vec<usize> {
    let different: BTreeSet<&str> = rests.iter().map(|member| member.text).collect();
    let mut holders: HashMap<&str, usize> = HashMap::new();
    for text in different {
        let keys: BTreeSet<&str> = later_keys(text).map(|(_, key)| key).collect();
        for key in keys {
            *holders.entry(key).or_default() += 1;
        }
    }
    let is_shared = |key: &str| holders.get(key).is_some_and(|count| *count >= MIN_OPENINGS);
    let end = |member: &OpeningRest<'_>| {
        let shared = later_keys(member.text).find(|(_, key)| is_shared(key));
        shared.map_or(member.text.len(), |(at, _)| at)
    };
    rests.iter().map(end).collect()
}

/// Returns the [`template_key`] from each word but the first on, with its byte offset.
fn later_keys(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.match_indices(' ').map(|(at, space)| at + space.len());
    let words = words.take_while(|at| *at < TITLE_BYTES);
    words.filter_map(|at| Some((at, template_key(text.get(at..)?)?)))
}

/// Splits an opening before the text that it ends with, and at an end in that.
fn split_at_rest<'a>(opening: &'a str, last: &'a str, end: usize) -> Option<TemplateSplit<'a>> {
    let before = opening.strip_suffix(last)?;
    let (rest, after) = last.split_at_checked(end)?;
    let trimmed = rest.trim_end_matches(is_separator);
    let rest = if after.is_empty() { rest } else { trimmed };
    Some(TemplateSplit {
        before,
        rest,
        after,
    })
}

/// Returns true for a character that may stand between a template and the text that fills it.
fn is_separator(c: char) -> bool {
    c.is_whitespace() || ":;,.>|*–—".contains(c)
}
