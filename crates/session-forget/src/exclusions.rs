//! The rules of the configuration beside what was forgotten.

use crate::counts::ContentCounts;
use crate::entry::{EntryDraft, ForgetReason, ForgottenEntry};
use crate::error::ForgetError;
use crate::item;
use crate::records::ForgottenRecords;
use regex::Regex;
use serde::{Deserialize, Serialize};
use session_core::paste::moved_paste_keys;
use session_core::{SessionMeta, Turn, TurnContent, rule_names_path};
use session_redact::compile_selective_patterns;
use session_store::DedupKeys;
use std::collections::HashSet;
use std::convert::Infallible;

/// The version of what is removed: an index to which an older one was applied is looked through again.
const REMOVAL_VERSION: u32 = 7;
/// The version of these rules: where an older one may have kept out more, the histories are read again.
const RULES_VERSION: u32 = 3;
/// The version of those for projects and paths, likewise.
const PATH_RULES_VERSION: u32 = 4;

/// A history of prompts may have a prompt so many milliseconds before or after its turn.
pub(crate) const PROMPT_PERIOD_MS: i64 = 5 * 60 * 1000;

/// The `[exclude]` table of the user's configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExcludeSettings {
    /// Projects, by whole names in their path or by the path of a folder; `*` stands for anything.
    pub projects: Vec<String>,
    /// Folders and files of histories, likewise.
    pub paths: Vec<String>,
    /// Regular expressions: turns whose indexed texts match are left out, and titles that match.
    pub patterns: Vec<String>,
}

/// The sessions and turns that are not indexed.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    pub(crate) records: ForgottenRecords,
    pub(crate) settings: ExcludeSettings,
    patterns: Vec<Regex>,
    /// The settings do not remove what cannot be read again.
    pub(crate) keeps_unrecoverable: bool,
    /// Items of the sessions whose files are there and are not read.
    unread_sessions: HashSet<String>,
}

/// A session that is not to be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedSession {
    /// The agent, as its `Source::name`.
    pub source: String,
    /// The agent's id of the session.
    pub id: String,
}

/// The position of a turn in its session, at which another turn may come to stand.
pub(crate) struct TurnPosition<'a> {
    /// The agent's id of the session.
    pub(crate) session: &'a str,
    pub(crate) index: u32,
    pub(crate) started_ms: Option<i64>,
}

impl TurnPosition<'_> {
    /// Returns true if the records hold it. Older ones have no time.
    fn is_recorded_in<E>(
        &self,
        records: &ForgottenRecords,
        prompt: impl Fn() -> Result<String, E>,
    ) -> Result<bool, E> {
        let Self { session, index, .. } = *self;
        let mut times = [self.started_ms, None].into_iter();
        if times.any(|started| records.holds(&item::turn_item(session, index, started))) {
            return Ok(true);
        }
        Ok(records.holds(&item::position_item(session, index))
            && records.holds(&item::turn_prompt_item(session, index, &prompt()?)))
    }
}

impl Exclusions {
    /// Combines what was forgotten with the user's rules.
    ///
    /// # Errors
    /// When a pattern is not a regular expression, or matches any text.
    pub fn new(records: ForgottenRecords, settings: &ExcludeSettings) -> Result<Self, ForgetError> {
        Ok(Self {
            records,
            patterns: compile_selective_patterns("exclude.patterns", &settings.patterns)?,
            settings: settings.clone(),
            keeps_unrecoverable: false,
            unread_sessions: HashSet::new(),
        })
    }

    /// Returns the exclusions that also keep out the prompts of sessions whose files are there and are not read: a history
    /// of prompts tells no session that has a transcript.
    #[must_use]
    pub fn with_unread_sessions(self, sessions: &[ExcludedSession]) -> Self {
        let sessions = sessions.iter();
        let items = sessions.map(|session| item::session_item(&session.source, &session.id));
        Self {
            unread_sessions: items.collect(),
            ..self
        }
    }

    /// Returns true if files are there that are not read.
    pub(crate) fn has_unread_sessions(&self) -> bool {
        !self.unread_sessions.is_empty()
    }

    /// Returns true for a session whose file is there and is not read.
    pub(crate) fn is_unread(&self, source: &str, id: &str) -> bool {
        self.has_unread_sessions()
            && self
                .unread_sessions
                .contains(&item::session_item(source, id))
    }

    /// Returns the exclusions for settings that come from variables, which a project can set: they keep histories from
    /// being read and remove what can be read again, but nothing that its history no longer gives.
    #[must_use]
    pub fn keeping_unrecoverable(self) -> Self {
        Self {
            keeps_unrecoverable: true,
            ..self
        }
    }

    /// Returns the exclusions with what another process has forgotten or brought back since; `None` if nothing
    /// changed.
    ///
    /// # Errors
    /// When the records cannot be read.
    pub fn reread(&self) -> Result<Option<Self>, ForgetError> {
        let records = self.records.reread()?;
        Ok(records.map(|records| Self {
            records,
            ..self.clone()
        }))
    }

    /// Excludes marked sessions from now on, and writes that down.
    ///
    /// # Errors
    /// When the records cannot be written.
    pub fn with_sessions(&self, sessions: &[ExcludedSession]) -> Result<Self, ForgetError> {
        let mut exclusions = self.clone();
        let items = sessions.iter();
        let items = items.map(|marked| item::session_item(&marked.source, &marked.id));
        let entry = EntryDraft {
            at: "",
            reason: ForgetReason::Marker,
            counts: ContentCounts {
                sessions: sessions.len(),
                ..ContentCounts::default()
            },
        };
        exclusions.records.add(&entry, &items.collect())?;
        Ok(exclusions)
    }

    /// Returns true if a history file of one session is not to be read. A file of several sessions, such as a database, is
    /// read even if all sessions that it held were forgotten; only [rules](Self::rules_exclude_path) prevent that.
    pub fn excludes_session_file(&self, path: &str) -> bool {
        self.records.holds(&item::file_item(path)) || self.rules_exclude_path(path)
    }

    /// Returns true when the user's rules exclude a history by its path.
    pub fn rules_exclude_path(&self, path: &str) -> bool {
        matches_any(path, &self.settings.paths)
    }

    /// Returns true when the user's rules name projects.
    pub fn has_project_rules(&self) -> bool {
        !self.settings.projects.is_empty()
    }

    /// Returns true when the user's rules name paths of histories.
    pub(crate) fn has_path_rules(&self) -> bool {
        !self.settings.paths.is_empty()
    }

    /// Returns true when the user's rules exclude the project that one of these folders belongs to.
    pub(crate) fn rules_exclude_folders(&self, folders: [Option<&str>; 2]) -> bool {
        let excluded = |folder: &str| matches_any(folder, &self.settings.projects);
        folders.into_iter().flatten().any(excluded)
    }

    /// Returns true when a session, as its source describes it, is not to be indexed.
    pub fn excludes_session(&self, source: &str, session: &SessionMeta) -> bool {
        let folders = [session.project.as_deref(), session.cwd.as_deref()];
        self.has_forgotten_session(source, &session.id, session.parent.as_deref())
            || self.rules_exclude_folders(folders)
            || (session.prompts_only && self.is_unread(source, &session.id))
    }

    /// Returns true when a session, or the one that it belongs to, was forgotten.
    pub fn has_forgotten_session(&self, source: &str, id: &str, parent: Option<&str>) -> bool {
        let forgotten = |id: &str| self.records.holds(&item::session_item(source, id));
        forgotten(id) || parent.is_some_and(forgotten)
    }

    /// Returns true when a turn, as its source delivers it, is not to be indexed.
    pub fn excludes_turn(&self, session: &SessionMeta, turn: &Turn) -> bool {
        self.has_forgotten_turn(session, turn)
            || (session.prompts_only && self.has_forgotten_prompt(&turn.prompt, turn.started_ms))
            || (self.has_patterns() && self.rules_exclude_content(&TurnContent::from_turn(turn)))
    }

    /// Returns true when a turn, as its source delivers it, was forgotten.
    fn has_forgotten_turn(&self, session: &SessionMeta, turn: &Turn) -> bool {
        // The keys of a turn take as long as reading it.
        if self.records.is_empty() {
            return false;
        }
        let position = TurnPosition {
            session: &session.id,
            index: turn.index,
            started_ms: turn.started_ms,
        };
        let prompt = || Ok::<_, Infallible>(turn.prompt.clone());
        let keys = DedupKeys::from_turn(turn);
        let Ok(is_forgotten) = self.has_forgotten_turn_at(&position, keys, prompt);
        is_forgotten
    }

    /// Returns true when a prompt without a transcript is that of a forgotten turn. Older records have no time.
    pub(crate) fn has_forgotten_prompt(&self, prompt: &str, at_ms: Option<i64>) -> bool {
        if self.records.is_empty() {
            return false;
        }
        let is_at = |at: i64| {
            let period = at.div_euclid(PROMPT_PERIOD_MS);
            let holds_key = |key: &String| self.records.holds(&item::paste_key_item(key, period));
            self.records
                .holds(&item::prompt_period_item(prompt, period))
                || moved_paste_keys(prompt).iter().any(holds_key)
        };
        self.records.holds(&item::prompt_item(prompt)) || at_ms.is_some_and(is_at)
    }

    /// Returns true when a turn was forgotten, by its position or as a copy.
    pub(crate) fn has_forgotten_turn_at<E>(
        &self,
        position: &TurnPosition<'_>,
        keys: DedupKeys,
        prompt: impl Fn() -> Result<String, E>,
    ) -> Result<bool, E> {
        let at_time = |key: i64| self.records.holds(&item::prompt_time_item(key));
        if position.is_recorded_in(&self.records, &prompt)? || keys.prompt_time.is_some_and(at_time)
        {
            return Ok(true);
        }
        let origin = keys
            .origin
            .filter(|key| self.records.holds(&item::origin_item(*key)));
        let Some(origin) = origin else {
            return Ok(false);
        };
        Ok(self.records.holds(&item::copy_item(origin, &prompt()?)))
    }

    /// Returns true when the content of a turn matches a pattern of the user's rules.
    pub(crate) fn rules_exclude_content(&self, content: &TurnContent) -> bool {
        content
            .searched_texts()
            .any(|text| self.rules_exclude_text(text))
    }

    /// Returns true when a text matches a pattern of the user's rules.
    pub(crate) fn rules_exclude_text(&self, text: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(text))
    }

    /// Returns true when the user's rules have patterns.
    pub(crate) fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Returns true when nothing is excluded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.settings == ExcludeSettings::default()
    }

    /// Returns a hash of all exclusions, which an index notes when they were applied to it; empty where
    /// nothing is excluded.
    pub(crate) fn fingerprint(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let settings = serde_json::to_string(&self.settings).unwrap_or_default();
        let both = format!(
            "{REMOVAL_VERSION} {settings} {}",
            self.records.fingerprint()
        );
        blake3::hash(both.as_bytes()).to_hex().to_string()
    }

    /// Returns a hash of each rule of the settings and of each entry of the records.
    pub(crate) fn rule_hashes(&self) -> Vec<String> {
        let ExcludeSettings {
            projects,
            paths,
            patterns,
        } = &self.settings;
        let entries = self.records.entries().iter();
        let entries: Vec<String> = entries.map(ForgottenEntry::fingerprint).collect();
        hash_rules(PATH_RULES_VERSION, "project", projects)
            .chain(hash_rules(PATH_RULES_VERSION, "path", paths))
            .chain(hash_rules(RULES_VERSION, "pattern", patterns))
            .chain(hash_rules(RULES_VERSION, "entry", &entries))
            .collect()
    }
}

fn hash_rules(version: u32, kind: &str, rules: &[String]) -> impl Iterator<Item = String> {
    let rules = rules.iter();
    rules.map(move |rule| {
        let rule = format!("{version} {kind} {rule}");
        blake3::hash(rule.as_bytes()).to_hex()[..32].to_owned()
    })
}

fn matches_any(path: &str, rules: &[String]) -> bool {
    rules.iter().any(|rule| rule_names_path(rule, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{CallStatus, ToolCall, TurnPart};

    #[test]
    fn a_pattern_is_compared_with_what_of_a_turn_is_indexed() {
        let settings = ExcludeSettings {
            patterns: vec!["secret-lab".into()],
            ..ExcludeSettings::default()
        };
        let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
        let excludes = |call: ToolCall| {
            let turn = Turn {
                prompt: "Where is the plan?".into(),
                parts: vec![TurnPart::Call(call)],
                ..Turn::default()
            };
            exclusions.excludes_turn(&SessionMeta::default(), &turn)
        };
        let call = |name: &str| ToolCall {
            name: name.into(),
            ..ToolCall::default()
        };
        assert!(excludes(ToolCall {
            files: vec!["/home/ann/secret-lab/plan.md".into()],
            ..call("Read")
        }));
        assert!(excludes(ToolCall {
            command: Some("ls secret-lab".into()),
            ..call("Bash")
        }));
        assert!(excludes(ToolCall {
            command: Some("make".into()),
            output: Some("error: secret-lab is missing".into()),
            status: CallStatus::Failed,
            ..call("Bash")
        }));
        assert!(!excludes(ToolCall {
            command: Some("ls".into()),
            output: Some("secret-lab\nharbour".into()),
            ..call("Bash")
        }));
    }
}
