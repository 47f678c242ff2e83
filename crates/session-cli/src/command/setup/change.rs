//! A change to a file of somebody else's: shown before, with the old one kept.

use crate::command::setup::Outcome;
use crate::command::setup::prompt::Prompt;
use anyhow::Result;
use session_core::text::printable;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file's text; none where there is no file.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read(path: &Path) -> Result<Option<String>> {
    match fs_err::read_to_string(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        text => Ok(Some(text?)),
    }
}

/// Shows what would change, asks, keeps the old file beside the new one.
///
/// # Errors
/// When a file cannot be written.
pub fn make(path: &Path, old: Option<&str>, new: &str, prompt: &mut Prompt<'_>) -> Result<Outcome> {
    if old == Some(new) {
        return Ok(Outcome::Unchanged);
    }
    prompt.say(&format!("\n{}", printable(&path.display().to_string())))?;
    prompt.say(&diff(old.unwrap_or_default(), new))?;
    if !prompt.consents("Write it?")? {
        return Ok(prompt.without_consent());
    }
    if old.is_some() {
        let backup = keep(path)?;
        prompt.say(&format!("the old file is kept as {}", backup.display()))?;
    }
    session_models::write_private(path, new.as_bytes())?;
    Ok(Outcome::Written)
}

/// Copies a file beside itself, and says where to.
///
/// # Errors
/// When it cannot be copied.
pub fn keep(path: &Path) -> Result<PathBuf> {
    let backup = backup(path);
    fs_err::copy(path, &backup)?;
    Ok(backup)
}

/// A name beside the file that nothing has yet.
fn backup(path: &Path) -> PathBuf {
    let named = |n: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(".backup");
        if n > 1 {
            name.push(format!(".{n}"));
        }
        PathBuf::from(name)
    };
    let free = (1..).map(named).find(|path| !path.exists());
    free.unwrap_or_else(|| named(1))
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
