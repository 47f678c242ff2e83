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
}

/// Patterns on the way down a path: what each has left to match after the components so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathMatcher<'p>(Vec<&'p [&'p str]>);

impl<'p> PathMatcher<'p> {
    /// Begins at the folder that paths are relative to.
    pub(crate) fn new(patterns: &'p [PathPattern<'p>]) -> Self {
        let mut begin = Self::default();
        patterns.iter().for_each(|pattern| begin.push(&pattern.0));
        begin
    }

    /// Goes on to an entry of the folder so far.
    pub(crate) fn enter(&self, name: &str) -> Self {
        let mut entered = Self::default();
        for rest in &self.0 {
            match rest.split_first() {
                Some((&"**", _)) => entered.push(rest),
                Some((first, below)) if is_like(first, name) => entered.push(below),
                _ => {}
            }
        }
        entered
    }

    /// Returns true when a pattern describes the path to an entry of the folder so far.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let is_end = |rest: &[&str]| rest.iter().all(|component| *component == "**");
        let mut firsts = self.0.iter().filter_map(|rest| rest.split_first());
        firsts.any(|(first, rest)| (*first == "**" || is_like(first, name)) && is_end(rest))
    }

    /// Returns true when a pattern describes the path so far.
    pub(crate) fn is_match(&self) -> bool {
        self.0.iter().any(|rest| rest.is_empty())
    }

    /// Returns true when a folder of the path so far may hold paths that a pattern describes.
    pub(crate) fn may_match_below(&self) -> bool {
        !self.0.is_empty()
    }

    /// Adds what is left of a pattern; `**` may stand for no folder, too.
    fn push(&mut self, mut rest: &'p [&'p str]) {
        self.0.push(rest);
        while let Some((&"**", below)) = rest.split_first() {
            rest = below;
            self.0.push(rest);
        }
    }
}

/// Returns true for a name that a component without `**` describes.
pub(crate) fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((begin, end)) => name
            .strip_prefix(begin)
            .is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::{PathMatcher, PathPattern, is_like};
    use proptest::prelude::*;

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

    fn enter<'p>(patterns: &'p [PathPattern<'p>], path: &str) -> PathMatcher<'p> {
        let begin = PathMatcher::new(patterns);
        split(path).iter().fold(begin, |at, name| at.enter(name))
    }

    proptest! {
        #[test]
        fn a_step_at_a_time_matches_what_the_whole_path_does(
            pattern in "(\\*\\*|a|b|\\*|a\\*)(/(\\*\\*|a|b|\\*|\\*b)){0,4}",
            path in "(a|b|ab)(/(a|b|ab)){0,4}",
        ) {
            let patterns = [PathPattern::new(&pattern)];
            let found = enter(&patterns, &path);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let folder = match folder {
                "" => PathMatcher::new(&patterns),
                folder => enter(&patterns, folder),
            };
            prop_assert_eq!(folder.matches(name), found.is_match());
            let whole = &patterns[0].0;
            prop_assert_eq!(found.is_match(), matches(whole, &split(&path)));
            prop_assert_eq!(found.may_match_below(), may_match_below(whole, &split(&path)));
        }
    }

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
            let pattern = [PathPattern::new(pattern)];
            assert_eq!(
                enter(&pattern, path).is_match(),
                matches,
                "{pattern:?} {path}"
            );
            let below = enter(&pattern, folder).may_match_below();
            assert_eq!(below, leads, "{pattern:?} {folder}");
        }
    }
}
