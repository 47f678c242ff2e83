//! A change to a file of somebody else's: shown before, with the old one kept.

use crate::command::setup::Outcome;
use crate::command::setup::prompt::Prompt;
use anyhow::Result;
use session_core::text::printable;
use session_files::Beneath;

/// Most bytes of such a file.
pub const LIMIT: u64 = 8 << 20;

/// Shows what would change, asks, keeps the old file beside the new one.
///
/// # Errors
/// When a file cannot be written.
pub fn make(
    file: &Beneath,
    old: Option<&str>,
    new: &str,
    prompt: &mut Prompt<'_>,
) -> Result<Outcome> {
    if old == Some(new) {
        return Ok(Outcome::Unchanged);
    }
    prompt.say(&format!("\n{}", printable(&file.path().to_string_lossy())))?;
    prompt.say(&diff(old.unwrap_or_default(), new))?;
    if !prompt.consents("Write it?")? {
        return Ok(prompt.without_consent());
    }
    if let Some(old) = old {
        let backup = file.back_up(old)?;
        let backup = backup.to_string_lossy();
        prompt.say(&format!("the old file is kept as {}", printable(&backup)))?;
    }
    file.write(new)?;
    Ok(Outcome::Written)
}

/// Lines that go and come, between those that both have at either end.
pub fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(same).count();
    let lines = |mark: &str, lines: &[&str]| -> Vec<String> {
        let shown = lines
            .iter()
            .map(|line| format!("  {mark} {}", printable(line)));
        shown.collect()
    };
    let before = &old[head.saturating_sub(1)..head];
    let parts = [
        lines(" ", before),
        lines("-", &old[head..old.len() - tail]),
        lines("+", &new[head..new.len() - tail]),
        lines(" ", &old[old.len() - tail..][..tail.min(1)]),
    ];
    parts.concat().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_what_changes_and_a_line_around_it() {
        assert_eq!(
            diff("a\nb\nc\nd\n", "a\nb\nx\nd\n"),
            "    b\n  - c\n  + x\n    d"
        );
        assert_eq!(diff("", "a\n"), "  + a");
        assert_eq!(diff("a\na\n", "a\na\na\n"), "    a\n  + a");
        assert_eq!(diff("a\n", ""), "  - a");
    }
}
