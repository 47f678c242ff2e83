//! How much of a turn is code.

use crate::{TurnContent, text};

/// So many bytes of the prompt and of the answer are looked at: a turn is what it begins with,
/// for the models and for who looks for it.
const HEAD: usize = 2000;
/// A closing fence may stand so much further in than the one it closes.
const INDENT: usize = 3;

/// The part of what a turn begins with that stands between Markdown fences (three or more
/// `` ` `` or `~` at the start of a line, of a list item or of a quoted line), 0 to 1, in bytes of
/// the heads of prompt and answer. A fence that is not closed makes no code: it may be a mistake.
#[expect(clippy::cast_precision_loss, reason = "at most 4000")]
pub fn code_share(content: &TurnContent) -> f32 {
    let said = [content.prompt.trim(), content.answer.trim()];
    let all: usize = said.iter().map(|said| text::clip(said, HEAD).len()).sum();
    let code: usize = said.iter().map(|said| code_bytes(said)).sum();
    code as f32 / all.max(1) as f32
}

/// Bytes of the head between fences, with the fences.
fn code_bytes(said: &str) -> usize {
    if !said.contains("```") && !said.contains("~~~") {
        return 0;
    }
    let head = text::clip(said, HEAD).len();
    let (mut code, mut end) = (0, 0);
    let mut open: Option<(usize, Fence)> = None;
    for line in said.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        open = match (open, Fence::of(line)) {
            (None, fence) => {
                let opening = fence.filter(|fence| fence.may_open);
                opening.filter(|_| begin < head).map(|fence| (begin, fence))
            }
            (Some((from, opened)), Some(fence)) if opened.is_closed_by(&fence) => {
                code += end.min(head) - from;
                None
            }
            (open, _) => open,
        };
    }
    code
}

/// A line that begins with three or more of one sign.
#[derive(Clone, Copy)]
struct Fence {
    sign: char,
    length: usize,
    /// Where it stands in its line.
    column: usize,
    /// False of `` ```this``` ``, which is code within a line.
    may_open: bool,
    may_close: bool,
}

impl Fence {
    fn of(line: &str) -> Option<Self> {
        let fence =
            line.trim_start_matches(|c: char| " \t>-*+.)".contains(c) || c.is_ascii_digit());
        let sign = fence.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = fence.chars().take_while(|c| *c == sign).count();
        let rest = fence.get(length..).unwrap_or_default().trim();
        (length >= 3).then_some(Self {
            sign,
            length,
            column: line.len() - fence.len(),
            may_open: sign == '~' || !rest.contains('`'),
            may_close: rest.is_empty(),
        })
    }

    fn is_closed_by(&self, other: &Self) -> bool {
        let alike = other.sign == self.sign && other.length >= self.length;
        alike && other.may_close && other.column <= self.column + INDENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share(prompt: &str, answer: &str) -> f32 {
        code_share(&TurnContent {
            prompt: prompt.into(),
            answer: answer.into(),
            ..TurnContent::default()
        })
    }

    #[test]
    fn what_stands_between_fences_is_code() {
        for (prompt, answer, expected) in [
            ("", "", 0.0),
            ("Why?", "Because `this` is ```not``` a fence.", 0.0),
            ("", "```python\nx = 1\n```", 1.0),
            ("```\nlog\n```", "Said.", 11.0 / 16.0),
            ("", "12345678\n```\n1\n```\n", 9.0 / 18.0),
            ("", "  ~~~sh\n  ls\n  ~~~", 1.0),
        ] {
            let found = share(prompt, answer);
            assert!((found - expected).abs() < 0.001, "{answer:?}: {found}");
        }
    }

    #[test]
    fn a_fence_ends_with_its_like() {
        for (answer, code) in [
            ("````\n```\n````\nno", 14),
            ("```\n~~~\n```\nno", 12),
            ("```\n```rust\n```\nno", 16),
            ("```\nnever closed\nno", 0),
            (
                "```py\n\"\"\"\n    ```\n    f()\n    ```\n\"\"\"\n```\nno",
                42,
            ),
            ("1. ```sh\n   ls\n   ```\nno", 22),
            ("> ```\n> ls\n> ```\nno", 17),
            ("```ls -la``` lists\nno", 0),
        ] {
            assert_eq!(code_bytes(answer), code, "{answer:?}");
        }
    }

    /// What is embedded of a turn is its head, and words are mostly looked for there.
    #[test]
    fn code_far_below_counts_no_more_than_prose_there() {
        let code = format!("```\n{}\n```", "x ".repeat(2000));
        assert!(share("", &code) > 0.99);
        let below = format!("{}\n{code}", "word ".repeat(500));
        assert!(share("", &below) < 0.01);
    }

    proptest! {
        #[test]
        fn it_is_a_part(prompt in "[`~a \n]{0,40}", answer in "\\PC{0,40}[`~é\n]{0,40}") {
            prop_assert!((0.0..=1.0).contains(&share(&prompt, &answer)));
        }
    }
}
