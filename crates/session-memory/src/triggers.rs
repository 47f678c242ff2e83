//! Triggers: the files, commands and errors for which a memory matters, matched exactly.

pub(crate) mod command_forms;
pub(crate) mod event_matcher;
pub(crate) mod trigger_glob;

use crate::error::{MemoryError, Result};
use crate::text::secret_text::TextMut;
use crate::text::string_list::deserialize_string_list;
use crate::text::yaml_file::{extract_key, parse_yaml, split_file};
use crate::triggers::trigger_glob::TriggerGlob;
use serde::{Deserialize, Deserializer, Serialize};
use session_core::text::{clip, sanitize_text};
use std::path::Path;

/// The key of triggers in a file.
pub(crate) const TRIGGERS_KEY: &str = "when";
/// The longest trigger, in bytes.
const MAX_TRIGGER_BYTES: usize = 300;
/// The most triggers of each sort.
const MAX_TRIGGERS: usize = 32;
/// The fewest characters of an error: fewer are part of any text.
const MIN_ERROR_CHARS: usize = 4;

/// The triggers of a memory: `when` in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Triggers {
    /// Globs of paths relative to the project's root: `**/migrations/**`.
    #[serde(
        deserialize_with = "deserialize_string_list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub paths: Vec<String>,
    /// Globs of commands: `terraform *`.
    #[serde(
        deserialize_with = "deserialize_string_list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub commands: Vec<String>,
    /// Parts of error messages: `PoolTimedOut`.
    #[serde(
        deserialize_with = "deserialize_string_list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub errors: Vec<String>,
}

/// Deserializes triggers, or nothing (`null`, an empty value).
pub(crate) fn deserialize_triggers<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Triggers, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

impl Triggers {
    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.commands.is_empty() && self.errors.is_empty()
    }

    /// Adds the triggers of another memory as far as there is room, without those that [`Triggers::normalized`] refuses: a
    /// file may have any.
    pub(crate) fn extend_valid(&mut self, other: &Self) {
        let none = Self::default;
        let paths = other.paths.iter().map(|text| Self {
            paths: vec![text.clone()],
            ..none()
        });
        let commands = other.commands.iter().map(|text| Self {
            commands: vec![text.clone()],
            ..none()
        });
        let errors = other.errors.iter().map(|text| Self {
            errors: vec![text.clone()],
            ..none()
        });
        let valid = paths.chain(commands).chain(errors);
        for one in valid.filter_map(|one| one.normalized().ok()) {
            add_new(&mut self.paths, one.paths);
            add_new(&mut self.commands, one.commands);
            add_new(&mut self.errors, one.errors);
        }
    }

    /// Returns all globs and parts of errors.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = TextMut<'_>> {
        let Self {
            paths,
            commands,
            errors,
        } = self;
        let globs = paths.iter_mut().chain(commands).map(TextMut::Glob);
        globs.chain(errors.iter_mut().map(TextMut::Prose))
    }

    /// Returns the triggers without blank ones and repeats.
    ///
    /// # Errors
    /// When one is not a glob, is too long or leads out of the project, when an error is too short, or when there are
    /// too many.
    pub(crate) fn normalized(&self) -> Result<Self> {
        let normal = Self {
            paths: normalize(&self.paths)?,
            commands: normalize(&self.commands)?,
            errors: normalize(&self.errors)?,
        };
        for glob in &normal.paths {
            refuse_outside(glob)?;
            TriggerGlob::for_paths(glob)?;
        }
        for glob in &normal.commands {
            TriggerGlob::for_commands(glob)?;
        }
        let mut errors = normal.errors.iter();
        match errors.find(|error| error.chars().count() < MIN_ERROR_CHARS) {
            Some(short) => Err(MemoryError::refused_with_hint(
                format!("the error `{short}` is too short: it needs {MIN_ERROR_CHARS} characters"),
                "give more of the message",
            )),
            None => Ok(normal),
        }
    }

    /// Reads the triggers of a file without the rest of its frontmatter, which takes most of the time;
    /// `None` if they do not stand by themselves.
    pub(crate) fn parse_without_frontmatter(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct TriggersAlone {
            #[serde(deserialize_with = "deserialize_triggers")]
            when: Triggers,
        }
        let yaml = split_file(text, Path::new("")).ok()?.yaml;
        let alone: TriggersAlone = parse_yaml(&extract_key(yaml, TRIGGERS_KEY)?).ok()?;
        Some(alone.when).filter(|when| !when.is_empty())
    }

    /// Returns true if a prompt holds one of the errors. Plain words and paths are left out: prompts are prose, and
    /// name files for many reasons.
    pub(crate) fn matches_prompt(&self, prompt: &str) -> bool {
        let mut errors = self.errors_in(prompt);
        errors.any(is_distinctive_error)
    }

    /// Returns true if a text holds one of the errors.
    pub(crate) fn matches_error(&self, text: &str) -> bool {
        self.errors_in(text).next().is_some()
    }

    /// Returns the errors that a text holds. Errors that are too short are skipped: any text may hold them.
    pub(crate) fn errors_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let errors = self.errors.iter().map(String::as_str);
        let errors = errors.filter(|error| error.chars().count() >= MIN_ERROR_CHARS);
        errors.filter(|error| text.contains(error))
    }
}

/// Returns false for a word as prose has it, `timeout` or `Timeout`, and for a path.
fn is_distinctive_error(error: &str) -> bool {
    let is_plain = error.chars().skip(1).all(|c| c.is_ascii_lowercase());
    let is_path = error.contains('/') && !error.contains(char::is_whitespace);
    !is_plain && !is_path
}

/// The triggers of a memory that a command changes; `None` leaves some as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerChange {
    /// The new globs of paths.
    pub paths: Option<Vec<String>>,
    /// The new globs of commands.
    pub commands: Option<Vec<String>>,
    /// The new parts of errors.
    pub errors: Option<Vec<String>>,
}

impl TriggerChange {
    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns all new globs and parts of errors.
    pub(crate) fn texts_mut(&mut self) -> impl Iterator<Item = TextMut<'_>> {
        let Self {
            paths,
            commands,
            errors,
        } = self;
        let globs = [paths, commands].into_iter().flatten().flatten();
        let errors = errors.iter_mut().flatten();
        globs.map(TextMut::Glob).chain(errors.map(TextMut::Prose))
    }

    /// Returns the lists of a memory's triggers that the change gave it, without the others.
    pub fn keep_changed(&self, triggers: &Triggers) -> Triggers {
        let keep = |new: &Option<Vec<String>>, now: &Vec<String>| {
            new.as_ref().map_or_else(Vec::new, |_| now.clone())
        };
        Triggers {
            paths: keep(&self.paths, &triggers.paths),
            commands: keep(&self.commands, &triggers.commands),
            errors: keep(&self.errors, &triggers.errors),
        }
    }

    /// Applies the change to triggers.
    ///
    /// # Errors
    /// When one is not a glob, or an error is too short.
    pub(crate) fn apply(&self, triggers: &Triggers) -> Result<Triggers> {
        let new =
            |new: &Option<Vec<String>>, old: &Vec<String>| new.as_ref().unwrap_or(old).clone();
        let changed = Triggers {
            paths: new(&self.paths, &triggers.paths),
            commands: new(&self.commands, &triggers.commands),
            errors: new(&self.errors, &triggers.errors),
        };
        changed.normalized()
    }
}

/// An act that an agent is about to do, or one that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerEvent {
    /// The paths of files relative to the project's root, with `/`.
    pub paths: Vec<String>,
    /// The simple commands of a command line, each in the forms in which a glob may name it.
    pub commands: Vec<String>,
    /// The texts of errors.
    pub errors: Vec<String>,
    /// The words of the call: what is searched, written or run.
    pub text: String,
    /// The call may be denied where a memory is injected. Then a trigger that matches decides alone, without the relevance
    /// to the session.
    pub may_be_denied: bool,
}

impl TriggerEvent {
    /// Returns true if nothing can match.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.commands.is_empty() && self.errors.is_empty()
    }
}

fn normalize(texts: &[String]) -> Result<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    for text in texts {
        // Nothing else is changed: triggers are compared exactly.
        let text = sanitize_text(text).trim().to_owned();
        if text.contains('\n') {
            let first = clip(text.lines().next().unwrap_or_default(), 40);
            return Err(MemoryError::refused_with_hint(
                format!("the trigger `{first}…` has more than one line"),
                "give the line that tells most, or each as a trigger",
            ));
        }
        if text.len() > MAX_TRIGGER_BYTES {
            return Err(MemoryError::refused_with_hint(
                format!(
                    "the trigger `{}…` is longer than {MAX_TRIGGER_BYTES} bytes",
                    clip(&text, 40)
                ),
                "give the part of it that tells most",
            ));
        }
        if !text.is_empty() && !out.contains(&text) {
            out.push(text);
        }
    }
    match out.len() {
        0..=MAX_TRIGGERS => Ok(out),
        count => Err(MemoryError::refused(format!(
            "{count} triggers of one sort are too many: a memory has at most {MAX_TRIGGERS}"
        ))),
    }
}

/// Adds the texts that a list of triggers lacks, as many as it has room for.
fn add_new(list: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if list.len() < MAX_TRIGGERS && !list.contains(&text) {
            list.push(text);
        }
    }
}

/// Refuses a glob that no path below the project's root can match.
fn refuse_outside(glob: &str) -> Result<()> {
    let leads_out = glob.starts_with('~') || glob.split('/').any(|segment| segment == "..");
    if leads_out {
        Err(MemoryError::refused_with_hint(
            format!("`{glob}` matches no file: paths are those below the project's root"),
            "write the path from the project's root: `src/`, `**/migrations/**`",
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triggers::event_matcher::EventMatcher;

    #[test]
    fn spaces_within_a_trigger_stay() {
        let error = "Fehler:  doppelt".to_owned();
        let triggers = Triggers {
            errors: vec![format!(" {error}\n")],
            ..Triggers::default()
        };
        assert_eq!(triggers.normalized().unwrap().errors, [error]);
    }

    #[test]
    fn commands_and_errors_are_matched_exactly() {
        let triggers = Triggers {
            commands: vec![
                "terraform *".into(),
                "npm install*".into(),
                "make * all".into(),
                "[".into(),
            ],
            errors: vec!["PoolTimedOut".into(), "e".into()],
            ..Triggers::default()
        };
        let runs = |command: &str| {
            let event = TriggerEvent {
                commands: vec![command.to_owned()],
                ..TriggerEvent::default()
            };
            EventMatcher::new(&event).matches(&triggers)
        };
        assert!(runs("terraform apply -var a=/b"));
        assert!(runs("npm install"));
        assert!(runs("terraform"), "agents write ` *` for any words or none");
        assert!(!runs("terraformer") && !runs("make all"));
        assert!(!runs("my terraform apply"));
        assert!(triggers.matches_error("Exit code 1\nthread: PoolTimedOut (30s)"));
        assert!(
            !triggers.matches_error("pool timed out"),
            "`e` is too short"
        );
    }

    #[test]
    fn valid_triggers_are_added_as_far_as_there_is_room() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let mut triggers = Triggers {
            paths: (1..MAX_TRIGGERS).map(|n| format!("dir{n}/")).collect(),
            ..Triggers::default()
        };
        triggers.extend_valid(&Triggers {
            paths: list(&["dir1/", "[a", "../x", "docs/", "src/"]),
            commands: list(&["[", "make *"]),
            errors: list(&["no", "PoolTimedOut"]),
        });
        assert_eq!(triggers.paths.len(), MAX_TRIGGERS);
        assert_eq!(triggers.paths[MAX_TRIGGERS - 1], "docs/");
        assert_eq!(triggers.commands, ["make *"]);
        assert_eq!(triggers.errors, ["PoolTimedOut"]);
        triggers.normalized().unwrap();
    }

    #[test]
    fn triggers_are_read_without_the_rest() {
        let read = Triggers::parse_without_frontmatter;
        let when = read("---\nid: x\nwhen:\n  paths:\n\n# b\n    - a\ntopic: [\n---\n").unwrap();
        assert_eq!(when.paths, ["a"]);
        assert_eq!(
            read("---\nwhen: {errors: boom}\n---\n").unwrap().errors,
            ["boom"]
        );
        for other in [
            "---\nid: x\n---\n",
            "---\n\"when\": {paths: a}\n---\n",
            "---\n\"when\": {paths: a}\n---\n\nIn YAML:\nwhen:\n  paths: b\n",
            "---\nwhen:\npaths: a\n---\n",
            "---\nwhen: {paths: [a,\nb]}\n---\n",
            "---\nwhen: {paths: a}\n",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn triggers_are_normalized_and_mistakes_refused() {
        let triggers = |paths: &[&str]| Triggers {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            ..Triggers::default()
        };
        let normal = triggers(&[" a\n", "a", "", "b"]).normalized().unwrap();
        assert_eq!(normal, triggers(&["a", "b"]));
        let error = triggers(&["[a"]).normalized().unwrap_err().to_string();
        assert!(error.starts_with("`[a` is not a glob: "), "{error}");
        let short = Triggers {
            errors: vec!["no".into()],
            ..Triggers::default()
        };
        assert!(short.normalized().is_err());
        for outside in ["../x", "~/foo", "a/../../b"] {
            assert!(triggers(&[outside]).normalized().is_err(), "{outside}");
        }
        let many: Vec<String> = (0..33).map(|n| format!("dir{n}/")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(triggers(&many).normalized().is_err());
        assert!(triggers(&many[1..]).normalized().is_ok());
        assert!(triggers(&[&"x".repeat(301)]).normalized().is_err());
        let lines = Triggers {
            errors: vec!["ERROR: out of oil\n  at lantern".into()],
            ..Triggers::default()
        };
        let error = lines.normalized().unwrap_err().to_string();
        let expected = "the trigger `ERROR: out of oil…` has more than one line";
        assert!(error.starts_with(expected), "{error}");
    }
}
