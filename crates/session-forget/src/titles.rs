//! Titles that were given to sessions, where one is excluded.

use crate::exclusions::{Exclusions, item};
use crate::records::ForgetError;
use serde_json::Value;
use session_store::{StoreError, Writer};

impl Exclusions {
    /// Returns true when a title that an agent or a user gave to a session is not to be kept.
    pub fn excludes_title(&self, title: &str) -> bool {
        self.records.holds(&item::title_item(title)) || self.matches_text(title)
    }

    /// Clears what is excluded in the state of an agent's reader: titles, and what it remembers of forgotten sessions
    /// to number their next prompt.
    pub fn clear_state(&self, source: &str, state: &mut Value) {
        match state {
            Value::Object(fields) => {
                fields.retain(|key, value| {
                    value.get("next").is_none() || !self.has_forgotten(source, key, None)
                });
                for (key, value) in fields {
                    let is_title = key.ends_with("title") || key.ends_with("name");
                    match value
                        .as_str()
                        .is_some_and(|text| is_title && self.excludes_title(text))
                    {
                        true => *value = Value::Null,
                        false => self.clear_state(source, value),
                    }
                }
            }
            Value::Array(items) => items
                .iter_mut()
                .for_each(|item| self.clear_state(source, item)),
            _ => {}
        }
    }

    /// Clears what is excluded in the states of the readers that an index keeps.
    pub(crate) fn clear_states(&self, writer: &mut Writer) -> Result<(), ForgetError> {
        if self.is_empty() {
            return Ok(());
        }
        let clear = |source: &str, cursor: &str| {
            let before: Value = serde_json::from_str(cursor).ok()?;
            let mut state = before.clone();
            self.clear_state(source, &mut state);
            (state != before).then(|| state.to_string())
        };
        Ok(writer.edit_cursors(clear)?)
    }

    /// Deletes the excluded titles of an index; returns how many sessions had one.
    pub(crate) fn delete_titles(&self, writer: &mut Writer) -> Result<usize, ForgetError> {
        if self.is_empty() {
            return Ok(0);
        }
        let sessions = writer.delete_given_titles(|title| self.excludes_title(title))?;
        self.delete_unheld_titles(writer)?;
        Ok(sessions)
    }

    /// Deletes the titles of messages that no indexed turn holds, which may be those of a forgotten session. To be
    /// called when all histories are read.
    ///
    /// # Errors
    /// When the index fails.
    pub fn delete_unheld_titles(&self, writer: &mut Writer) -> Result<(), StoreError> {
        match self.is_empty() {
            true => Ok(()),
            false => writer.delete_unheld_titles(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exclusions::ExcludeSettings;
    use crate::records::ForgottenRecords;
    use serde_json::json;

    #[test]
    fn only_titles_leave_the_state_of_a_reader() {
        let settings = ExcludeSettings {
            patterns: vec!["lab".into()],
            ..ExcludeSettings::default()
        };
        let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
        let mut state =
            json!({"facts": {"cwd": "/lab", "custom_title": "The lab", "ai_title": "Lamps"}});
        exclusions.clear_state("claude", &mut state);
        let cleared = json!({"facts": {"cwd": "/lab", "custom_title": null, "ai_title": "Lamps"}});
        assert_eq!(state, cleared);
    }
}
