//! Matching of paths and project names as users type them.

use crate::text::{compose, file_name};

/// True when `wanted` is a part of `path`, whatever the case and the slashes:
/// the name of a project or file, the whole path, or a folder above it; `*` stands for
/// anything, and `./` at its beginning for nothing.
pub fn path_matches(path: &str, wanted: &str) -> bool {
    let fold = |s: &str| compose(s).replace('\\', "/").to_lowercase();
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
