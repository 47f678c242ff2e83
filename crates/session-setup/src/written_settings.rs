//! The settings that setup wrote where the user may have their own: noted when they are written, taken back by undo.

use crate::change::print_written;
use crate::dialog::ConsentDialog;
use crate::error::Result;
use crate::outcome::StepOutcome;
use crate::setup_record::{SetupRecord, WrittenSetting};
use session_config::{Assignment, Home, RevertedKey, read_key, revert_keys};
use session_core::text::{path_line, sanitize_text};
use session_models::without_credentials;
use session_query::QueryError;

/// Name, in the record, of the time for which a history is kept.
pub(crate) const RETENTION: &str = "cleanupPeriodDays";

/// A key of the configuration that the step of the model writes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelKey {
    Model,
    RemoteUrl,
    RemoteModel,
}

impl ModelKey {
    /// The keys, in the order of the file.
    const ALL: [Self; 3] = [Self::Model, Self::RemoteUrl, Self::RemoteModel];

    /// Returns the name by which the user and the record know it.
    fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::RemoteUrl => "remote.url",
            Self::RemoteModel => "remote.model",
        }
    }

    /// Returns its table, if it is in one.
    fn table(self) -> Option<&'static str> {
        self.name().rsplit_once('.').map(|(table, _)| table)
    }

    /// Returns its name within the table.
    fn key(self) -> &'static str {
        self.name().rsplit('.').next().unwrap_or_default()
    }
}

/// The values of the keys in the user's configuration file, before or after the step of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ModelSettings([Option<String>; ModelKey::ALL.len()]);

impl ModelSettings {
    /// Reads them, without those of variables and projects.
    pub(crate) fn read(home: &Home) -> Result<Self> {
        let directory = home.directories().config;
        let mut settings = Self::default();
        for key in ModelKey::ALL {
            settings.0[key as usize] = read_key(&directory, key.table(), key.key())?;
        }
        Ok(settings)
    }

    fn get(&self, key: ModelKey) -> Option<&str> {
        self.0[key as usize].as_deref()
    }

    /// Replaces the value of a key.
    pub(crate) fn with(mut self, key: ModelKey, value: &str) -> Self {
        self.0[key as usize] = Some(value.to_owned());
        self
    }

    /// Formats the file and the lines of it that another value replaces.
    pub(crate) fn format_change(&self, home: &Home, after: &Self) -> String {
        let changed = |key: &ModelKey| self.get(*key) != after.get(*key);
        let lines = ModelKey::ALL.into_iter().filter(changed).map(|key| {
            let line = |mark: &str, value: &str| {
                let value = sanitize_text(&without_credentials(value)).into_owned();
                format!("\n  {mark} {} = \"{value}\"", key.name())
            };
            let old = self.get(key).map(|value| line("-", value));
            old.into_iter()
                .chain(after.get(key).map(|value| line("+", value)))
                .collect::<String>()
        });
        let path = path_line(&home.directories().config_file());
        format!("\n{path}{}", lines.collect::<String>())
    }

    /// Notes what is written over these values, and calls `write` for it. If that fails, nothing is noted.
    pub(crate) fn note_and_write(
        &self,
        home: &Home,
        after: &Self,
        write: impl FnOnce() -> Result<(), QueryError>,
    ) -> Result<()> {
        let known = SetupRecord::open(&home.directories().data)?;
        self.note_change(known.clone(), after)?;
        let written = write();
        if written.is_err() {
            known.write()?;
        }
        Ok(written?)
    }

    fn note_change(&self, mut record: SetupRecord, after: &Self) -> Result<()> {
        for key in ModelKey::ALL {
            let (before, after) = (self.get(key), after.get(key));
            if let Some(written) = after.filter(|_| before != after) {
                record.add(key.name(), before.map(str::to_owned), written)?;
            }
        }
        Ok(())
    }
}

/// A key that setup wrote, or was to write.
struct WrittenKey<'a> {
    key: ModelKey,
    setting: &'a WrittenSetting,
    /// The present value, if setup wrote it; `None` for one that was changed since.
    written: Option<&'a str>,
}

/// Takes back the choice of the model, as far as nobody changed it since; `None` if setup made none.
///
/// # Errors
/// When the configuration or the record cannot be read or written.
pub(crate) fn undo_model(
    home: &Home,
    dialog: &mut ConsentDialog<'_>,
) -> Result<Option<StepOutcome>> {
    let mut record = SetupRecord::open(&home.directories().data)?;
    let current = ModelSettings::read(home)?;
    if !ModelKey::ALL
        .iter()
        .any(|key| record.get(key.name()).is_some())
    {
        return Ok(None);
    }
    let written = find_written_keys(&record, &current);
    for changed in written.iter().filter(|key| key.written.is_none()) {
        dialog.print(&format!(
            "\n`{}` was changed since, and stays",
            changed.key.name()
        ))?;
    }
    let reverted: Vec<RevertedKey<'_>> =
        written.iter().filter_map(WrittenKey::to_reverted).collect();
    if !reverted.is_empty() {
        dialog.print_verbatim(&current.format_change(home, &current.reverted(&written)))?;
        if !dialog.confirm("Take it back?")? {
            return Ok(Some(StepOutcome::without_consent(dialog)));
        }
        revert_keys(&home.directories().config, &reverted)?;
        print_written(&home.directories().config_file(), dialog)?;
    }
    let outcome = if reverted.is_empty() {
        StepOutcome::Unchanged
    } else {
        StepOutcome::Written
    };
    for key in ModelKey::ALL {
        record.remove(key.name())?;
    }
    Ok(Some(outcome))
}

/// Lists the recorded keys without those that are what they were before: they were never written, or taken back since.
fn find_written_keys<'a>(record: &'a SetupRecord, current: &ModelSettings) -> Vec<WrittenKey<'a>> {
    let written = ModelKey::ALL.into_iter().filter_map(|key| {
        let setting = record.get(key.name())?;
        let current = current.get(key);
        (current != setting.before.as_deref()).then(|| WrittenKey {
            key,
            setting,
            written: setting.find_written(current),
        })
    });
    written.collect()
}

impl<'a> WrittenKey<'a> {
    fn to_reverted(&self) -> Option<RevertedKey<'a>> {
        Some(RevertedKey {
            assignment: Assignment {
                table: self.key.table(),
                key: self.key.key(),
                value: self.written?,
            },
            before: self.setting.before.as_deref(),
        })
    }
}

impl ModelSettings {
    /// Returns the values as they are once the unchanged ones are taken back.
    fn reverted(&self, written: &[WrittenKey<'_>]) -> Self {
        let mut after = self.clone();
        for key in written.iter().filter(|key| key.written.is_some()) {
            after.0[key.key as usize].clone_from(&key.setting.before);
        }
        after
    }
}
