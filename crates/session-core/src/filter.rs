//! Which sessions and turns a search may find.

use crate::text::file_name;
use serde::Serialize;

/// Conditions on hits; all must hold. The default lets everything through but
/// subagents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Filter {
    /// Name, path or part of a path of the project.
    pub project: Option<String>,
    /// Agent, as [`crate::SourceName`].
    pub source: Option<String>,
    /// Not before, milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Before, milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// Git branch, whole.
    pub branch: Option<String>,
    /// Part of a path that the turn named.
    pub file: Option<String>,
    /// Only these sessions, by the index's own numbers; none means all.
    pub only: Vec<i64>,
    /// Sessions left out, by the index's own number.
    pub exclude: Vec<i64>,
    /// Also find what subagents did.
    pub subagents: bool,
}

impl Filter {
    /// True when a condition looks at single turns, not at whole sessions.
    pub fn by_turn(&self) -> bool {
        self.since_ms.is_some()
            || self.until_ms.is_some()
            || self.branch.is_some()
            || self.file.is_some()
    }
}

/// True when `wanted` is a part of `path`, whatever the case and the slashes:
/// the name of a project or file, the whole path, or a folder above it; `*` stands for
/// anything, and `./` at its beginning for nothing.
pub fn path_matches(path: &str, wanted: &str) -> bool {
    let fold = |s: &str| s.replace('\\', "/").to_lowercase();
    let (path, wanted) = (fold(path), fold(wanted.trim_end_matches(['/', '\\'])));
    let wanted = wanted.strip_prefix("./").unwrap_or(&wanted);
    holds_parts(&path, wanted.split('*'))
}

/// True when the parts stand in a text in this order.
pub fn holds_parts<'p>(text: &str, mut parts: impl Iterator<Item = &'p str>) -> bool {
    let mut rest = text;
    parts.all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The short name of a project: the last component of its path.
pub fn project_name(path: &str) -> &str {
    file_name(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_by_name_or_part_or_whole() {
        for wanted in ["homelab", "/home/ann/homelab", "Home", "ann/homelab/"] {
            assert!(path_matches("/home/ann/homelab", wanted), "{wanted}");
        }
        assert!(path_matches("C:\\work\\api", "work/api"));
        assert!(path_matches("/a/src/main.rs", "./src/*.rs") && path_matches("/a", "*"));
        assert!(!path_matches("/a/main.rs/src", "src/*.rs"));
        assert!(!path_matches("/home/ann/homelab", "/home/ann/lab"));
        assert_eq!(project_name("C:\\work\\api"), "api");
        assert_eq!(project_name("/"), "");
    }
}
