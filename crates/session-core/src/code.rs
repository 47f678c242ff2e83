//! How much of a turn is code.

use crate::TurnContent;

/// The part of what was said in a turn that stands between Markdown fences
/// (three or more `` ` `` or `~` at the start of a line), 0 to 1, in bytes. A fence that is not
/// closed lasts to the end, as in `CommonMark`.
#[expect(clippy::cast_precision_loss, reason = "at most 512 KiB")]
pub fn code_share(content: &TurnContent) -> f32 {
    let said = [content.prompt.trim(), content.answer.trim()];
    let all: usize = said.iter().map(|text| text.len()).sum();
    let code: usize = said.iter().map(|text| code_bytes(text)).sum();
    code as f32 / all.max(1) as f32
}

/// Bytes between fences, with the fences.
fn code_bytes(text: &str) -> usize {
    if !text.contains("```") && !text.contains("~~~") {
        return 0;
    }
    let (mut bytes, mut open) = (0, None);
    for line in text.split_inclusive('\n') {
        let fence = fence(line);
        if open.is_some() || fence.is_some() {
            bytes += line.len();
        }
        open = match (open, fence) {
            (None, opened) => opened,
            (Some(opened), Some(closed)) if closes(opened, closed, line) => None,
            (opened, _) => opened,
        };
    }
    bytes
}

/// The sign and the length of the fence that a line begins with.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == sign).count();
    (length >= 3).then_some((sign, length))
}

/// True where a fence ends what another one opened: of the same sign, as long at
/// least, and with nothing after it.
fn closes(opened: (char, usize), closed: (char, usize), line: &str) -> bool {
    let rest = line.trim().trim_start_matches(closed.0);
    opened.0 == closed.0 && closed.1 >= opened.1 && rest.is_empty()
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
    fn a_fence_ends_with_its_like_or_with_the_text() {
        for (answer, code) in [
            ("````\n```\n````\nno", 14),
            ("```\n~~~\n```\nno", 12),
            ("```\n```rust\n```\nno", 16),
            ("```\nall of it", 13),
        ] {
            assert_eq!(code_bytes(answer), code, "{answer:?}");
        }
    }

    proptest! {
        #[test]
        fn it_is_a_part(prompt in "[`~a \n]{0,40}", answer in "\\PC{0,40}[`~é\n]{0,40}") {
            prop_assert!((0.0..=1.0).contains(&share(&prompt, &answer)));
        }
    }
}
