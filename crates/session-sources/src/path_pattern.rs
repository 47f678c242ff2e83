//! Patterns of paths below a folder. No crate for globs says of a folder whether anything below it
//! can match, which keeps a walk out of the folders that no one asked for.

/// A path of which a component `**` stands for any number of folders, and one `*` within another
/// component for any text.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern<'p>(Vec<&'p str>);

impl<'p> PathPattern<'p> {
    pub(crate) fn new(pattern: &'p str) -> Self {
        Self(pattern.split('/').collect())
    }

    /// Splits it at the first component with a wildcard.
    pub(crate) fn split_literal(mut self) -> (Vec<&'p str>, Self) {
        let is_literal = |component: &&&str| !component.contains('*');
        let count = self.0.iter().take_while(is_literal).count();
        let rest = self.0.split_off(count);
        (self.0, Self(rest))
    }

    /// True for the components of a path that it describes.
    pub(crate) fn matches(&self, path: &[&str]) -> bool {
        matches(&self.0, path)
    }

    /// True for the components of a folder that may hold such a path.
    pub(crate) fn may_match_below(&self, folder: &[&str]) -> bool {
        may_match_below(&self.0, folder)
    }
}

fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            matches(rest, path) || path.split_first().is_some_and(|(_, p)| matches(pattern, p))
        }
        ([first, rest @ ..], [name, path @ ..]) => is_like(first, name) && matches(rest, path),
        _ => false,
    }
}

fn may_match_below(pattern: &[&str], folder: &[&str]) -> bool {
    match (pattern, folder) {
        (["**", ..], _) | (_, []) => true,
        ([first, rest @ ..], [name, folder @ ..]) => {
            is_like(first, name) && may_match_below(rest, folder)
        }
        ([], _) => false,
    }
}

fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((begin, end)) => name
            .strip_prefix(begin)
            .is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    fn split(path: &str) -> Vec<&str> {
        path.split('/').collect()
    }

    #[test]
    fn a_pattern_matches_files_and_leads_to_their_folders() {
        let cases = [
            ("a/*/x.jsonl", "a/1/x.jsonl", true, "a/1", true),
            ("a/*/x.jsonl", "a/1/2/x.jsonl", false, "b", false),
            ("a/r-*.jsonl", "a/r-1.jsonl", true, "a/x", false),
            ("a/r-*.jsonl", "a/r-.json", false, "a", true),
            ("a/**/r.jsonl", "a/r.jsonl", true, "a/1/2/3", true),
            ("a/**/r.jsonl", "a/1/2/r.jsonl", true, "b/1", false),
            ("a/*b", "a/b", true, "a", true),
            ("a/bb*b", "a/bb", false, "a/bb", false),
        ];
        for (pattern, path, matches, folder, leads) in cases {
            let pattern = PathPattern::new(pattern);
            assert_eq!(pattern.matches(&split(path)), matches, "{pattern:?} {path}");
            let below = pattern.may_match_below(&split(folder));
            assert_eq!(below, leads, "{pattern:?} {folder}");
        }
    }
}
