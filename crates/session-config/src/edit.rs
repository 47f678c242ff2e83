//! Sets a key in the configuration file, everything else in it kept.

use crate::config::{FILE_NAME, SIZE_LIMIT};
use crate::error::Result;
use session_files::private;
use std::path::Path;
use toml_edit::DocumentMut;

/// Sets a key to a text in the configuration file of a directory; both are created where they are
/// missing. `table` is the table that the key belongs to, if it belongs to one.
///
/// # Errors
/// When the file is not UTF-8 or not TOML, or cannot be written.
pub fn set_key(directory: &Path, table: Option<&str>, key: &str, value: &str) -> Result<()> {
    let path = directory.join(FILE_NAME);
    let text = private::read_utf8(&path, SIZE_LIMIT)?.unwrap_or_default();
    let text = edit_text(&text, table, key, value)?;
    Ok(private::write(&path, text.as_bytes())?)
}

fn edit_text(text: &str, table: Option<&str>, key: &str, value: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let item = match table {
        Some(table) => &mut document[table],
        None => document.as_item_mut(),
    };
    if item.is_none() {
        *item = toml_edit::table();
    }
    match item.get_mut(key).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value.into();
            *old.decor_mut() = decor;
        }
        None => item[key] = toml_edit::value(value),
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_set_and_comments_stay() {
        let old = "# mine\nmodel = \"a\" # why\nnice = 5\n";
        let new = edit_text(old, None, "model", "b").unwrap();
        assert_eq!(new, "# mine\nmodel = \"b\" # why\nnice = 5\n");
        let new = edit_text(&new, Some("remote"), "url", "http://x").unwrap();
        assert!(new.ends_with("[remote]\nurl = \"http://x\"\n"), "{new}");
        assert!(edit_text("model =", None, "model", "b").is_err());
    }
}
