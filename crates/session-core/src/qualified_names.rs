//! The names with a `/` in an error line: packages, modules, branches and images. Its signature leaves them out, as paths.

use crate::error_signature::stable_words;
use crate::text::trim_punctuation;

/// Words before such a name, in lower case.
const INTRODUCTIONS: [&str; 13] = [
    "branch",
    "image",
    "import",
    "module",
    "name",
    "named",
    "package",
    "plugin",
    "ref",
    "reference",
    "refspec",
    "repository",
    "resolve",
];
/// Beginnings of paths, and of an alias for a directory: `@/lib/a`.
const PATH_BEGINNINGS: [&str; 4] = ["/", ".", "~", "@/"];
/// Punctuation that may begin or end a name.
const NAME_PUNCTUATION: &str = "@/.~-_";
/// The signs behind which a version or a line follows a name within its word.
const AFTER_NAME: [char; 3] = ['@', ':', '('];
/// The most characters of the extension of a file.
const MAX_EXTENSION_CHARS: usize = 5;

/// The names with a `/` in an error line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QualifiedNames {
    /// The words of each name as a signature has them, in order.
    names: Vec<String>,
    /// True if the line has names or paths.
    has_slash: bool,
}

impl QualifiedNames {
    /// Reads the names of a line.
    pub(crate) fn read(line: &str) -> Self {
        let mut before = "";
        let mut names = Vec::new();
        for token in line.split_whitespace() {
            names.extend(find_name(token, before).map(fold_name));
            before = token;
        }
        Self {
            names,
            has_slash: line.contains(['/', '\\']),
        }
    }

    /// Returns true if another line of the same signature has these names. A part of a line, without its names and paths, is of
    /// any.
    pub(crate) fn is_held_by(&self, line: &str) -> bool {
        if !self.has_slash {
            return true;
        }
        let other = Self::read(line);
        self.names.is_empty() == other.names.is_empty()
            && self.names.iter().all(|name| other.names.contains(name))
    }

    /// Returns true if the line has names or paths.
    pub(crate) fn has_slash(&self) -> bool {
        self.has_slash
    }
}

/// Returns the name in a token after another: `@acme/lamp` anywhere, and `acme/lamp` after a word that introduces it.
fn find_name<'t>(token: &'t str, before: &str) -> Option<&'t str> {
    let is_outside = |c: char| !c.is_alphanumeric() && !NAME_PUNCTUATION.contains(c);
    let token = token.trim_matches(is_outside);
    let scope = usize::from(token.starts_with('@'));
    let end = token.get(scope..)?.find(AFTER_NAME);
    let name = end.map_or(token, |end| &token[..scope + end]);
    let name = name.trim_end_matches(['.', '/']);
    find_scoped_package(name).or_else(|| {
        let word = trim_punctuation(before).to_lowercase();
        let is_introduced = INTRODUCTIONS.contains(&word.as_str());
        (is_introduced && name.contains('/') && !is_path(name)).then_some(name)
    })
}

/// Returns `@acme/lamp` of `@acme/lamp/oil`.
fn find_scoped_package(name: &str) -> Option<&str> {
    let (scope, rest) = name.strip_prefix('@')?.split_once('/')?;
    let package = rest.split('/').next().filter(|_| !scope.is_empty())?;
    name.get(..1 + scope.len() + 1 + package.len())
}

fn is_path(name: &str) -> bool {
    let (host, path) = name.split_once('/').unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    // `gopkg.in/yaml.v3` begins with a host.
    PATH_BEGINNINGS
        .iter()
        .any(|beginning| name.starts_with(beginning))
        || name.contains('\\')
        || !host.contains('.') && has_extension(file)
}

fn has_extension(file: &str) -> bool {
    let is_extension = |extension: &str| {
        extension.len() <= MAX_EXTENSION_CHARS
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(char::is_alphanumeric)
    };
    file.rsplit_once('.')
        .is_some_and(|(_, extension)| is_extension(extension))
}

/// Returns the words of a name without those that differ each time.
fn fold_name(name: &str) -> String {
    let words = name.split('/').flat_map(stable_words);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> String {
        QualifiedNames::read(line).names.join(", ")
    }

    #[test]
    fn names_are_told_from_paths() {
        for (line, expected) in [
            ("Error: Cannot find module '@acme/lamp'", "acme lamp"),
            (
                "Cannot find module \"@acme/lamp/oil\" from '/w/src/a.ts'",
                "acme lamp",
            ),
            (
                "npm error 404  '@acme/lamp@1.2.0-next.1' is not in this registry.",
                "acme lamp",
            ),
            (
                "ESLint couldn't find the plugin \"@acme/eslint-plugin\".",
                "acme eslint plugin",
            ),
            (
                "a.go:3:2: no required module provides package github.com/acme/lamp; to add it:",
                "github com acme lamp",
            ),
            ("module gopkg.in/yaml.v3: not found", "gopkg in yaml v3"),
            ("Cannot find module 'next/navigation'", "next navigation"),
            (
                "fatal: couldn't find remote ref feature/oil-12",
                "feature oil",
            ),
            (
                "fatal: a branch named 'feature/lamp' already exists",
                "feature lamp",
            ),
            (
                "Could not resolve to a Repository with the name 'acme/lamp'.",
                "acme lamp",
            ),
            ("Unable to find image 'acme/lamp:1.2' locally", "acme lamp"),
        ] {
            assert_eq!(names(line), expected, "{line}");
        }
        for path in [
            "Cannot find module './oil/lamp'",
            "Cannot find module '../lamp'",
            "Cannot find module '/w/oil/lamp'",
            "Cannot find module '@/oil/lamp'",
            "Cannot find module 'src/lamp.ts' or its types",
            "Cannot find module 'C:\\oil\\lamp'",
            "Cannot find module 'C:/oil/lamp'",
            "Could not resolve https://lamp.example/oil",
            "repository 'git@github.com:acme/lamp.git' not found",
            "src/a.rs:12:5: error: no lamp in /tmp/x",
            "FAIL github.com/acme/lamp/oil [build failed]",
            "rg: packages/core/src: No such file or directory",
            "error: node_modules/@acme/lamp is broken",
        ] {
            assert_eq!(names(path), "", "{path}");
        }
    }

    #[test]
    fn a_line_is_of_the_same_names() {
        for (line, other, expected) in [
            ("no module '@acme/lamp'", "no module '@acme/lamp'", true),
            ("no module '@acme/lamp'", "no module '@acme/oil'", false),
            ("no module '@acme/lamp'", "no module './lamp'", false),
            ("no module './lamp'", "no module '@acme/lamp'", false),
            ("no module './lamp'", "no module '../oil/lamp'", true),
            ("/w/a.ts: no lamp", "no lamp", true),
            ("no module", "no module '@acme/lamp'", true),
            (
                "no '@acme/lamp' from '/w/a'",
                "no '@acme/lamp' from 'C:\\b'",
                true,
            ),
        ] {
            let is_held = QualifiedNames::read(line).is_held_by(other);
            assert_eq!(is_held, expected, "{line}; {other}");
        }
    }
}
