//! Small, pure text functions that every crate agrees on.

use crate::shell;
use std::collections::HashSet;
use unicode_normalization::char::is_combining_mark;

mod char_filter;
mod compose;
mod head_run;
mod markdown;
mod run_memo;
mod sanitize_text;

pub use char_filter::{
    FilteredChar, FilteredChars, filter_chars, filtered_chars, fold_word, folded_chars,
};
pub use compose::{compose, normalize_searchable};
pub use head_run::{HeadRun, is_separator};
pub use markdown::{code_span_end, escape_markdown};
pub use run_memo::RunMemo;
pub use sanitize_text::sanitize_text;

/// Cuts `text` to at most `limit` bytes at a character boundary.
pub fn clip(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Longest part of a word that a cut takes back, in bytes.
const WORD_BYTES: usize = 512;

/// Cuts `text` to at most `limit` bytes behind a word: a part of a key or password would no longer be
/// known as one. A word that is longer than 512 bytes is cut within.
pub fn clip_words(text: &str, limit: usize) -> &str {
    let cut = clip(text, limit);
    if cut.len() == text.len() || text[cut.len()..].starts_with(char::is_whitespace) {
        return cut;
    }
    let end = cut
        .rfind(char::is_whitespace)
        .filter(|end| cut.len() - end <= WORD_BYTES);
    end.map_or(cut, |end| &cut[..end])
}

/// Joins all runs of white space to one space: a text on one line.
pub fn collapse_whitespace(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns the last component of a path, whichever system wrote it.
pub fn file_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the addresses of pull requests and merge requests in a text, each once.
pub fn find_pull_requests(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for kind in ["/pull/", "/merge_requests/", "/pull-requests/"] {
        for (at, _) in text.match_indices(kind) {
            let address = pull_request_address(text, at, kind.len());
            found.extend(address.filter(|address| seen.insert(*address)));
        }
    }
    found
}

/// Longest address of a repository, in bytes: a text of one long word is not read from its beginning for each
/// `/pull/` in it.
const REPOSITORY_BYTES: usize = 1024;

/// Returns the address that goes over `at`, up to the number `after` bytes on.
fn pull_request_address(text: &str, at: usize, after: usize) -> Option<&str> {
    let number = text.get(at + after..)?.bytes();
    let digits = number.take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let repository = repository_address(text.get(..at)?)?;
    let address = text.get(at - repository.len()..at + after + digits)?;
    (!is_example(repository)).then_some(address)
}

/// Returns the address that a text ends with.
fn repository_address(text: &str) -> Option<&str> {
    let near = text.bytes().rev().take(REPOSITORY_BYTES);
    let length = near.take_while(|byte| is_address_byte(*byte)).count();
    let word = text.get(text.len() - length..)?;
    word.get(word.rfind("https://")?..)
}

fn is_address_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":/._-~%".contains(&byte)
}

/// Ends of addresses of repositories that stand for any.
const EXAMPLES: [&str; 4] = ["/owner/repo", "/org/repo", "/user/repo", "/username/repo"];

fn is_example(repository: &str) -> bool {
    let ends_with = |end: &str| {
        let start = repository.len().checked_sub(end.len());
        let tail = start.and_then(|start| repository.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    EXAMPLES.iter().any(|end| ends_with(end))
}

/// Returns true when a command opens a pull request, whose address is in its output.
pub fn opens_pull_request(command: &str) -> bool {
    // Most commands do not name one at all.
    let names_one = command.contains("pr ") || command.contains("mr ");
    names_one
        && shell::split_simple_commands(command)
            .iter()
            .any(|simple| opens_in_simple_command(simple))
}

/// Programs that open pull requests, also with options before `pr create`.
const FORGES: [&str; 4] = ["gh", "glab", "tea", "az"];

/// Returns true for a simple command such as `gh pr create`, and one with such a command in its quotes:
/// `url="$(gh pr create)"`.
fn opens_in_simple_command(simple: &str) -> bool {
    let words: Vec<&str> = shell::words_from_program(simple).collect();
    let is_opening = |pair: &[&str]| matches!(pair, ["pr" | "mr", "create" | "new"]);
    let at = words.windows(2).position(is_opening);
    let is_forge = |word: &&str| FORGES.contains(&file_name(word).trim_end_matches(".exe"));
    let opens_one = at.is_some_and(|at| at == 1 || words.first().is_some_and(is_forge));
    let within = || {
        simple
            .split("$(")
            .skip(1)
            .any(|inner| opens_in_simple_command(&inner.replace('_', " ")))
    };
    opens_one && !words.contains(&"--dry-run") || within()
}

/// Returns true for a tool that opens a pull request, whose address is in its result:
/// `mcp__github__create_pull_request`.
pub fn is_pull_request_tool(tool: &str) -> bool {
    let letters = tool.chars().filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    name.ends_with("createpullrequest") || name.ends_with("createmergerequest")
}

/// Returns the character bigrams of scripts that are written without spaces, each once: what is left
/// of a phrase whose words are inflected or in another order. Marks count as nothing, as they do in the word index.
pub fn character_bigrams(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().filter(|c| !is_combining_mark(*c)).collect();
    let pairs = chars.windows(2);
    let unspaced = pairs.filter(|pair| pair.iter().all(|c| is_unspaced(*c)));
    let mut seen = HashSet::new();
    let new = unspaced.filter(|pair| seen.insert(*pair));
    new.map(|pair| pair.iter().collect()).collect()
}

/// Returns the parts of all words in camel case in some texts, each once, with spaces between them:
/// `parseRetryHeader` has `parse`, `Retry` and `Header`. Words that `_`, `.`, `-` or `/` join need none:
/// they are words of the index.
pub fn camel_case_parts<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for text in texts {
        for part in camel_case_words(text).flat_map(split_camel_case) {
            if part.len() > 1 && seen.insert(part) {
                parts.push(part);
            }
        }
    }
    parts.join(" ")
}

/// Returns the words in camel case.
fn camel_case_words(text: &str) -> impl Iterator<Item = &str> {
    let runs = runs_with_inner_capital(text);
    let words = runs.flat_map(|run| run.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| is_camel_case(word))
}

/// Returns the runs between separators in which a capital follows an ASCII
/// letter. Nearly all texts have few.
fn runs_with_inner_capital(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + find_inner_capital(bytes.get(from..)?)?;
        let before = bytes[from..at].iter().rposition(is_separator);
        let start = before.map_or(from, |before| from + before + 1);
        let after = bytes[at..].iter().position(is_separator);
        from = after.map_or(bytes.len(), |after| at + after);
        text.get(start..from)
    })
}

/// Returns the offset of the first capital that follows an ASCII letter.
fn find_inner_capital(bytes: &[u8]) -> Option<usize> {
    let is_inner =
        |before: &u8, byte: &u8| before.is_ascii_alphabetic() & byte.is_ascii_uppercase();
    let followers = bytes.get(1..)?;
    let mut chunks = bytes.chunks(CHUNK_BYTES).zip(followers.chunks(CHUNK_BYTES));
    // All bytes of a chunk, so that they are looked at together.
    let has_inner = |(before, after): (&[u8], &[u8])| {
        let pairs = before.iter().zip(after);
        pairs.fold(false, |found, (before, byte)| {
            found | is_inner(before, byte)
        })
    };
    let chunk = CHUNK_BYTES * chunks.position(has_inner)?;
    let mut pairs = bytes[chunk..].iter().zip(&followers[chunk..]);
    Some(chunk + 1 + pairs.position(|(before, byte)| is_inner(before, byte))?)
}

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 32;

fn is_camel_case(word: &str) -> bool {
    let is_small = u8::is_ascii_lowercase;
    let is_capital = u8::is_ascii_uppercase;
    let bytes = word.as_bytes();
    let has_begin = || {
        bytes
            .windows(2)
            .any(|pair| is_small(&pair[0]) && is_capital(&pair[1]))
    };
    let has_end = || {
        let ends =
            |three: &[u8]| is_capital(&three[0]) && is_capital(&three[1]) && is_small(&three[2]);
        bytes.windows(3).any(ends)
    };
    word.is_ascii() && word.len() <= CAMEL_CASE_BYTES && (has_begin() || has_end())
}

/// Longest word that is split: base64 looks like camel case, too.
const CAMEL_CASE_BYTES: usize = 64;

/// Returns the words of a name in camel case, with spaces between them: the same name in snake case has them one after
/// the other. `None` for other names.
pub fn split_camel_case_name(name: &str) -> Option<String> {
    let is_name = is_camel_case(name) && name.chars().all(char::is_alphanumeric);
    is_name.then(|| split_camel_case(name).join(" "))
}

/// Returns the words that `_` or `-` join without these, as the same name is written in camel case; `None` where one of
/// them does not begin with a letter.
pub fn join_name_parts(name: &str) -> Option<String> {
    let parts = || name.split(['_', '-']);
    let is_word = |part: &str| {
        part.starts_with(char::is_alphabetic) && part.chars().all(char::is_alphanumeric)
    };
    (parts().count() > 1 && parts().all(is_word)).then(|| parts().collect())
}

/// Splits a word before each capital that follows a small letter or stands before one.
fn split_camel_case(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let begins = |at: usize| {
        let is = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
        is(at, u8::is_ascii_uppercase)
            && (is(at - 1, u8::is_ascii_lowercase) || is(at + 1, u8::is_ascii_lowercase))
    };
    let cuts: Vec<usize> = (1..word.len()).filter(|at| begins(*at)).collect();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([word.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| &word[start..end])
        .collect()
}

/// Returns true for a mark of a sentence that is of no Latin script, which no space follows: `useMemo、useEffect`.
pub fn is_foreign_mark(c: char) -> bool {
    "，。、；：！？（）「」『』【】《》،؛؟".contains(c)
}

/// Returns true for a character of a script without spaces, or of Korean: Han, Hiragana, Katakana, Bopomofo, Hangul, Thai, Lao, Khmer, Myanmar.
pub fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3041..=0x30FF
        | 0x3105..=0x312F | 0xAC00..=0xD7A3 | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn camel_case_is_found_wherever_it_stands(text in "([a-zA-Z0-9é_. -]{0,9}|[a-z ]{20,40}){0,12}") {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let expected: Vec<&str> = words.filter(|word| is_camel_case(word)).collect();
            prop_assert_eq!(camel_case_words(&text).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn pull_requests_are_found_by_their_addresses() {
        let text = "Opened https://github.com/ann/app/pull/12.\n(https://gitlab.com/a/b/-/merge_requests/3) \
                    https://github.com/ann/app/pull/12/files, https://github.com/ann/app/pull/new/main, see /pull/9";
        assert_eq!(
            find_pull_requests(text),
            [
                "https://github.com/ann/app/pull/12",
                "https://gitlab.com/a/b/-/merge_requests/3"
            ]
        );
        assert_eq!(find_pull_requests("https://a.b/ c/pull/1"), [""; 0]);
        let example = "as in https://github.com/OWNER/repo/pull/123";
        assert_eq!(find_pull_requests(example), [""; 0]);
        let far = format!("https://a.b/{}/pull/1", "c".repeat(REPOSITORY_BYTES));
        assert_eq!(find_pull_requests(&far), [""; 0]);
    }

    /// Without a limit that the test measures: where each match costs the text before it, this takes minutes.
    #[test]
    fn the_search_for_pull_requests_reads_little_before_each() {
        let words = "x/pull/1 ".repeat(200_000);
        assert_eq!(find_pull_requests(&words), [""; 0]);
        let address = |number| format!("https://a.b/c/pull/{number}");
        let addresses: Vec<String> = (0..20_000).map(address).collect();
        assert_eq!(find_pull_requests(&addresses.join(" ")), addresses);
    }

    #[test]
    fn each_pair_of_characters_is_returned_once_in_order() {
        let characters = || (0..20_000).filter_map(|n| char::from_u32(0x4E00 + n));
        let text: String = characters().chain(characters()).collect();
        let pairs = character_bigrams(&text);
        let expected: Vec<char> = characters().take(3).collect();
        assert_eq!(pairs.len(), 20_000);
        assert_eq!(pairs[1], expected[1..].iter().collect::<String>());
    }

    #[test]
    fn a_command_or_a_tool_opens_a_pull_request() {
        for command in [
            "cd app && gh pr create --fill",
            "GH_TOKEN=x gh -R ann/app pr new --title 'a b'",
            "url=$(glab mr create --fill)",
            "url=\"$(gh pr create --fill)\"",
            "gh pr create --dry-run; gh pr create --body \"$(cat <<'E'\nUse --dry-run.\nE\n)\"",
        ] {
            assert!(opens_pull_request(command), "{command}");
        }
        for command in [
            "gh pr create --dry-run",
            "gh pr view 31",
            "git commit -m 'Use gh pr create' && curl x",
            "git commit -m \"$(cat <<'E'\nUse gh pr create\nE\n)\"",
            "echo gh pr create",
            "gh pr list # then gh pr create",
        ] {
            assert!(!opens_pull_request(command), "{command}");
        }
        assert!(is_pull_request_tool("mcp__github__create_pull_request"));
        assert!(is_pull_request_tool("gitlab_createMergeRequest"));
        assert!(!is_pull_request_tool(
            "mcp__github__create_pull_request_review"
        ));
    }

    #[test]
    fn han_is_found_by_parts() {
        assert_eq!(character_bigrams("超时了 ab超时"), ["超时", "时了"]);
        assert_eq!(character_bigrams("กินน้ำ"), ["กน", "นน", "นำ"]);
        assert_eq!(file_name("C:\\a\\b.rs"), "b.rs");
        assert_eq!(clip("añb", 2), "a");
    }
}
