//! Markup within a line of Markdown: strong emphasis, links and code spans.

use session_core::text::code_span_end;

/// Removes the marks of strong emphasis and replaces links by their texts.
///
/// Typed text is seldom Markdown: code spans stay as they are, and so do `**` that stand around no words, as in
/// `a ** b`, `**kwargs` and `src/**`, and brackets behind a word: `call[name](event)`.
pub(crate) fn strip_inline_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut opened: Option<StrongMark> = None;
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let link = Link::at_start(found).filter(|_| !ends_with_word(&out));
        if let Some(link) = link {
            out.push_str(&strip_inline_markup(link.text));
            rest = link.after;
            continue;
        }
        let first = found.chars().next().unwrap_or_default();
        let run = found.len() - found.trim_start_matches(first).len();
        let end = match first {
            '`' => code_span_end(found, run).unwrap_or(run),
            '[' => 1,
            _ => run,
        };
        let (kept, after) = found.split_at(end);
        rest = after;
        if first != '*' || !STRONG_RUNS.contains(&run) {
            out.push_str(kept);
        } else if let Some(open) = opened.take_if(|open| open.is_closed_by(run, &out, after)) {
            out.replace_range(open.start..open.start + run, "");
        } else {
            if StrongMark::can_open(&out, after) {
                let start = out.len();
                opened = Some(StrongMark { start, run });
            }
            out.push_str(kept);
        }
    }
    out + rest
}

/// Numbers of asterisks that mark strong emphasis; three mark it with plain emphasis.
const STRONG_RUNS: [usize; 2] = [2, 3];

/// A run of asterisks that may open strong emphasis.
struct StrongMark {
    /// Its offset in what is kept.
    start: usize,
    /// Its asterisks.
    run: usize,
}

impl StrongMark {
    /// Returns true for a run between these texts that stands before a word. At a slash it is of a glob.
    fn can_open(before: &str, after: &str) -> bool {
        let is_before_word = !after.is_empty() && !after.starts_with(is_space_or_slash);
        is_before_word && !before.ends_with('/') && !ends_with_word(before)
    }

    fn is_closed_by(&self, run: usize, before: &str, after: &str) -> bool {
        let is_after_word = !before.ends_with(is_space_or_slash);
        let ends_there = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
        run == self.run && is_after_word && ends_there
    }
}

fn is_space_or_slash(c: char) -> bool {
    c.is_whitespace() || c == '/'
}

/// Returns true behind an ASCII letter or digit, or a closing bracket. Scripts without spaces have emphasis within words.
fn ends_with_word(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == ']' || c == ')')
}

/// A link that a text begins with.
struct Link<'t> {
    text: &'t str,
    after: &'t str,
}

impl<'t> Link<'t> {
    fn at_start(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('[')?;
        // A text with a bracket in it is none of a link.
        let end = inside.find(['[', ']'])?;
        let (text, rest) = inside.split_at(end);
        let (_, after) = rest.strip_prefix("](")?.split_once(')')?;
        Some(Self { text, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn emphasis_and_links_become_their_text() {
        for (text, expected) in [
            ("**Fixed:** the [leak](https://a.b/c).", "Fixed: the leak."),
            ("**All of `src/**`** is ***new***", "All of `src/**` is new"),
            (
                "see **here** `a[0]` and 文字**粗体**文字",
                "see here `a[0]` and 文字粗体文字",
            ),
            ("see ([**here**](x))", "see (here)"),
        ] {
            assert_eq!(strip_inline_markup(text), expected);
        }
    }

    #[test]
    fn what_was_typed_stays() {
        for text in [
            "globs `**/*.md` and `**x**` and ``[a](b)` [c](d)``",
            "globs **/*.md and **/*.mdx, not **/dist/** or src/**",
            "from **kwargs to **options, f(**a, x**2)",
            "2 ** 3 ** 2 is 2**3**2",
            "handlers[name](event) and a[0](b)",
            "**open, [open](x and `open",
            "****",
        ] {
            assert_eq!(strip_inline_markup(text), text);
        }
    }

    proptest! {
        #[test]
        fn text_does_not_grow(text in "[a/*`\\[\\]() é]{0,40}") {
            prop_assert!(strip_inline_markup(&text).len() <= text.len());
        }
    }
}
