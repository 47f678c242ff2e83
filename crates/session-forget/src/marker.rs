//! The marker by which a prompt keeps its session out of the index.

use regex::Regex;
use session_core::title::strip_plan_line;
use session_core::{CodeFences, FencedLine, PromptKind, Turn};
use std::ops::Range;
use std::sync::LazyLock;

/// A prompt that begins or ends with this, or has it on a line of its own, keeps its session out of the index.
pub const MARKER: &str = "<!-- session-search: off -->";

/// [`MARKER`], with any white space within: an editor or a terminal breaks lines.
static MARKER_PATTERN: LazyLock<Regex> =
    LazyLock::new(|| compile(r"<!--\s*session-search:\s*off\s*-->"));

/// A text that holds no word: white space, characters that are not seen, quotes, the end of a sentence, and the marks of images,
/// files and pastes, which clients put before or behind what is typed.
static WORDLESS: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"\A(?:[\s\u{200b}-\u{200d}\u{2060}\u{feff}",
        r#""'“”„‘’«».…!)\]]"#,
        r"|\[(?:Image|PDF|Pasted text|\.\.\.Truncated text|📷)[^\]\n]*\])*\z"
    ))
});

/// The text of a skill and files that pi puts before the typed words. Their texts hold anything, so the last end counts.
static TEXTS_BEFORE: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?s)\A\s*(?:<skill[ >].*</skill>|<file name=[^\n>]*>.*</file>)"));

/// The texts of files that editors put into a prompt by the Agent Client Protocol, and of what is selected in one.
static TEXTS_WITHIN: LazyLock<Regex> = LazyLock::new(|| {
    compile(concat!(
        r"(?s)<context ref=[^\n>]*>.*?</context>|<ide_selection>.*?</ide_selection>",
        r"|\n--- Content from referenced (?:context|files) ---.*\z"
    ))
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of this file")
}

/// Where a typed prompt has [`MARKER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkerPosition {
    /// First or last of what was typed, or on a line of its own: it asks to leave the session out.
    Counting,
    /// Within a line or in a block of code, where it may be quoted.
    Elsewhere,
}

/// Finds [`MARKER`] in what was typed of a turn's prompt. Pages that were pasted, plans of a model and files of a repository
/// hold it, too, and are not typed.
pub fn find_marker(turn: &Turn) -> Option<MarkerPosition> {
    let is_typed = matches!(turn.kind, PromptKind::Typed | PromptKind::Command);
    let typed = turn.typed_prompt();
    if !is_typed || !MARKER_PATTERN.is_match(typed) {
        return None;
    }
    let typed = TEXTS_BEFORE.replace(typed, "");
    let typed = TEXTS_WITHIN.replace_all(&typed, "\n");
    if strip_plan_line(&typed) != typed {
        return None;
    }
    let code = find_code_blocks(&typed);
    let mut markers = MARKER_PATTERN.find_iter(&typed).map(|found| found.range());
    let counts = |marker: Range<usize>| {
        !code.iter().any(|block| block.contains(&marker.start)) && stands_alone(&typed, &marker)
    };
    let first = markers.next()?;
    Some(match counts(first) || markers.any(counts) {
        true => MarkerPosition::Counting,
        false => MarkerPosition::Elsewhere,
    })
}

/// Returns true if no word stands before a range of a text, none behind it, or none in its lines.
fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let line_before = before.rsplit('\n').next().unwrap_or_default();
    let line_behind = behind.split('\n').next().unwrap_or_default();
    let has_line = WORDLESS.is_match(line_before) && WORDLESS.is_match(line_behind);
    has_line || WORDLESS.is_match(before) || WORDLESS.is_match(behind)
}

/// Finds the blocks of code of a text, fences included. A fence that never closes is text: it may be a paste that was cut off.
fn find_code_blocks(text: &str) -> Vec<Range<usize>> {
    let mut fences = CodeFences::default();
    let (mut blocks, mut opened, mut end) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        match (fences.classify(line), opened) {
            (FencedLine::Fence, Some(begin)) => {
                blocks.push(begin..end);
                opened = None;
            }
            // The quote ended in which the code stood.
            (FencedLine::Text, Some(begin)) => {
                blocks.push(begin..start);
                opened = None;
            }
            (FencedLine::Fence | FencedLine::Code, None) => opened = Some(start),
            (FencedLine::Text, None) | (FencedLine::Code, Some(_)) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    use MarkerPosition::{Counting, Elsewhere};

    fn turn(kind: PromptKind, prompt: &str) -> Turn {
        Turn {
            kind,
            prompt: prompt.to_owned(),
            ..Turn::default()
        }
    }

    fn find_typed(prompt: &str) -> Option<MarkerPosition> {
        find_marker(&turn(PromptKind::Typed, prompt))
    }

    #[test]
    fn a_prompt_that_begins_or_ends_with_the_marker_has_it() {
        for prompt in [
            MARKER,
            "fix it <!-- session-search: off -->",
            "fix it\n\n<!-- session-search: off -->\n",
            "<!-- session-search: off -->\nfix it",
            "<!-- session-search: off --> fix it",
            "private <!-- session-search: off\n-->",
            "<!--\n  session-search:\n  off -->",
            "<!--session-search:off-->",
            "fix it <!-- session-search: off -->.",
            "\"<!-- session-search: off --> fix it\"",
            "\u{feff}<!-- session-search: off --> fix it",
            "fix it <!-- session-search: off -->\u{200b}",
            "```\nfn main() {}\n```\nfix it\n<!-- session-search: off -->",
            "<!-- session-search: off -->\nImplement the following plan:\n\n# Oil the lamp",
        ] {
            assert_eq!(find_typed(prompt), Some(Counting), "{prompt}");
        }
        let command = turn(PromptKind::Command, "/review <!-- session-search: off -->");
        assert_eq!(find_marker(&command), Some(Counting));
    }

    #[test]
    fn a_marker_on_a_line_of_its_own_counts() {
        for prompt in [
            "fix it\n<!-- session-search: off -->\nand the kiln",
            "fix it\r\n  <!-- session-search: off -->\r\nand the kiln",
            "fix it\n<!-- session-search: off --> [Image #1]\nand the kiln",
            "What is this?\n```html\n<p>\n<!-- session-search: off -->\n<b>",
            "- ```\nfix it\n<!-- session-search: off -->\nand the kiln",
        ] {
            assert_eq!(find_typed(prompt), Some(Counting), "{prompt}");
        }
    }

    #[test]
    fn what_clients_put_beside_the_typed_words_is_passed_over() {
        for prompt in [
            "[Image #1] <!-- session-search: off --> fix it",
            "fix it <!-- session-search: off --> [Image #1]",
            "fix it <!-- session-search: off --> [Image 1] ",
            "[PDF 1] <!-- session-search: off --> fix it",
            "explain <!-- session-search: off --> [Pasted text #1 +30 lines]",
            "fix it <!-- session-search: off --> [📷 shot.png]",
            "fix it <!-- session-search: off -->\n[Image: source: /tmp/a.png]",
            "fix @a <!-- session-search: off -->\n--- Content from referenced context ---\nfn a() {}",
            "fix it <!-- session-search: off -->\n<context ref=\"file:///a.rs\">\nfn a() {}\n</context>",
            "fix it <!-- session-search: off -->\n<ide_selection>fn a() {}</ide_selection>",
            "<file name=\"/w/notes.md\">\nOil.\n</file>\n<!-- session-search: off --> fix it",
            "<skill name=\"deploy\">\nDeploy it.\n</skill>\n\nto staging <!-- session-search: off -->",
        ] {
            assert_eq!(find_typed(prompt), Some(Counting), "{prompt}");
        }
    }

    #[test]
    fn a_marker_within_a_line_or_in_code_is_noticed_and_does_not_count() {
        for prompt in [
            "fix it <!-- session-search: off --> please",
            "What does `<!-- session-search: off -->` do?",
            "What does `<!-- session-search: off -->`",
            "> <!-- session-search: off -->\n\nWhat is this?",
            "```\n<!-- session-search: off -->\n```",
            "Look:\n- ~~~\n  <!-- session-search: off -->\n  ~~~\nWhat is this?",
        ] {
            assert_eq!(find_typed(prompt), Some(Elsewhere), "{prompt}");
        }
    }

    #[test]
    fn what_a_prompt_quotes_is_no_marker() {
        for prompt in [
            "session-search: off",
            "<!-- session-search: offer -->",
            "Implement the following plan:\n\n# Oil the lamp\n<!-- session-search: off -->",
            "<skill name=\"deploy\">\nDeploy it.\n<!-- session-search: off -->\n</skill>\n\nto staging",
            "<skill name=\"deploy\">\n</skill>\n<!-- session-search: off -->\n</skill>",
            "<file name=\"/w/notes.md\">\n<!-- session-search: off -->\n</file>\nfix it",
            "fix it\n<context ref=\"file:///a.md\">\n<!-- session-search: off -->\n</context>",
            "fix @a\n--- Content from referenced files ---\n<!-- session-search: off -->",
        ] {
            assert_eq!(find_typed(prompt), None, "{prompt}");
        }
        assert_eq!(find_marker(&turn(PromptKind::Model, MARKER)), None);
    }

    #[test]
    fn what_follows_the_typed_words_is_no_marker() {
        let prompt = format!("What is this?\n\n{MARKER}");
        let pasted = Turn {
            typed_bytes: Some("What is this?".len()),
            ..turn(PromptKind::Typed, &prompt)
        };
        assert_eq!(find_marker(&pasted), None);
        let attached = Turn {
            typed_bytes: Some(prompt.len()),
            ..turn(PromptKind::Typed, &format!("{prompt}\n\n@lamp.md"))
        };
        assert_eq!(find_marker(&attached), Some(Counting));
    }
}
