//! Removing from an index what is excluded.

use crate::counts::ContentCounts;
use crate::entry::{EntryDraft, ForgetReason};
use crate::error::ForgetError;
use crate::exclusions::Exclusions;
use crate::indexed_session::IndexedSession;
use crate::plan::ForgetPlan;
use session_store::{PurgeOutcome, Reader, SessionRow, Writer, with_subagents};
use std::collections::HashSet;

/// Key of the index's settings under which it notes the exclusions that were applied.
const EXCLUSIONS_SETTING: &str = "exclusions";
/// Key under which it notes a hash of each of them.
const RULES_SETTING: &str = "exclusion_rules";

impl ForgetPlan {
    /// Forgets what was found: deletes the databases that were put aside, which may hold it, too, adds an entry to the
    /// records, removes it from the index and the cache of queries, and purges the index.
    ///
    /// # Errors
    /// When the records cannot be written, or the index fails; the next refresh takes it up.
    pub fn forget_and_purge(
        &self,
        writer: &mut Writer,
        exclusions: &Exclusions,
        reason: ForgetReason,
        at: &str,
    ) -> Result<PurgeOutcome, ForgetError> {
        let mut exclusions = exclusions.clone();
        let entry = EntryDraft {
            at,
            reason,
            counts: self.counts(),
        };
        let root = writer.reader().map_err(ForgetError::NotBegun)?.root();
        session_store::delete_old_databases(root).map_err(ForgetError::NotBegun)?;
        // Then what keeps it from being indexed again: a kill after that is taken up by the next refresh, which keeps what
        // was put aside.
        exclusions.records.add(&entry, &self.items)?;
        exclusions.apply(writer)?;
        writer.purge().map_err(ForgetError::Purge)
    }
}

impl Exclusions {
    /// Returns true when these exclusions are not those that were last applied to an index.
    ///
    /// # Errors
    /// When the index fails.
    pub fn is_outdated_in(&self, index: &Reader) -> Result<bool, ForgetError> {
        Ok(index.setting(EXCLUSIONS_SETTING)?.unwrap_or_default() != self.fingerprint())
    }

    /// Returns true when everything that was excluded from the index before is excluded now, too. Otherwise some of its
    /// histories have to be read again.
    fn still_exclude_all_applied(&self, index: &Reader) -> Result<bool, ForgetError> {
        let was_without = index
            .setting(EXCLUSIONS_SETTING)?
            .unwrap_or_default()
            .is_empty();
        let Some(applied) = index.setting(RULES_SETTING)? else {
            return Ok(was_without);
        };
        let now: HashSet<String> = self.rule_hashes().into_iter().collect();
        let mut applied = applied.split_whitespace();
        Ok(was_without || applied.all(|rule| now.contains(rule)))
    }

    /// Deletes from an index what is excluded, commits, and returns what was deleted; turns and titles of deleted sessions
    /// are not counted.
    ///
    /// - The deleted text leaves the disk only by [`Writer::purge`].
    /// - Cached vectors of queries are deleted, too.
    /// - A database that was put aside stays, since it may hold the last copy of other sessions.
    /// - Where something is no longer excluded, all cursors are reset, so that the histories are read again.
    ///
    /// # Errors
    /// When the index fails; the next call takes it up.
    pub fn apply(&self, writer: &mut Writer) -> Result<ContentCounts, ForgetError> {
        // First: a kill between the note of what is excluded and this would leave those histories unread for ever.
        if !self.still_exclude_all_applied(writer.reader()?)? {
            writer.reset_cursors()?;
        }
        let mut removed = ContentCounts::default();
        let sessions = writer.reader()?.sessions()?;
        let (excluded, kept) = self.partition(writer.reader()?, &sessions)?;
        self.reread_orphans(writer, &sessions)?;
        // Turns first: copies of a deleted turn would be indexed in its place.
        for session in kept {
            removed.turns += session.exclude_turns(writer)?;
        }
        for session in excluded {
            writer.delete_session(session.row.id)?;
            removed.sessions += 1;
        }
        removed.titles = self.delete_titles(writer)?;
        self.redact_cursors(writer)?;
        // Before the commit: a kill between both would leave them for ever.
        if removed != ContentCounts::default() {
            let root = writer.reader()?.root().to_owned();
            session_store::delete_query_cache(&root)?;
        }
        writer.set_setting(EXCLUSIONS_SETTING, &self.fingerprint())?;
        writer.set_setting(RULES_SETTING, &self.rule_hashes().join(" "))?;
        writer.commit()?;
        Ok(removed)
    }

    /// Removes from an index the sessions of a history of prompts that have [unread files](Self::with_unread_sessions); the
    /// caller commits. Returns their number with what [`Self::apply`] removed where that was called.
    ///
    /// # Errors
    /// When the index fails.
    pub fn delete_unread_prompts(
        &self,
        writer: &mut Writer,
        applied: Option<ContentCounts>,
    ) -> Result<ContentCounts, ForgetError> {
        let mut removed = applied.unwrap_or_default();
        if !self.has_unread_sessions() {
            return Ok(removed);
        }
        let sessions = writer.reader()?.sessions()?;
        for row in sessions.iter().filter(|row| row.prompts_only) {
            let index = writer.reader()?;
            if IndexedSession::new(self, index, row)?.is_excluded(index)? {
                writer.delete_session(row.id)?;
                removed.sessions += 1;
            }
        }
        // Cursors hold sessions without prompts in the index, too, and nobody knew of their files before.
        if applied.is_some() || removed.sessions > 0 {
            self.redact_cursors(writer)?;
            let root = writer.reader()?.root().to_owned();
            session_store::delete_query_cache(&root)?;
        }
        Ok(removed)
    }

    /// Separates the sessions of an index that are not to be in it from those that stay.
    fn partition<'s>(
        &'s self,
        index: &Reader,
        sessions: &'s [SessionRow],
    ) -> Result<(Vec<IndexedSession<'s>>, Vec<IndexedSession<'s>>), ForgetError> {
        let mut all = Vec::new();
        for row in sessions {
            all.push(IndexedSession::new(self, index, row)?);
        }
        let roots = all.iter().filter(|s| s.is_excluded_with_subagents());
        let started = with_subagents(&roots.map(|s| s.row.id).collect(), sessions);
        let (mut excluded, mut kept) = (Vec::new(), Vec::new());
        for session in all {
            let is_started = started.contains(&session.row.id) && !session.is_kept_by_settings;
            if is_started || session.is_excluded(index)? {
                excluded.push(session)
            } else {
                kept.push(session)
            }
        }
        Ok((excluded, kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exclusions::ExcludeSettings;
    use crate::records::ForgottenRecords;
    use crate::request::{ForgetRequest, ForgetTarget};
    use crate::test_index;
    use session_core::KnownTurns::Replace;
    use session_core::{SessionMeta, Turn};

    fn turn(index: u32, prompt: &str) -> Turn {
        Turn {
            started_ms: Some(1_700_000_000_000 + i64::from(index)),
            ended_ms: Some(1_700_000_060_000),
            ..test_index::turn(index, prompt)
        }
    }

    fn insert(writer: &mut Writer, uid: &str, turns: &[Turn]) {
        let meta = SessionMeta {
            id: uid.into(),
            ..SessionMeta::default()
        };
        test_index::insert(writer, &meta, turns);
    }

    /// An index of one session, and what is forgotten of it.
    struct ForgetFixture {
        directory: tempfile::TempDir,
        writer: Writer,
    }

    impl ForgetFixture {
        fn new(sessions: &[(&str, &[Turn])]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let mut writer = Writer::open(&directory.path().join("index")).unwrap();
            for (uid, turns) in sessions {
                insert(&mut writer, uid, turns);
            }
            writer.commit().unwrap();
            Self { directory, writer }
        }

        fn exclusions(&self) -> Exclusions {
            let path = self.directory.path().join("forgotten.json");
            let records = ForgottenRecords::open(&path).unwrap();
            Exclusions::new(records, &ExcludeSettings::default()).unwrap()
        }

        fn plan(&mut self, uid: &str, turn: Option<u32>) -> ForgetPlan {
            let index = self.writer.reader().unwrap();
            let all = index.sessions().unwrap();
            let session = all.iter().find(|row| row.uid == uid).unwrap().id;
            let turns = turn.map(|turn| turn..=turn);
            let request = ForgetRequest::from(ForgetTarget { session, turns });
            request.plan(index).unwrap()
        }

        fn forget(&mut self, plan: &ForgetPlan) -> Exclusions {
            let exclusions = self.exclusions();
            let reason = ForgetReason::Session;
            let outcome = plan.forget_and_purge(&mut self.writer, &exclusions, reason, "");
            assert_eq!(outcome.unwrap(), PurgeOutcome::Complete);
            self.exclusions()
        }
    }

    #[test]
    fn another_turn_in_the_place_of_a_forgotten_one_is_indexed() {
        let turns = [turn(0, "How is the lantern lit?"), turn(1, "And the kiln?")];
        let mut fixture = ForgetFixture::new(&[("lamp", &turns)]);
        let plan = fixture.plan("lamp", Some(1));
        let exclusions = fixture.forget(&plan);
        let session = SessionMeta {
            id: "lamp".into(),
            ..SessionMeta::default()
        };
        assert!(exclusions.excludes_turn(&session, &turns[1]));
        assert!(!exclusions.excludes_turn(&session, &turns[0]));
        let asked_anew = Turn {
            started_ms: Some(1_700_000_900_000),
            ..turn(1, "And the wick?")
        };
        assert!(!exclusions.excludes_turn(&session, &asked_anew));
        // As an agent tells it that notes no times.
        let touched = Turn {
            started_ms: Some(1_700_000_900_000),
            ..turns[1].clone()
        };
        assert!(exclusions.excludes_turn(&session, &touched));
    }

    #[test]
    fn a_database_is_read_though_all_that_it_held_was_forgotten() {
        let turns = [turn(0, "How is the lantern lit?")];
        let mut fixture = ForgetFixture::new(&[("lamp", &turns)]);
        let plan = fixture.plan("lamp", None);
        let exclusions = fixture.forget(&plan);
        assert!(exclusions.excludes_session_file("lamp"));
        assert!(!exclusions.rules_exclude_path("lamp"));
    }

    #[test]
    fn what_was_counted_as_a_copy_is_forgotten_by_its_place() {
        let prompt = "pw lamp4";
        let mut fixture = ForgetFixture::new(&[("lamp", &[turn(0, prompt)]), ("other", &[])]);
        let copy = Turn {
            started_ms: Some(1_700_000_000_300),
            ..turn(0, prompt)
        };
        insert_prompts(&mut fixture.writer, "prompts", &copy);
        fixture.writer.commit().unwrap();
        let plan = fixture.plan("lamp", None);
        assert_eq!(plan.copies.len(), 1);
        fixture.forget(&plan);
        let index = fixture.writer.reader().unwrap();
        for session in index.sessions().unwrap() {
            for stored in index.contents(session.id).unwrap() {
                assert_eq!(stored.content.prompt, "", "{}", session.uid);
            }
        }
    }

    /// Inserts a session of which only a prompt is known.
    fn insert_prompts(writer: &mut Writer, uid: &str, turn: &Turn) {
        let meta = SessionMeta {
            id: uid.into(),
            prompts_only: true,
            ..SessionMeta::default()
        };
        test_index::insert(writer, &meta, std::slice::from_ref(turn));
        let at = turn.started_ms.unwrap();
        writer.link_prompt_copies(at..=at).unwrap();
    }

    #[test]
    fn the_same_words_at_another_time_are_not_forgotten() {
        let asked = turn(0, "How is the lantern in the harbour lit?");
        let mut fixture = ForgetFixture::new(&[("lamp", std::slice::from_ref(&asked))]);
        let at = |minutes: i64| Turn {
            started_ms: asked.started_ms.map(|at| at + minutes * 60_000),
            ..asked.clone()
        };
        for (uid, minutes) in [("then", 4), ("later", 60)] {
            insert_prompts(&mut fixture.writer, uid, &at(minutes));
        }
        fixture.writer.commit().unwrap();
        let plan = fixture.plan("lamp", None);
        let exclusions = fixture.forget(&plan);
        let meta = SessionMeta {
            prompts_only: true,
            ..SessionMeta::default()
        };
        let index = fixture.writer.reader().unwrap();
        for (uid, minutes, is_kept) in [("then", 4, false), ("later", 60, true)] {
            let all = index.sessions().unwrap();
            let session = all.iter().find(|session| session.uid == uid).unwrap();
            let content = &index.contents(session.id).unwrap()[0].content;
            assert_eq!(!content.prompt.is_empty(), is_kept, "{uid}");
            assert_eq!(!exclusions.excludes_turn(&meta, &at(minutes)), is_kept);
        }
    }

    /// The records hold an id: what has the same in another file goes, too, and is named before.
    #[test]
    fn a_namesake_is_a_part_of_the_plan() {
        let mut fixture = ForgetFixture::new(&[("lamp", &[turn(0, "How is the lantern lit?")])]);
        let source = "pi";
        let file = fixture
            .writer
            .upsert_file(source, "elsewhere/lamp")
            .unwrap();
        let meta = SessionMeta {
            id: "lamp".into(),
            ..SessionMeta::default()
        };
        let writer = &mut fixture.writer;
        let namesake = writer.open_session(file, source, &meta, Replace).unwrap();
        writer
            .add_turn(namesake, &turn(7, "And the kiln?"))
            .unwrap();
        writer.commit().unwrap();
        let plan = fixture.plan("lamp", None);
        assert_eq!((plan.sessions.len(), plan.turn_count), (2, 2));
    }

    #[test]
    fn a_path_that_is_excluded_later_takes_its_sessions_out() {
        let turns = [turn(0, "How is the lantern lit?")];
        let mut fixture =
            ForgetFixture::new(&[("/w/lamp.jsonl", &turns), ("/w/kiln.jsonl", &turns[..0])]);
        let settings = ExcludeSettings {
            paths: vec!["lamp.jsonl".into()],
            ..ExcludeSettings::default()
        };
        let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
        let removed = exclusions.apply(&mut fixture.writer).unwrap();
        assert_eq!(removed.sessions, 1);
        let left = fixture.writer.reader().unwrap().sessions().unwrap();
        assert_eq!(left[0].uid, "/w/kiln.jsonl");
    }

    /// A project can set variables, and what is gone cannot be read again.
    #[test]
    fn what_variables_exclude_leaves_sessions_whose_history_is_gone() {
        let turns = [turn(0, "How is the lantern lit?")];
        let mut fixture = ForgetFixture::new(&[("/w/lamp.jsonl", &turns)]);
        let file = fixture.writer.reader().unwrap().sessions().unwrap()[0].file;
        fixture.writer.mark_file_gone(file).unwrap();
        let by_path = ExcludeSettings {
            paths: vec!["lamp.jsonl".into()],
            ..ExcludeSettings::default()
        };
        let by_pattern = ExcludeSettings {
            patterns: vec!["lantern".into()],
            ..ExcludeSettings::default()
        };
        let mut apply = |settings: &ExcludeSettings, by_variables: bool| {
            let exclusions = Exclusions::new(ForgottenRecords::default(), settings).unwrap();
            let exclusions = if by_variables {
                exclusions.keeping_unrecoverable()
            } else {
                exclusions
            };
            exclusions.apply(&mut fixture.writer).unwrap()
        };
        for settings in [&by_path, &by_pattern] {
            assert_eq!(apply(settings, true), ContentCounts::default());
        }
        assert_eq!(apply(&by_pattern, false).turns, 1);
        assert_eq!(apply(&by_path, false).sessions, 1);
    }

    #[test]
    fn only_memories_of_forgotten_turns_are_meant() {
        let turns = [turn(0, "How is the lantern lit?"), turn(1, "And the kiln?")];
        let mut fixture = ForgetFixture::new(&[("lamp", &turns)]);
        let plan = fixture.plan("lamp", Some(1));
        assert!(plan.forgets("lamp", Some(0..=1)) && plan.forgets("lamp", None));
        assert!(!plan.forgets("lamp", Some(0..=0)) && !plan.forgets("kiln", None));
        assert!(fixture.plan("lamp", None).forgets("lamp", Some(0..=0)));
    }

    #[test]
    fn exclusions_are_read_again_where_another_process_forgot_something() {
        let mut fixture = ForgetFixture::new(&[("lamp", &[turn(0, "How is the lantern lit?")])]);
        let before = fixture.exclusions();
        assert!(before.reread().unwrap().is_none());
        let plan = fixture.plan("lamp", None);
        fixture.forget(&plan);
        let now = before.reread().unwrap().unwrap();
        assert_eq!(now.fingerprint(), fixture.exclusions().fingerprint());
    }

    #[test]
    fn a_forgotten_session_goes_with_its_copies_and_cached_queries() {
        let (shared, own) = (turn(0, "How is the lantern lit?"), turn(1, "And the kiln?"));
        let fork = [shared.clone(), own];
        let mut fixture =
            ForgetFixture::new(&[("lamp", std::slice::from_ref(&shared)), ("fork", &fork)]);
        let root = fixture.directory.path().join("index");
        session_store::cache_query_vector(&root, "f00d", "lantern", &[1.0]).unwrap();

        let plan = fixture.plan("lamp", None);
        assert_eq!((plan.turn_count, plan.copies.len()), (1, 1));
        assert_eq!(plan.session_uids(), ["fork", "lamp"].into());
        assert!(plan.forgets("fork", Some(0..=0)) && !plan.forgets("fork", Some(1..=1)));
        for (address, is_forgotten) in [("lamp", true), ("fork:0", true), ("fork:1", false)] {
            assert_eq!(plan.forgets_address(address), is_forgotten, "{address}");
        }
        let exclusions = fixture.forget(&plan);

        let index = fixture.writer.reader().unwrap();
        let [fork] = &index.sessions().unwrap()[..] else {
            panic!("only the fork stays");
        };
        let contents = index.contents(fork.id).unwrap();
        let prompts: Vec<&str> = contents
            .iter()
            .map(|turn| turn.content.prompt.as_str())
            .collect();
        assert_eq!(prompts, ["", "And the kiln?"]);
        assert!(session_store::cached_query_vector(&root, "f00d", 1, "lantern").is_none());
        assert!(exclusions.excludes_turn(&SessionMeta::default(), &shared));
        // As the plan told it: copies are told apart.
        let [entry] = exclusions.records.entries() else {
            panic!("one act");
        };
        let counts = ContentCounts {
            sessions: 1,
            turns: 1,
            titles: 0,
        };
        assert_eq!(entry.counts(), counts);
        assert!(!exclusions.is_outdated_in(index).unwrap());
    }
}
