//! Globs of triggers, of paths and of commands.

use crate::error::{MemoryError, Result};
use globset::{GlobBuilder, GlobMatcher};
use session_core::text::compose;

/// The end of a glob of commands that any words may follow, or none.
const ANY_WORDS: &str = " *";

/// A glob of paths or commands.
#[derive(Debug, Clone)]
pub struct TriggerGlob {
    glob: GlobMatcher,
    /// Another reading: of a path with brackets taken as they are, since names of files have them, too
    /// (`app/[id]/page.tsx`); of a command without any word for ` *` at the end.
    other: Option<GlobMatcher>,
}

impl TriggerGlob {
    /// Compiles a glob of paths. One without `/` matches a name in any folder, one that ends with `/` all
    /// that lies in a folder, and `**` next to other characters matches `/`, too.
    ///
    /// # Errors
    /// When it is not a glob.
    pub fn for_paths(glob: &str) -> Result<Self> {
        let composed = compose(glob);
        let relative = composed.trim_start_matches("./");
        let is_name = !relative.trim_end_matches('/').contains('/');
        let segment = |segment: &str| match (segment.strip_prefix("**"), segment.strip_suffix("**"))
        {
            (Some(rest), _) if !rest.is_empty() => format!("**/*{rest}"),
            (None, Some(rest)) => format!("{{{rest}*,{rest}*/**}}"),
            _ => segment.to_owned(),
        };
        let segments = relative.trim_start_matches('/').split('/').map(segment);
        let mut whole = segments.collect::<Vec<_>>().join("/");
        if whole.ends_with('/') {
            whole.push_str("**");
        }
        if is_name && !whole.starts_with("**") {
            whole = format!("**/{whole}");
        }
        let compile =
            |whole: &str| Self::compile(glob, GlobBuilder::new(whole).literal_separator(true));
        let may_be_a_name = whole.contains('[') && !whole.contains('\\');
        let literal = may_be_a_name.then(|| compile(&escape_brackets(&whole)));
        Ok(Self {
            glob: compile(&whole)?,
            other: literal.transpose()?,
        })
    }

    /// Compiles a glob of commands, whose `*` matches spaces and `/`, too. ` *` at the end also matches nothing.
    ///
    /// # Errors
    /// When it is not a glob.
    pub fn for_commands(glob: &str) -> Result<Self> {
        let compile = |text: &str| Self::compile(glob, &mut GlobBuilder::new(&compose(text)));
        let without_words = glob.strip_suffix(ANY_WORDS).map(compile);
        Ok(Self {
            glob: compile(glob)?,
            other: without_words.transpose()?,
        })
    }

    fn compile(glob: &str, builder: &mut GlobBuilder<'_>) -> Result<GlobMatcher> {
        let built = builder.backslash_escape(true).build();
        let refuse = |error: globset::Error| {
            MemoryError::refused_with_hint(
                format!("`{glob}` is not a glob: {}", error.kind()),
                "a `\\` before `[`, `{` or `\\` stands for that character itself",
            )
        };
        Ok(built.map_err(refuse)?.compile_matcher())
    }

    /// Returns the glob that matches a path or a command alone, whatever characters it has.
    pub fn escape(text: &str) -> String {
        globset::escape(text)
    }

    /// Returns true if the glob matches a path from the root, with `/`, or a command.
    pub fn is_match(&self, text: &str) -> bool {
        let text = compose(text);
        let is_match = |glob: &GlobMatcher| glob.is_match(text.as_ref());
        is_match(&self.glob) || self.other.as_ref().is_some_and(is_match)
    }
}

fn escape_brackets(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len() + 4);
    for c in glob.chars() {
        match c {
            '[' => out.push_str("[[]"),
            ']' => out.push_str("[]]"),
            c => out.push(c),
        }
    }
    out
}

/// Returns the longest text that whatever a glob matches holds: without it nothing need be compiled. A space at its end is
/// left out, since `make *` matches `make`.
pub(crate) fn longest_literal(glob: &str) -> &str {
    let plain = glob.split(['[', '{', '\\']).next().unwrap_or_default();
    let plain = plain.trim_start_matches("./");
    let literals = plain.split(['*', '?']);
    let literals = literals.map(|part| part.trim_matches('/').trim_end());
    literals.max_by_key(|part| part.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches_path(glob: &str, path: &str) -> bool {
        TriggerGlob::for_paths(glob).unwrap().is_match(path)
    }

    #[test]
    fn paths_are_matched_from_the_root_and_names_in_any_folder() {
        for (glob, path) in [
            ("billing/**.go", "billing/tax/vat.go"),
            ("notes\\[draft.md", "notes[draft.md"),
            ("billing/**.go", "billing/vat.go"),
            ("Pru\u{308}fung/**", "Prüfung/a.go"),
            ("Prüfung/**", "Pru\u{308}fung/a.go"),
            ("**/migrations/**", "db/migrations/001.sql"),
            ("**/migrations/**", "migrations/001.sql"),
            ("db/", "db/schema/a.sql"),
            ("migrations/", "db/migrations/a.sql"),
            ("migrations/", "db/migrations/"),
            ("src/db/**", "src/db/"),
            ("./src/*.rs", "src/lib.rs"),
            ("/Makefile", "Makefile"),
            ("Makefile", "tools/Makefile"),
            ("*.{tf,tfvars}", "infra/main.tf"),
            ("**.go", "a/b.go"),
            ("src/test**", "src/tests/a.rs"),
            ("src/test**", "src/test.rs"),
            ("src/t**/a.rs", "src/tests/x/a.rs"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            ("app/[...slug]/", "app/[...slug]/page.tsx"),
            ("src/[ab].rs", "src/a.rs"),
        ] {
            assert!(matches_path(glob, path), "{glob} {path}");
        }
        for (glob, path) in [
            ("billing/**.go", "src/billing/vat.go"),
            ("billing/**.go", "billing/vat.gos"),
            ("src/*.rs", "src/a/lib.rs"),
            ("/Makefile", "tools/Makefile"),
            ("Makefile", "Makefile.am"),
            ("migrations", "migrations/001.sql"),
        ] {
            assert!(!matches_path(glob, path), "{glob} {path}");
        }
    }

    #[test]
    fn the_longest_literal_is_in_all_that_a_glob_matches() {
        for (glob, literal) in [
            ("**/migrations/**", "migrations"),
            ("./src/*.{rs,go}", "src"),
            ("billing/**.go", "billing"),
            ("npm install*", "npm install"),
            ("make *", "make"),
            ("[ab]c", ""),
            ("a\\*b", "a"),
        ] {
            assert_eq!(longest_literal(glob), literal, "{glob}");
        }
    }

    #[test]
    fn an_escaped_path_matches_itself_alone() {
        for path in ["app/[id]/page.tsx", "src/a{b}.rs", "what?/a*.md"] {
            let glob = TriggerGlob::escape(path);
            assert!(matches_path(&glob, path), "{glob}");
        }
        let glob = TriggerGlob::escape("app/[id]/page.tsx");
        assert!(!matches_path(&glob, "app/i/page.tsx"), "{glob}");
    }
}
