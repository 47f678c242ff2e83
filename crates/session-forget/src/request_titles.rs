//! Finding the titles that a user asks to forget.

use crate::records::ForgetError;
use crate::request::ForgetRequest;
use session_store::{GivenTitle, Reader, SessionId};
use std::collections::BTreeSet;

impl ForgetRequest {
    /// Returns the titles of messages of no session that match the pattern, where it is looked for in all sessions.
    pub(crate) fn matching_unheld_titles(
        &self,
        index: &Reader,
    ) -> Result<Vec<String>, ForgetError> {
        let Some(pattern) = self.pattern.as_ref().filter(|_| self.sessions.is_none()) else {
            return Ok(Vec::new());
        };
        let mut titles = index.unheld_titles()?;
        titles.retain(|title| pattern.is_match(title));
        Ok(titles)
    }

    /// Returns the given titles that match the pattern in one of the sessions in which it is looked for, and those of
    /// sessions whose first turn is named: agents make a title of the first prompt.
    pub(crate) fn planned_titles(&self, index: &Reader) -> Result<Vec<GivenTitle>, ForgetError> {
        let without_first = self.sessions_without_first_turn(index)?;
        if without_first.is_empty() && self.pattern.is_none() {
            return Ok(Vec::new());
        }
        let mut titles = index.given_titles()?;
        let is_meant = |given: &&GivenTitle| {
            without_first.contains(&given.session) || self.matches_title(given)
        };
        let meant = titles.iter().filter(is_meant);
        let meant: BTreeSet<String> = meant.map(|given| given.title.trim().to_owned()).collect();
        // The records hold a title, whichever session has it.
        titles.retain(|given| meant.contains(given.title.trim()));
        Ok(titles)
    }

    fn matches_title(&self, given: &GivenTitle) -> bool {
        let pattern = self.pattern.as_ref();
        self.is_searched(given.session) && pattern.is_some_and(|p| p.is_match(&given.title))
    }

    /// Returns the sessions whose first turn is named, of those that were not forgotten before.
    fn sessions_without_first_turn(
        &self,
        index: &Reader,
    ) -> Result<BTreeSet<SessionId>, ForgetError> {
        let mut sessions = BTreeSet::new();
        for target in &self.targets {
            let Some(range) = &target.turns else { continue };
            let turns = index.turns(target.session)?;
            let first = turns.iter().find(|turn| !turn.is_blank());
            if first.is_some_and(|turn| range.contains(&turn.index)) {
                sessions.insert(target.session);
            }
        }
        Ok(sessions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::ForgetTarget;
    use session_core::{SessionMeta, SourceName, Turn, TurnSpan};
    use session_store::{KnownTurns, Writer};
    use std::ops::RangeInclusive;

    #[test]
    fn the_title_of_a_session_goes_with_its_first_turn() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(directory.path()).unwrap();
        let source = SourceName::new("claude");
        let file = writer.upsert_file(&source, "lamp").unwrap();
        let meta = SessionMeta {
            id: "lamp".into(),
            title: Some("The lantern".into()),
            ..SessionMeta::default()
        };
        let session = writer
            .open_session(file, &source, &meta, KnownTurns::Replace)
            .unwrap();
        for index in 0..3 {
            let turn = Turn {
                index,
                prompt: format!("How is lantern {index} lit?"),
                started_ms: Some(i64::from(index)),
                span: TurnSpan { start: 0, end: 9 },
                ..Turn::default()
            };
            writer.add_turn(session, &turn).unwrap();
        }
        let mut titles = |turns: RangeInclusive<u32>| {
            let request = ForgetRequest::from(ForgetTarget {
                session,
                turns: Some(turns),
            });
            let plan = request.plan(writer.reader().unwrap()).unwrap();
            plan.titles
                .into_iter()
                .map(|planned| planned.title)
                .collect::<Vec<_>>()
        };
        assert_eq!(titles(0..=1), ["The lantern"]);
        assert_eq!(titles(1..=2), [""; 0]);
    }
}
