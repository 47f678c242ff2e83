//! The paragraph about this program in an agent's instructions, between two comments.

use crate::agent::Agent;
use crate::error::{Result, SettingsError, SettingsResult};
use crate::settings_file::SettingsChange;
use session_files::ConfinedFile;
use session_sources::Env;

const BEGIN: &str = "<!-- session-search: begin -->";
const END: &str = "<!-- session-search: end -->";
/// Files of Codex with instructions; it reads the first alone, where that has a text.
const OVERRIDE: &str = "AGENTS.override.md";
const INSTRUCTIONS: &str = "AGENTS.md";
const PARAGRAPH: &str = include_str!("../../../skill/codex/AGENTS.md");

/// Plans to put the paragraph into Codex' instructions, or to bring it to this version.
///
/// # Errors
/// When the file cannot be read, or holds a paragraph without its last line.
pub(crate) fn plan_block(env: &Env) -> Result<SettingsChange> {
    SettingsChange::plan(&instructions(env)?, add_block)
}

/// Plans to remove the paragraph from all files that it may stand in: the override may be newer than it.
///
/// # Errors
/// As [`plan_block`].
pub(crate) fn plan_block_removal(env: &Env) -> Result<Vec<SettingsChange>> {
    let plan = |name| {
        let file = ConfinedFile::for_user(&Agent::Codex.config_directory(env).join(name))?;
        SettingsChange::plan_undo(&file, remove_block, add_block)
    };
    [OVERRIDE, INSTRUCTIONS].into_iter().map(plan).collect()
}

/// Names the file that Codex reads: the override, where it has a text.
fn instructions(env: &Env) -> Result<ConfinedFile> {
    let directory = Agent::Codex.config_directory(env);
    let preferred = directory.join(OVERRIDE);
    let has_text = fs_err::metadata(&preferred).is_ok_and(|metadata| metadata.len() > 0);
    let path = if has_text {
        preferred
    } else {
        directory.join(INSTRUCTIONS)
    };
    Ok(ConfinedFile::for_user(&path)?)
}

fn add_block(text: &str) -> SettingsResult<String> {
    let block = format!("{BEGIN}\n{PARAGRAPH}{END}\n");
    if text.contains(&block) {
        return Ok(text.to_owned());
    }
    if let Some(SurroundingText { before, after }) = split_around_block(text)? {
        return Ok(format!("{before}{block}{after}"));
    }
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let blank = if text.trim().is_empty() { "" } else { "\n" };
    Ok(format!("{text}{end}{blank}{block}"))
}

fn remove_block(text: &str) -> SettingsResult<String> {
    let Some(SurroundingText { before, after }) = split_around_block(text)? else {
        return Ok(text.to_owned());
    };
    let before = match before.strip_suffix("\n") {
        Some(rest) if rest.ends_with('\n') => rest,
        _ => before,
    };
    Ok(format!("{before}{after}"))
}

/// The text before and after the lines of the block.
struct SurroundingText<'t> {
    before: &'t str,
    after: &'t str,
}

/// Splits a text around the lines of the block; `None` if it has none.
fn split_around_block(text: &str) -> SettingsResult<Option<SurroundingText<'_>>> {
    let Some(begin) = find_line(text, BEGIN) else {
        return Ok(None);
    };
    let (before, rest) = text.split_at(begin);
    let end = find_line(rest, END).ok_or(SettingsError::UnendedBlock { end: END })?;
    let after = rest[end..].split_once('\n').map_or("", |(_, after)| after);
    Ok(Some(SurroundingText { before, after }))
}

/// Finds the offset of a line with this text.
fn find_line(text: &str, wanted: &str) -> Option<usize> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == wanted {
            return Some(offset);
        }
        offset += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_block_is_replaced_where_it_is() {
        let old = format!("Mine.\n\n{BEGIN}\nAn older text.\n{END}\nMine, too.\n");
        let new = add_block(&old).unwrap();
        assert!(new.starts_with("Mine.\n\n<!--") && new.ends_with("-->\nMine, too.\n"));
        assert!(new.contains(PARAGRAPH) && !new.contains("An older text."));
        assert_eq!(remove_block(&new).unwrap(), "Mine.\nMine, too.\n");
    }

    #[test]
    fn a_block_without_its_end_is_refused() {
        let text = format!("{BEGIN}\nMine, perhaps.\n");
        for edited in [add_block(&text), remove_block(&text)] {
            assert!(matches!(edited, Err(SettingsError::UnendedBlock { .. })));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn all_other_text_stays(text in "([a-zé#<!-> ]{0,8}\n){0,4}") {
            let new = add_block(&text).unwrap();
            prop_assert_eq!(add_block(&new).unwrap(), new.clone());
            let kept = text.trim().is_empty();
            prop_assert!(kept || new.starts_with(&text));
            let back = remove_block(&new).unwrap();
            prop_assert_eq!(back.trim_end(), text.trim_end());
        }
    }
}
