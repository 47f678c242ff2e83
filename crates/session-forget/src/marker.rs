//! The marker by which a prompt keeps its session out of the index.

use regex::Regex;
use session_core::title::strip_plan_line;
use session_core::{CodeFences, FencedLine, PromptKind, Turn};
use std::sync::LazyLock;

/// A prompt that begins or ends with this keeps its session out of the index.
pub const MARKER: &str = "<!-- session-search: off -->";

/// [`MARKER`] at the beginning or the end of a text, with any white space within: an editor or a terminal breaks lines. An
/// image stands anywhere in what is typed.
static MARKER_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let marker = r"<!--\s*session-search:\s*off\s*-->";
    let blank = r"(?:\s|\[Image(?: #\d+)?\])*";
    let pattern = format!(r"\A{blank}{marker}|{marker}{blank}\z");
    Regex::new(&pattern).expect("a pattern of this file")
});

/// Where the text of a skill ends in a prompt.
const SKILL_END: &str = "</skill>";

/// Returns true when the prompt of a turn asks to leave its session out: its user typed [`MARKER`] first or last, outside of
/// code. Pages that were pasted, plans of a model and files of a repository hold it, too.
pub fn has_marker(turn: &Turn) -> bool {
    if !matches!(turn.kind, PromptKind::Typed | PromptKind::Command) {
        return false;
    }
    let typed = skip_skill(turn.typed_prompt());
    let Some(found) = MARKER_PATTERN.find(typed) else {
        return false;
    };
    let is_plan = strip_plan_line(typed) != typed;
    !is_plan && !is_in_code(typed, found.start())
}

/// Returns what was typed behind a skill, whose text pi puts in the place of `/skill:name`.
fn skip_skill(prompt: &str) -> &str {
    let name = prompt.trim_start().strip_prefix("<skill");
    let is_skill = name.is_some_and(|rest| rest.starts_with([' ', '>']));
    let end = prompt.rfind(SKILL_END).filter(|_| is_skill);
    end.map_or(prompt, |end| &prompt[end + SKILL_END.len()..])
}

/// Returns true for a position within a fence of Markdown.
fn is_in_code(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut fences = CodeFences::default();
    text[..start].lines().for_each(|line| {
        fences.classify(line);
    });
    let line = text[start..].lines().next().unwrap_or_default();
    fences.classify(line) != FencedLine::Text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(kind: PromptKind, prompt: &str) -> Turn {
        Turn {
            kind,
            prompt: prompt.to_owned(),
            ..Turn::default()
        }
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
            "[Image #1] <!-- session-search: off --> fix it",
            "fix it <!-- session-search: off --> [Image #1]",
            "```\nfn main() {}\n```\nfix it\n<!-- session-search: off -->",
            "<skill name=\"deploy\">\nDeploy it.\n</skill>\n\nto staging <!-- session-search: off -->",
            "<!-- session-search: off -->\nImplement the following plan:\n\n# Oil the lamp",
        ] {
            assert!(has_marker(&turn(PromptKind::Typed, prompt)), "{prompt}");
        }
        let command = turn(PromptKind::Command, "/review <!-- session-search: off -->");
        assert!(has_marker(&command));
    }

    #[test]
    fn what_a_prompt_quotes_is_no_marker() {
        for prompt in [
            "session-search: off",
            "<!-- session-search: offer -->",
            "What does `<!-- session-search: off -->` do?",
            "What does `<!-- session-search: off -->`",
            "What does this page say?\n\n<!-- session-search: off -->\n\nMore of it.",
            "```\n<!-- session-search: off -->\n```",
            "What is this?\n```html\n<p>\n<!-- session-search: off -->",
            "Implement the following plan:\n\n# Oil the lamp\n<!-- session-search: off -->",
            "<skill name=\"deploy\">\nDeploy it.\n<!-- session-search: off -->\n</skill>\n\nto staging",
            "<skill name=\"deploy\">\n</skill>\n<!-- session-search: off -->\n</skill>",
        ] {
            assert!(!has_marker(&turn(PromptKind::Typed, prompt)), "{prompt}");
        }
        assert!(!has_marker(&turn(PromptKind::Model, MARKER)));
    }

    #[test]
    fn what_follows_the_typed_words_is_no_marker() {
        let prompt = format!("What is this?\n\n{MARKER}");
        let pasted = Turn {
            typed_bytes: Some("What is this?".len()),
            ..turn(PromptKind::Typed, &prompt)
        };
        assert!(!has_marker(&pasted));
        let attached = Turn {
            typed_bytes: Some(prompt.len()),
            ..turn(PromptKind::Typed, &format!("{prompt}\n\n@lamp.md"))
        };
        assert!(has_marker(&attached));
    }
}
