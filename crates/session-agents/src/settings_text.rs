//! The text of settings, edited so that every byte that is not part of the change stays.

use crate::error::{SettingsError, SettingsResult};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstObject, CstRootNode};
use serde_json::Value;
use std::collections::HashSet;

/// The JSON that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonDialect {
    /// JSON alone.
    Strict,
    /// With comments and trailing commas.
    WithComments,
}

/// Settings as a syntax tree.
pub(crate) struct SettingsText {
    root: CstRootNode,
    dialect: JsonDialect,
    /// The object that the settings are.
    pub(crate) object: CstObject,
}

impl SettingsText {
    /// Parses settings; an empty text is an empty object.
    ///
    /// # Errors
    /// When the text is not a JSON object.
    pub(crate) fn parse(text: &str) -> SettingsResult<Self> {
        Self::parse_dialect(text, JsonDialect::Strict)
    }

    /// Parses settings that may have comments and trailing commas.
    ///
    /// # Errors
    /// When the text is not a JSON object.
    pub(crate) fn parse_with_comments(text: &str) -> SettingsResult<Self> {
        Self::parse_dialect(text, JsonDialect::WithComments)
    }

    fn parse_dialect(text: &str, dialect: JsonDialect) -> SettingsResult<Self> {
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let root = dialect.parse(text)?;
        let object = root.object_value().ok_or(SettingsError::NotObject)?;
        check_unique_keys(&object)?;
        Ok(Self {
            root,
            dialect,
            object,
        })
    }

    /// Returns true for an object without properties.
    pub(crate) fn is_empty(&self) -> bool {
        self.object.properties().is_empty()
    }

    /// Formats the settings, and checks that they are still JSON.
    ///
    /// # Errors
    /// When they are not.
    pub(crate) fn format_checked(&self) -> SettingsResult<String> {
        let text = self.root.to_string();
        self.dialect.parse(&text)?;
        Ok(text)
    }
}

impl JsonDialect {
    /// Parses an object. Strict JSON is read by `serde_json` first, whose messages are clearer.
    fn parse(self, text: &str) -> SettingsResult<CstRootNode> {
        if self == Self::Strict {
            check_object(text)?;
        }
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        CstRootNode::parse(text, &options).map_err(|error| SettingsError::Json(error.to_string()))
    }
}

/// Refuses a key that stands twice: an agent takes the last one, and a change would go to the first.
fn check_unique_keys(object: &CstObject) -> SettingsResult<()> {
    let mut keys = HashSet::new();
    for property in object.properties() {
        let name = property.name().and_then(|name| name.decoded_value().ok());
        if let Some(key) = name.filter(|name| !keys.insert(name.clone())) {
            return Err(SettingsError::RepeatedKey { key });
        }
        property
            .object_value()
            .as_ref()
            .map_or(Ok(()), check_unique_keys)?;
    }
    Ok(())
}

fn check_object(text: &str) -> SettingsResult<()> {
    if text.starts_with('\u{feff}') {
        return Err(SettingsError::ByteOrderMark);
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| SettingsError::Json(error.to_string()))?;
    if value.is_object() {
        Ok(())
    } else {
        Err(SettingsError::NotObject)
    }
}

/// Returns the object under a key, which is created where it is missing.
pub(crate) fn object_under(parent: &CstObject, key: &str) -> SettingsResult<CstObject> {
    parent
        .object_value_or_create(key)
        .ok_or_else(|| SettingsError::WrongType {
            key: key.to_owned(),
            expected: "an object",
        })
}

/// Returns the list under a key, which is created where it is missing; `path` names the key in an
/// error.
pub(crate) fn list_under(parent: &CstObject, key: &str, path: String) -> SettingsResult<CstArray> {
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
