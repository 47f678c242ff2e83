//! Finding the titles that a user asks to forget.

use crate::error::ForgetError;
use crate::plan::ForgottenTurns;
use crate::request::ForgetRequest;
use session_sources::{Cursor, CursorRedaction, find_source};
use session_store::{FileId, FileRow, GivenTitle, Reader, SessionId, SessionRow, TurnId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl ForgetRequest {
    /// Returns the titles that match the pattern of messages of no session, and of sessions of a history of prompts, where
    /// it is looked for in all sessions.
    pub(crate) fn matching_unheld_titles(
        &self,
        index: &Reader,
        alone_in_file: &BTreeMap<SessionId, &SessionRow>,
    ) -> Result<Vec<String>, ForgetError> {
        let Some(pattern) = self.pattern.as_ref().filter(|_| self.sessions.is_none()) else {
            return Ok(Vec::new());
        };
        let mut titles = index.unheld_titles()?;
        let of_one: BTreeSet<FileId> = alone_in_file.values().map(|session| session.file).collect();
        let files = index.files()?;
        for file in files.iter().filter(|file| !of_one.contains(&file.id)) {
            titles.extend(list_cursor_titles(index, file)?);
        }
        titles.retain(|title| pattern.is_match(title));
        Ok(titles)
    }

    /// Returns the given titles that match the pattern in one of the sessions in which it is looked for, and those of
    /// sessions whose first turn is forgotten, as a copy or by itself: agents make a title of the first prompt. With them go
    /// the titles behind them, which would be shown in their place.
    ///
    /// A title that another session has, whose first turn stays, tells nothing of the first turn (`New session`): it stays,
    /// unless the first turn was named.
    pub(crate) fn planned_titles(
        &self,
        index: &Reader,
        forgotten: &ForgottenTurns,
        alone_in_file: &BTreeMap<SessionId, &SessionRow>,
    ) -> Result<Vec<GivenTitle>, ForgetError> {
        let without_first = sessions_without_first_turn(index, forgotten)?;
        if without_first.is_empty() && self.pattern.is_none() {
            return Ok(Vec::new());
        }
        let mut titles = index.given_titles()?;
        // A cursor of several sessions has the titles of them all.
        for (id, session) in alone_in_file {
            if without_first.contains(id) || self.pattern.is_some() {
                titles.extend(list_given_cursor_titles(index, session)?);
            }
        }
        let is_kept = |given: &&GivenTitle| {
            let session = given.session;
            !without_first.contains(&session) && !forgotten.sessions.contains(&session)
        };
        let kept = titles.iter().filter(is_kept);
        let kept: BTreeSet<&str> = kept.map(|given| given.title.trim()).collect();
        let is_derived = |given: &GivenTitle| {
            without_first.contains(&given.session)
                && (self.names_turns_of(given.session) || !kept.contains(given.title.trim()))
        };
        let is_meant = |given: &&GivenTitle| is_derived(given) || self.matches_title(given);
        let meant = titles.iter().filter(is_meant);
        let meant: BTreeSet<String> = meant.map(|given| given.title.trim().to_owned()).collect();
        // The records hold a title, whichever session has it.
        let mut known = BTreeSet::new();
        titles.retain(|given| {
            let title = given.title.trim();
            meant.contains(title) && known.insert((given.session, title.to_owned()))
        });
        Ok(titles)
    }

    fn names_turns_of(&self, session: SessionId) -> bool {
        self.targets.iter().any(|target| target.session == session)
    }

    fn matches_title(&self, given: &GivenTitle) -> bool {
        let pattern = self.pattern.as_ref();
        self.is_searched(given.session) && pattern.is_some_and(|p| p.is_match(&given.title))
    }
}

/// Lists the titles of a session that its source remembers, also those in whose place another one is shown: without that
/// they would be shown again.
fn list_given_cursor_titles(
    index: &Reader,
    session: &SessionRow,
) -> Result<Vec<GivenTitle>, ForgetError> {
    let Some(file) = index.file(session.file)? else {
        return Ok(Vec::new());
    };
    let given = |title| GivenTitle {
        session: session.id,
        title,
    };
    let titles = list_cursor_titles(index, &file)?;
    Ok(titles.into_iter().map(given).collect())
}

/// Lists the titles that the cursor of a file holds.
fn list_cursor_titles(index: &Reader, file: &FileRow) -> Result<Vec<String>, ForgetError> {
    let source = find_source(&file.source);
    let Some((source, cursor)) = source.zip(index.cursor(file.id)?) else {
        return Ok(Vec::new());
    };
    let titles = RefCell::new(Vec::new());
    let keep = |title: &str| {
        titles.borrow_mut().push(title.to_owned());
        false
    };
    let redaction = CursorRedaction {
        excludes_title: &keep,
        ..CursorRedaction::none()
    };
    source.redact_cursor(Path::new(&file.path), &Cursor(cursor), &redaction);
    Ok(titles.into_inner())
}

/// Returns the sessions that stay and whose first turn is forgotten, of those that were not forgotten before.
fn sessions_without_first_turn(
    index: &Reader,
    forgotten: &ForgottenTurns,
) -> Result<BTreeSet<SessionId>, ForgetError> {
    let turns: BTreeSet<TurnId> = forgotten.named.union(&forgotten.copies).copied().collect();
    let mut sessions = BTreeSet::new();
    for turn in &turns {
        sessions.extend(index.turn(*turn)?.map(|turn| turn.session));
    }
    let mut without_first = BTreeSet::new();
    for session in sessions.difference(&forgotten.sessions) {
        let rows = index.turns(*session)?;
        let first = rows.iter().find(|turn| !turn.is_excluded());
        if first.is_some_and(|turn| turns.contains(&turn.id)) {
            without_first.insert(*session);
        }
    }
    Ok(without_first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::ForgetTarget;
    use crate::test_index::{insert, titled, turn};
    use regex::Regex;
    use session_core::{FileStamp, Turn};
    use session_sources::{CollectingSink, Env};
    use session_store::Writer;
    use std::ops::RangeInclusive;

    /// Inserts a session of three turns, each a copy of that of other sessions.
    fn insert_lanterns(writer: &mut Writer, uid: &str, title: &str) -> SessionId {
        let turns = [0, 1, 2].map(|index| Turn {
            started_ms: Some(i64::from(index)),
            ..turn(index, &format!("How is lantern {index} lit?"))
        });
        insert(writer, &titled(uid, title), &turns)
    }

    #[test]
    fn a_title_that_tells_nothing_of_a_first_turn_stays_with_other_sessions() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(directory.path()).unwrap();
        let first = insert_lanterns(&mut writer, "lamp", "New session");
        let other = titled("other", "New session");
        insert(&mut writer, &other, &[turn(0, "Paint the quay")]);
        let matching = ForgetRequest {
            pattern: Some(Regex::new("lantern 0").unwrap()),
            ..ForgetRequest::default()
        };
        assert_eq!(planned_titles(&mut writer, &matching), [""; 0]);
        let named = ForgetRequest::from(ForgetTarget {
            session: first,
            turns: Some(0..=0),
        });
        assert_eq!(planned_titles(&mut writer, &named).len(), 2);
    }

    /// Its sessions have transcripts.
    #[test]
    fn a_title_that_a_history_of_prompts_remembers_is_planned() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".claude");
        fs_err::create_dir_all(&folder).unwrap();
        let line = r#"{"display":"/rename Oil the lantern","timestamp":1,"sessionId":"lamp"}"#;
        fs_err::write(folder.join("history.jsonl"), format!("{line}\n")).unwrap();
        let source = find_source("claude").unwrap();
        let location = &source.locate(&Env::with_home(home.path())).locations[0];
        let mut read = CollectingSink::default();
        source.read(location, None, &mut read);
        let mut writer = Writer::open(&home.path().join("index")).unwrap();
        let path = location.path.to_str().unwrap();
        let file = writer.upsert_file(source.name(), path).unwrap();
        let cursor = read.cursor.unwrap().0;
        let stamp = FileStamp::default();
        writer.checkpoint(file, &cursor, stamp).unwrap();
        for (pattern, titles) in [("lantern", 1), ("kiln", 0)] {
            let request = ForgetRequest {
                pattern: Some(Regex::new(pattern).unwrap()),
                ..ForgetRequest::default()
            };
            let plan = request.plan(writer.reader().unwrap()).unwrap();
            assert_eq!(plan.unheld_titles, titles);
        }
    }

    fn planned_titles(writer: &mut Writer, request: &ForgetRequest) -> Vec<String> {
        let plan = request.plan(writer.reader().unwrap()).unwrap();
        let titles = plan.titles.into_iter();
        titles.map(|planned| planned.title).collect()
    }

    #[test]
    fn the_title_of_a_session_goes_with_its_first_turn() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(directory.path()).unwrap();
        let session = insert_lanterns(&mut writer, "lamp", "The lantern");
        let mut titles = |turns: RangeInclusive<u32>| {
            let request = ForgetRequest::from(ForgetTarget {
                session,
                turns: Some(turns),
            });
            planned_titles(&mut writer, &request)
        };
        assert_eq!(titles(0..=1), ["The lantern"]);
        assert_eq!(titles(1..=2), [""; 0]);
        let mut matching = |pattern: &str| {
            let request = ForgetRequest {
                pattern: Some(Regex::new(pattern).unwrap()),
                ..ForgetRequest::default()
            };
            planned_titles(&mut writer, &request)
        };
        assert_eq!(matching("lantern 0"), ["The lantern"]);
        assert_eq!(matching("lantern 1"), [""; 0]);
    }

    #[test]
    fn the_title_of_a_fork_goes_with_the_first_turn_that_it_copied() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(directory.path()).unwrap();
        let session = insert_lanterns(&mut writer, "lamp", "The lantern");
        insert_lanterns(&mut writer, "fork", "The lantern (fork)");
        insert_lanterns(&mut writer, "other", "The lantern");
        for (turns, expected) in [
            (
                Some(0..=0),
                vec!["The lantern", "The lantern (fork)", "The lantern"],
            ),
            (Some(1..=1), vec![]),
            // The title of a session that is forgotten whole goes with it.
            (None, vec!["The lantern (fork)", "The lantern"]),
        ] {
            let request = ForgetRequest::from(ForgetTarget { session, turns });
            assert_eq!(planned_titles(&mut writer, &request), expected);
        }
    }
}
