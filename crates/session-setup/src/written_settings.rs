//! The settings that setup wrote where the user may have their own: noted when they are written, taken back by undo.

use crate::change::{format_path, print_written};
use crate::dialog::SetupDialog;
use crate::error::Result;
use crate::outcome::StepOutcome;
use session_config::{
    Assignment, Home, RevertedKey, SetupRecord, WrittenSetting, read_key, revert_keys,
};
use session_core::text::sanitize_text;
use session_models::without_credentials;

/// Name, in the record, of the time for which a history is kept.
pub(crate) const RETENTION: &str = "cleanupPeriodDays";

const CONFIG_FILE: &str = "config.toml";

/// A key of the configuration that the step of the model writes.
#[derive(Debug, Clone, Copy)]
struct ModelKey {
    name: &'static str,
    table: Option<&'static str>,
    key: &'static str,
}

/// The keys, in the order of the file.
const MODEL_KEYS: [ModelKey; 3] = [
    ModelKey {
        name: "model",
        table: None,
        key: "model",
    },
    ModelKey {
        name: "remote.url",
        table: Some("remote"),
        key: "url",
    },
    ModelKey {
        name: "remote.model",
        table: Some("remote"),
        key: "model",
    },
];

/// The values of the keys in the user's configuration file, before or after the step of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelSettings {
    pub(crate) model: Option<String>,
    pub(crate) remote_url: Option<String>,
    pub(crate) remote_model: Option<String>,
}

impl ModelSettings {
    /// Reads them, without those of variables and projects.
    pub(crate) fn read(home: &Home) -> Result<Self> {
        let directory = home.folders().config;
        let read = |key: ModelKey| read_key(&directory, key.table, key.key);
        let [model, url, remote_model] = MODEL_KEYS;
        Ok(Self {
            model: read(model)?,
            remote_url: read(url)?,
            remote_model: read(remote_model)?,
        })
    }

    /// Returns the values in the order of [`MODEL_KEYS`].
    fn values(&self) -> [Option<&str>; 3] {
        let values = [&self.model, &self.remote_url, &self.remote_model];
        values.map(Option::as_deref)
    }

    /// Formats the file and the lines of it that another value replaces.
    pub(crate) fn format_change(&self, home: &Home, after: &Self) -> String {
        let pairs = self.values().into_iter().zip(after.values());
        let lines = MODEL_KEYS
            .iter()
            .zip(pairs)
            .filter(|(_, (old, new))| old != new);
        let lines = lines.map(|(key, (old, new))| {
            let line = |mark: &str, value: &str| {
                let value = sanitize_text(&without_credentials(value)).into_owned();
                format!("\n  {mark} {} = \"{value}\"", key.name)
            };
            let old = old.map(|value| line("-", value));
            old.into_iter()
                .chain(new.map(|value| line("+", value)))
                .collect::<String>()
        });
        let path = format_path(&home.folders().config.join(CONFIG_FILE));
        format!("\n{path}{}", lines.collect::<String>())
    }

    /// Notes what the step wrote over these values.
    pub(crate) fn note_change(&self, home: &Home) -> Result<()> {
        let mut record = SetupRecord::open(&home.folders().data)?;
        let after = Self::read(home)?;
        let pairs = self.values().into_iter().zip(after.values());
        for (key, (before, after)) in MODEL_KEYS.iter().zip(pairs) {
            if let Some(written) = after.filter(|_| before != after) {
                record.add(key.name, before.map(str::to_owned), written)?;
            }
        }
        Ok(())
    }
}

/// A key that setup wrote.
struct WrittenKey<'a> {
    key: ModelKey,
    setting: &'a WrittenSetting,
    is_unchanged: bool,
}

/// Takes back the choice of the model, as far as nobody changed it since; `None` where setup made none.
///
/// # Errors
/// When the configuration or the record cannot be read or written.
pub(crate) fn undo_model(home: &Home, dialog: &mut SetupDialog<'_>) -> Result<Option<StepOutcome>> {
    let mut record = SetupRecord::open(&home.folders().data)?;
    let current = ModelSettings::read(home)?;
    let written = find_written_keys(&record, &current);
    if written.is_empty() {
        return Ok(None);
    }
    for changed in written.iter().filter(|key| !key.is_unchanged) {
        dialog.print(&format!(
            "\n`{}` was changed since, and stays",
            changed.key.name
        ))?;
    }
    let reverted: Vec<RevertedKey<'_>> = written
        .iter()
        .filter(|key| key.is_unchanged)
        .map(WrittenKey::to_reverted)
        .collect();
    if !reverted.is_empty() {
        dialog.print(&current.format_change(home, &current.reverted(&written)))?;
        if !dialog.confirm("Take it back?")? {
            return Ok(Some(StepOutcome::without_consent(dialog)));
        }
        revert_keys(&home.folders().config, &reverted)?;
        print_written(&home.folders().config.join(CONFIG_FILE), dialog)?;
    }
    let outcome = match reverted.is_empty() {
        true => StepOutcome::Unchanged,
        false => StepOutcome::Written,
    };
    for key in MODEL_KEYS {
        record.remove(key.name)?;
    }
    Ok(Some(outcome))
}

fn find_written_keys<'a>(record: &'a SetupRecord, current: &ModelSettings) -> Vec<WrittenKey<'a>> {
    let keys = MODEL_KEYS.into_iter().zip(current.values());
    let written = keys.filter_map(|(key, value)| {
        let setting = record.get(key.name)?;
        Some(WrittenKey {
            key,
            setting,
            is_unchanged: value == Some(&setting.written),
        })
    });
    written.collect()
}

impl<'a> WrittenKey<'a> {
    fn to_reverted(&self) -> RevertedKey<'a> {
        RevertedKey {
            assignment: Assignment {
                table: self.key.table,
                key: self.key.key,
                value: &self.setting.written,
            },
            before: self.setting.before.as_deref(),
        }
    }
}

impl ModelSettings {
    /// Returns the values as they are once the unchanged ones are taken back.
    fn reverted(&self, written: &[WrittenKey<'_>]) -> Self {
        let mut after = self.clone();
        for key in written.iter().filter(|key| key.is_unchanged) {
            let value = match key.key.name {
                "model" => &mut after.model,
                "remote.url" => &mut after.remote_url,
                _ => &mut after.remote_model,
            };
            value.clone_from(&key.setting.before);
        }
        after
    }
}
