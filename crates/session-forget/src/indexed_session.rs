//! A session of the index, judged by what is excluded.

use crate::error::ForgetError;
use crate::exclusions::{Exclusions, TurnPosition};
use session_store::{Reader, SessionRow, StoreError, TurnId, TurnRecord, TurnRow, Writer};
use std::collections::HashSet;

/// A session of the index with the exclusions that it is compared with.
pub(crate) struct IndexedSession<'a> {
    exclusions: &'a Exclusions,
    /// The session.
    pub(crate) row: &'a SessionRow,
    /// The settings leave it as it is: only what was forgotten is excluded of it.
    pub(crate) is_kept_by_settings: bool,
}

impl<'a> IndexedSession<'a> {
    /// Finds out whether the settings [keep](Exclusions::keeps_session) the session.
    pub(crate) fn new(
        exclusions: &'a Exclusions,
        index: &Reader,
        row: &'a SessionRow,
    ) -> Result<Self, ForgetError> {
        Ok(Self {
            is_kept_by_settings: exclusions.keeps_session(index, row)?,
            exclusions,
            row,
        })
    }

    /// Returns true when the session is not to be in the index, nor are those that it started.
    pub(crate) fn is_excluded_with_subagents(&self) -> bool {
        let Self {
            exclusions, row, ..
        } = *self;
        let folders = [row.project.as_deref(), row.cwd.as_deref()];
        exclusions.has_forgotten_session(&row.source, &row.uid, row.parent.as_deref())
            || (!self.is_kept_by_settings && exclusions.rules_exclude_folders(folders))
    }

    /// Returns true when the session is not to be in the index, though one that it belongs to may be.
    pub(crate) fn is_excluded(&self, index: &Reader) -> Result<bool, ForgetError> {
        let Self {
            exclusions,
            row,
            is_kept_by_settings,
        } = *self;
        if self.is_excluded_with_subagents() {
            return Ok(true);
        }
        if is_kept_by_settings {
            return Ok(false);
        }
        if row.prompts_only && exclusions.is_unread(&row.source, &row.uid) {
            return Ok(true);
        }
        exclusions.rules_exclude_file_of(index, row)
    }

    /// Deletes the content of the excluded turns of a session that stays. Returns how many turns still had it.
    pub(crate) fn exclude_turns(&self, writer: &mut Writer) -> Result<usize, ForgetError> {
        let turns = self.find_turns_to_exclude(writer.reader()?)?;
        let mut count = 0;
        for turn in turns.iter().filter(|turn| !turn.is_excluded()) {
            writer.exclude_turn(turn.id)?;
            count += 1;
        }
        Ok(count)
    }

    fn find_turns_to_exclude(&self, index: &Reader) -> Result<Vec<TurnRow>, ForgetError> {
        let by_content = self.turns_excluded_by_content(index)?;
        let mut turns = Vec::new();
        for turn in index.turns(self.row.id)? {
            if self.has_forgotten_turn(index, &turn)? || by_content.contains(&turn.id) {
                turns.push(turn);
            }
        }
        Ok(turns)
    }

    fn has_forgotten_turn(&self, index: &Reader, turn: &TurnRow) -> Result<bool, StoreError> {
        let keys = index.dedup_keys(turn.id)?;
        let position = TurnPosition {
            session: &self.row.uid,
            index: turn.index,
            started_ms: turn.started_ms,
        };
        let prompt = || Ok::<_, StoreError>(index.content(turn.id)?.typed_prompt().to_owned());
        self.exclusions
            .has_forgotten_turn_at(&position, keys, prompt)
    }

    /// Returns the turns that are excluded by their content, which is read only where something looks at it.
    fn turns_excluded_by_content(&self, index: &Reader) -> Result<HashSet<TurnId>, ForgetError> {
        let (exclusions, row) = (self.exclusions, self.row);
        if !exclusions.has_patterns() && !row.prompts_only {
            return Ok(HashSet::new());
        }
        let is_excluded = |TurnRecord { row: turn, content }: &TurnRecord| {
            (!self.is_kept_by_settings && exclusions.rules_exclude_content(content))
                || (row.prompts_only
                    && exclusions.has_forgotten_prompt(content.typed_prompt(), turn.started_ms))
        };
        let turns = index.turn_records(row.id, |_| true)?.into_iter();
        let excluded = turns.filter(is_excluded).map(|turn| turn.row.id);
        Ok(excluded.collect())
    }
}

impl Exclusions {
    /// Returns true when the user's rules exclude a session of an index, by its project or the path of its history.
    ///
    /// # Errors
    /// When the index fails.
    pub fn rules_exclude_indexed(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<bool, ForgetError> {
        if self.rules_exclude_folders([session.project.as_deref(), session.cwd.as_deref()]) {
            return Ok(true);
        }
        self.rules_exclude_file_of(index, session)
    }

    /// Returns true when the user's rules exclude a session of an index by the path of its history.
    fn rules_exclude_file_of(
        &self,
        index: &Reader,
        session: &SessionRow,
    ) -> Result<bool, ForgetError> {
        if !self.has_path_rules() {
            return Ok(false);
        }
        let file = index.file(session.file)?;
        Ok(file.is_some_and(|file| self.rules_exclude_path(&file.path)))
    }
}
