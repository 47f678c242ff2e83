//! How long Claude Code keeps transcripts: `cleanupPeriodDays` in its settings.

use crate::error::{Result, SettingsResult};
use crate::merged_settings::MergedSettings;
use crate::settings_file::{SettingsChange, SettingsFile};
use crate::settings_text::{SettingsText, remove_property};
use crate::skill_rule::remove_rules;
use jsonc_parser::cst::CstInputValue;
use session_sources::{Env, find_source};
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const KEY: &str = "cleanupPeriodDays";

/// Days for which Claude Code keeps transcripts where its settings do not say.
pub const DEFAULT_RETENTION_DAYS: u32 = 30;

/// The numbers of days for which a history may be kept.
const RETENTION_DAYS: RangeInclusive<u32> = 1..=36_500;

/// Parses the number of days for which transcripts are kept. The error is the end of a sentence whose subject is the text.
///
/// # Errors
/// When the text is no number, or out of bounds.
pub fn parse_retention_days(text: &str) -> std::result::Result<u32, String> {
    let days = text.parse().ok();
    let days = days.filter(|days| RETENTION_DAYS.contains(days));
    days.ok_or_else(|| {
        let (first, last) = (RETENTION_DAYS.start(), RETENTION_DAYS.end());
        format!("not a number of days from {first} to {last}")
    })
}

impl SettingsFile {
    /// Reads the retention as it is written, which may be any JSON value; `None` if it is not
    /// set.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a JSON object.
    pub fn read_cleanup_period(&self) -> Result<Option<String>> {
        let text = self.read()?.unwrap_or_default();
        let settings = SettingsText::parse(&text).map_err(|e| self.error(e))?;
        Ok(written_period(&settings))
    }

    /// Plans to keep transcripts for `days` days.
    ///
    /// # Errors
    /// As [`SettingsFile::read_cleanup_period`].
    pub fn plan_retention(&self, days: u32) -> Result<SettingsChange> {
        self.plan(|text| set_cleanup_period(text, &days.to_string()))
    }

    /// Plans to undo a retention: the value before it is written again, or removed if there was none. A value that was
    /// changed since stays.
    ///
    /// # Errors
    /// As [`SettingsFile::read_cleanup_period`].
    pub fn plan_retention_undo(
        &self,
        written: &str,
        before: Option<&str>,
    ) -> Result<SettingsChange> {
        self.plan_undo(
            |text| restore_cleanup_period(text, written, before),
            // Of several backups that with `before` is the original.
            |text| match written_period(&SettingsText::parse(text)?).as_deref() == before {
                true => set_cleanup_period(text, written),
                false => Ok(text.to_owned()),
            },
        )
    }

    /// Returns true if the file holds nothing but this retention and the rules that allow the skill.
    ///
    /// # Errors
    /// As [`SettingsFile::read_cleanup_period`].
    pub fn holds_only(&self, retention: &str) -> Result<bool> {
        let text = self.read()?.unwrap_or_default();
        let rest =
            remove_rules(&text).and_then(|rest| restore_cleanup_period(&rest, retention, None));
        let rest = rest.and_then(|rest| SettingsText::parse(&rest));
        let rest = rest.map_err(|e| self.error(e))?;
        let has_retention = self.read_cleanup_period()?.as_deref() == Some(retention);
        Ok(has_retention && rest.is_empty())
    }
}

/// The time for which Claude Code keeps transcripts, and the number that it deletes soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryRetention {
    /// Days from the last change of a transcript to its deletion.
    pub days: u32,
    /// Transcripts that are deleted within `days_ahead` days.
    pub vanishing: usize,
}

const DAY_SECONDS: u64 = 24 * 60 * 60;

impl HistoryRetention {
    /// Counts the transcripts that are deleted within `days_ahead` days; `None` if there is no
    /// transcript, or the settings cannot be read.
    pub fn read(env: &Env, settings: &MergedSettings, days_ahead: u32) -> Option<Self> {
        let found = find_source("claude")?.locate(env).locations;
        let transcripts = || found.iter().filter(|at| at.path_session.session.is_some());
        transcripts().next()?;
        let days = match settings.read_cleanup_period().ok()? {
            Some(written) => written.parse().ok()?,
            None => DEFAULT_RETENTION_DAYS,
        };
        let age = Duration::from_secs(u64::from(days.saturating_sub(days_ahead)) * DAY_SECONDS);
        let oldest = SystemTime::now()
            .checked_sub(age)?
            .duration_since(UNIX_EPOCH)
            .ok()?;
        let oldest = i64::try_from(oldest.as_nanos()).ok()?;
        let vanishing = transcripts()
            .filter(|at| at.stamp.mtime_ns < oldest)
            .count();
        Some(Self { days, vanishing })
    }
}

fn written_period(settings: &SettingsText) -> Option<String> {
    let value = settings.object.get(KEY)?.value()?;
    Some(value.to_string())
}

/// Sets the retention back to what was written before, or removes it, where it still is `written`.
fn restore_cleanup_period(
    text: &str,
    written: &str,
    before: Option<&str>,
) -> SettingsResult<String> {
    let settings = SettingsText::parse(text)?;
    if written_period(&settings).as_deref() != Some(written) {
        return Ok(text.to_owned());
    }
    match before {
        Some(before) => set_cleanup_period(text, before),
        None => {
            remove_property(&settings.object, KEY);
            settings.format_checked()
        }
    }
}

/// Sets the retention to a JSON value.
fn set_cleanup_period(text: &str, value: &str) -> SettingsResult<String> {
    let settings = SettingsText::parse(text)?;
    let value = CstInputValue::Number(value.to_owned());
    match settings.object.get(KEY) {
        Some(property) => property.set_value(value),
        None => drop(settings.object.insert(0, KEY, value)),
    }
    settings.format_checked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn a_number_of_days_out_of_bounds_is_refused() {
        assert_eq!(parse_retention_days("365"), Ok(365));
        let refused = "not a number of days from 1 to 36500";
        for text in ["0", "36501", "abc", "-1"] {
            assert_eq!(parse_retention_days(text).unwrap_err(), refused);
        }
    }

    #[test]
    fn every_other_value_stays_as_it_is_written() {
        let check = |old: &str, new: &str| assert_eq!(set_cleanup_period(old, "365").unwrap(), new);
        check("", "{\n  \"cleanupPeriodDays\": 365\n}\n");
        check("{}", "{\n  \"cleanupPeriodDays\": 365\n}");
        check(
            "{\n    \"z\": 1.0,\n    \"a\": {\"cleanupPeriodDays\": 3}\n}\n",
            "{\n    \"cleanupPeriodDays\": 365,\n    \"z\": 1.0,\n    \"a\": {\"cleanupPeriodDays\": 3}\n}\n",
        );
        check(
            "{\"z\": \"{é\",\n\t\"cleanupPeriodDays\" :30 , \"a\": []}",
            "{\"z\": \"{é\",\n\t\"cleanupPeriodDays\" :365 , \"a\": []}",
        );
        check(
            "{\"cleanupPeriodDays\": null}",
            "{\"cleanupPeriodDays\": 365}",
        );
        check(
            "{\"a\":1}",
            "{\n  \"cleanupPeriodDays\": 365,\n  \"a\":1\n}",
        );
    }

    #[test]
    fn a_text_that_is_not_a_json_object_is_refused() {
        for text in ["[]", "{", "{\"a\": 1} x", "// {}", "3", "{\"a\": 1,}"] {
            assert!(set_cleanup_period(text, "365").is_err(), "{text}");
        }
    }

    #[test]
    fn a_retention_goes_back_unless_it_was_changed_since() {
        for old in ["", "{\"a\": 1}\n", "{\n  \"cleanupPeriodDays\": 30\n}\n"] {
            let home = tempfile::tempdir().unwrap();
            let env = Env::with_home(home.path());
            let settings = SettingsFile::for_user(&env).unwrap();
            if !old.is_empty() {
                fs_err::create_dir(home.path().join(".claude")).unwrap();
                fs_err::write(settings.path(), old).unwrap();
            }
            let before = settings.read_cleanup_period().unwrap();
            settings.plan_retention(365).unwrap().write().unwrap();
            let is_own = settings.holds_only("365").unwrap();
            assert_eq!(is_own, !old.contains('a') || before.is_some(), "{old}");
            let undo = |written| settings.plan_retention_undo(written, before.as_deref());
            assert!(undo("400").unwrap().is_noop(), "{old}");
            undo("365").unwrap().write().unwrap();
            let left = settings.read().unwrap();
            assert_eq!(left.unwrap_or_default(), old);
            assert_eq!(settings.path().exists(), !old.is_empty(), "{old}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn only_the_key_changes(keys in proptest::collection::btree_map("[a-z{}\"é]{0,6}|cleanupPeriodDays", any::<i32>(), 0..5), pretty: bool, days in 1u32..1000) {
            let old = json!(keys);
            let text = if pretty { serde_json::to_string_pretty(&old).unwrap() } else { old.to_string() };
            let new: Value = serde_json::from_str(&set_cleanup_period(&text, &days.to_string()).unwrap()).unwrap();
            let mut expected = old;
            expected["cleanupPeriodDays"] = json!(days);
            prop_assert_eq!(new, expected);
        }
    }
}
