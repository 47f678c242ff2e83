//! Matching of paths and project names as users type them.

use crate::text::{compose, file_name, fold_word};

/// Returns true when `wanted` is a part of `path`, whatever the case, the accents and the slashes:
/// the name of a project or file, the whole path, or a folder above it; `*` stands for
/// anything, and `./` at its beginning for nothing.
pub fn path_matches(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_end_matches(['/', '\\']);
    let (path, wanted) = (fold_path(path), fold_path(wanted));
    let wanted = wanted.strip_prefix("./").unwrap_or(&wanted);
    contains_in_order(&path, wanted.split('*'))
}

/// Returns a path as paths are compared: with `/` between its components, without case and accents.
fn fold_path(path: &str) -> String {
    fold_word(&compose(path)).replace('\\', "/")
}

/// Returns true when the parts stand in a text in this order.
pub fn contains_in_order<'p>(text: &str, mut parts: impl Iterator<Item = &'p str>) -> bool {
    let mut rest = text;
    parts.all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// Returns the short name of a project: the last component of its path.
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
        assert!(
            path_matches("/a/Gro\u{308}ße", "größe") && path_matches("/a/Größe", "gro\u{308}ße")
        );
        assert!(path_matches("C:\\work\\api", "work/api"));
        assert!(path_matches("/a/src/main.rs", "./src/*.rs") && path_matches("/a", "*"));
        assert!(!path_matches("/a/main.rs/src", "src/*.rs"));
        assert!(!path_matches("/home/ann/homelab", "/home/ann/lab"));
        assert_eq!(project_name("C:\\work\\api"), "api");
        assert_eq!(project_name("/"), "");
    }
}
