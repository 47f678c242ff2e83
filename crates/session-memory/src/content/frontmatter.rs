//! The frontmatter of a memory as it is parsed and formatted.

use crate::content::memory::Frontmatter;
use crate::content::memory_id::is_valid_id;
use crate::error::DamagedFile;
use crate::text::yaml_file as yaml;
use std::path::Path;

impl Frontmatter {
    /// Parses frontmatter.
    ///
    /// # Errors
    /// With the line of the file, when it is no YAML or a value is invalid.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, DamagedFile> {
        let error = match yaml::parse_yaml::<Self>(text) {
            Ok(front) => return front.validate(text, path),
            Err(error) => error,
        };
        let line = error.location().map_or(0, |at| at.line() as usize);
        let reason = error.without_snippet().to_string();
        let reason = reason.split(" at line ").next().unwrap_or(&reason);
        Err(DamagedFile {
            path: path.to_owned(),
            line: Some(line + 1),
            reason: reason.to_owned(),
            hint: None,
        })
    }

    /// Validates the topic and the id.
    fn validate(self, text: &str, path: &Path) -> Result<Self, DamagedFile> {
        let bad_id = !is_valid_id(&self.id);
        let (key, reason) = match (bad_id, self.topic.trim().is_empty()) {
            (true, _) => (
                "id:",
                format!("`{}` is not an id such as mem-20260110-091500", self.id),
            ),
            (_, true) => ("topic:", "the topic is empty".to_owned()),
            _ => return Ok(self),
        };
        let line = text.lines().position(|line| line.starts_with(key));
        Err(DamagedFile {
            path: path.to_owned(),
            line: Some(line.unwrap_or(0) + 2),
            reason,
            hint: None,
        })
    }

    /// Formats a whole file.
    ///
    /// # Errors
    /// When a value cannot be written as YAML.
    pub(crate) fn format_file(&self, body: &str) -> Result<String, String> {
        let yaml = serde_saphyr::to_string(self).map_err(|e| e.to_string())?;
        Ok(yaml::join_file(yaml.trim_end(), body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::frontmatter_time::FrontmatterTime;
    use crate::content::memory::{Importance, MemoryKind, MemorySource};
    use crate::text::yaml_file::{set_key, split_file};
    use crate::triggers::Triggers;
    use proptest::prelude::*;

    #[test]
    fn a_damaged_file_is_reported_with_its_line() {
        let check = |text: &str, line: usize, reason: &str| {
            let path = Path::new("m.md");
            let damage = split_file(text, path)
                .and_then(|parts| Frontmatter::parse(parts.yaml, path))
                .unwrap_err();
            assert_eq!(damage.line, Some(line), "{damage}");
            assert!(damage.reason.contains(reason), "{damage}");
        };
        check("no fence\n", 1, "no `---` begins");
        check("---\nid: mem-1\n", 2, "no second");
        check("---\nid: mem-1\ntopic: [a\n---\n", 3, "");
        check(
            "---\nid: mem-1\ntopic: t\nkind: odd\ncreated: 2026-01-10\n---\n",
            4,
            "odd",
        );
        check("---\nid: mem-1\ntopic: t\ncreated: soon\n---\n", 4, "soon");
        check(
            "---\ntopic: t\nid: ../x\ncreated: 2026-01-10\n---\n",
            3,
            "not an id",
        );
        check(
            "---\nid: mem-1\ntopic: ''\ncreated: 2026-01-10\n---\n",
            3,
            "empty",
        );
    }

    fn text() -> impl Strategy<Value = String> {
        "[ -~]{1,20}|[a-z\"':#\\[{&*!|>%@`,?-]{1,12}|连接池: [a-z]{0,3}|true|3|1e5|~|null|a\nb"
            .prop_filter("something", |t| !t.trim().is_empty())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn formatted_frontmatter_is_parsed_back(topic in text(), tags in prop::collection::vec(text(), 0..3), session in text(), paths in prop::collection::vec(text(), 0..3), body in "[a-z\n-]{0,30}") {
            let front = Frontmatter {
                id: "mem-20260110-091500".into(), topic, kind: MemoryKind::KnownIssue, importance: Importance::High,
                tags, keywords: vec![], cues: vec![], prompts: vec![], when: Triggers { paths: paths.clone(), ..Triggers::default() }, created: FrontmatterTime::parse("2026-01-10").unwrap(), updated: None, superseded_by: None,
                source: Some(MemorySource { session: Some(session), ..MemorySource::default() }),
            };
            let text = front.format_file(&body).unwrap();
            let parts = split_file(&text, Path::new("m.md")).unwrap();
            prop_assert_eq!(parts.body.trim_end(), body.trim_end());
            prop_assert_eq!(&Frontmatter::parse(parts.yaml, Path::new("m.md")).unwrap(), &front);
            let changed = set_key(parts.yaml, "topic", Some(&"other")).unwrap();
            let changed = Frontmatter::parse(&changed, Path::new("m.md")).unwrap();
            prop_assert_eq!(changed, Frontmatter { topic: "other".into(), ..front });
        }

        #[test]
        fn no_bytes_panic(text in "(---\n)?[ -~\n池]{0,60}(---\n)?[ -~\n]{0,20}") {
            let path = Path::new("m.md");
            let _ = split_file(&text, path).map(|parts| Frontmatter::parse(parts.yaml, path));
        }
    }
}
