//! The text of settings, edited so that every byte that is not part of the change stays.

use crate::error::SettingsError;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstObject, CstRootNode};
use serde_json::Value;

type Result<T> = std::result::Result<T, SettingsError>;

/// Settings as a syntax tree.
pub(crate) struct SettingsText {
    root: CstRootNode,
    /// The object that the settings are.
    pub object: CstObject,
}

impl SettingsText {
    /// Parses settings; an empty text is an empty object. `serde_json` comes first: the syntax tree
    /// also takes comments and trailing commas, which Claude Code refuses.
    ///
    /// # Errors
    /// When the text is not a JSON object.
    pub fn parse(text: &str) -> Result<Self> {
        let text = match text.trim().is_empty() {
            true => "{}\n",
            false => text,
        };
        check_object(text)?;
        let root = CstRootNode::parse(text, &ParseOptions::default())
            .map_err(|error| SettingsError::Json(error.to_string()))?;
        let object = root.object_value().ok_or(SettingsError::NotObject)?;
        Ok(Self { root, object })
    }

    /// Formats the settings, and checks that they are still JSON.
    ///
    /// # Errors
    /// When they are not.
    pub fn finish(&self) -> Result<String> {
        let text = self.root.to_string();
        check_object(&text)?;
        Ok(text)
    }
}

fn check_object(text: &str) -> Result<()> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| SettingsError::Json(error.to_string()))?;
    match value.is_object() {
        true => Ok(()),
        false => Err(SettingsError::NotObject),
    }
}

/// Returns the object under a key, which is created where it is missing.
pub(crate) fn object_under(parent: &CstObject, key: &str) -> Result<CstObject> {
    parent
        .object_value_or_create(key)
        .ok_or_else(|| SettingsError::WrongType {
            key: key.to_owned(),
            expected: "an object",
        })
}

/// Returns the list under a key, which is created where it is missing; `path` names the key in an
/// error.
pub(crate) fn list_under(parent: &CstObject, key: &str, path: String) -> Result<CstArray> {
    let list = parent.array_value_or_create(key);
    list.ok_or(SettingsError::WrongType {
        key: path,
        expected: "a list",
    })
}

/// Removes a property, if it is there.
pub(crate) fn remove_property(object: &CstObject, key: &str) {
    if let Some(property) = object.get(key) {
        property.remove();
    }
}
