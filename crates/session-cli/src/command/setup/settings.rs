//! The text of Claude Code's settings, changed without touching the rest of it.

use anyhow::{Result, anyhow, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::Value;

/// Parses settings that are JSON, with nothing that JSON has not; an empty text is an empty object.
///
/// # Errors
/// When they are no JSON object.
pub fn parse(text: &str) -> Result<CstRootNode> {
    let text = match text.trim().is_empty() {
        true => "{}\n",
        false => text,
    };
    let value: Value = serde_json::from_str(text)
        .map_err(|e| anyhow!("they are no JSON: {e}\nhint: correct them first"))?;
    if !value.is_object() {
        bail!("they are no JSON object\nhint: correct them first");
    }
    Ok(CstRootNode::parse(text, &ParseOptions::default())?)
}

/// Formats changed settings, once they are seen to be JSON still.
///
/// # Errors
/// When they are none.
pub fn checked(root: &CstRootNode) -> Result<String> {
    let text = root.to_string();
    serde_json::from_str::<Value>(&text)?;
    Ok(text)
}

/// Removes a property, if it is there.
pub fn remove(from: &CstObject, name: &str) {
    if let Some(property) = from.get(name) {
        property.remove();
    }
}
