//! Stores what the parsing threads deliver.

mod held_title;
mod known_project;

use self::known_project::keep_known_project;
use crate::commit_schedule::CommitSchedule;
use crate::discover::ChangedHistory;
use crate::error::IndexError;
use crate::event_channel::EventReceiver;
use crate::events::Event;
use crate::listed_histories::to_problem;
use session_core::{FileStamp, KnownTurns, SessionMeta};
use session_forget::{ExcludedSession, Exclusions};
use session_sources::{Retry, Warning};
use session_store::{
    EndedSession, FileId, HistoryProblem, ModelRow, NewDocuments, PreparedTurn, SessionDelivery,
    SessionId, Supersession, UndeliveredTurns, Writer,
};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, RangeInclusive};

type Result<T> = std::result::Result<T, IndexError>;

/// Stores events file by file and commits from time to time.
pub(crate) struct HistoryWriter<'a> {
    writer: &'a mut Writer,
    /// The model whose documents come with the turns.
    model: Option<ModelRow>,
    commits: CommitSchedule,
    /// Sessions with a prompt that asks to leave them out, which are not yet recorded.
    marked: Vec<ExcludedSession>,
    /// The exclusions, marked sessions that are recorded included.
    exclusions: Cow<'a, Exclusions>,
    /// Files that are no longer on disk, and not yet marked so.
    gone_files: &'a [FileId],
    written: WrittenHistories,
}

/// Counts of what was written, and what the rest of a refresh needs of it.
#[derive(Default)]
pub(crate) struct WrittenHistories {
    /// Files that were read, as far as that could be done.
    pub(crate) files: usize,
    /// Those of them that gave nothing but why they could not be read.
    pub(crate) unread: usize,
    pub(crate) turns: usize,
    /// Texts whose vectors came with the turns.
    pub(crate) embedded: usize,
    /// The times of the turns.
    pub(crate) times: Option<RangeInclusive<i64>>,
    /// Subagents that were removed, since they are excluded with their session.
    pub(crate) removed_subagents: usize,
    /// Ids of the sessions with a prompt that asks to leave them out.
    pub(crate) marked: Vec<String>,
    /// Ids of the sessions with a prompt that holds the marker where it does not count.
    pub(crate) uncounted_markers: BTreeSet<String>,
    /// The exclusions with the sessions that were marked, if any were.
    pub(crate) new_exclusions: Option<Exclusions>,
}

/// The state of the file that is being written.
struct FileState {
    file: FileId,
    /// The sessions that [`Writer::begin_full_read`] marked as gone, once it was called for the file.
    marked_gone: Option<Vec<SessionId>>,
    /// The session that was opened last.
    session: Option<SessionId>,
    /// The session that gets the later prompts of the one that was opened last.
    ended: Option<EndedSession>,
    /// The session at hand as it was opened without its title, until its first turn has come.
    untitled: Option<SessionMeta>,
    /// The cursor of the last checkpoint.
    cursor: Option<String>,
    warnings: Vec<Warning>,
    /// Number of warnings that came before the last checkpoint.
    warnings_at_checkpoint: usize,
}

impl FileState {
    /// Returns true for a file that could not be read now, or not to its end.
    fn is_unread(&self) -> bool {
        let mut warnings = self.warnings.iter();
        warnings.any(|warning| warning.retry == Retry::NextRefresh)
    }
}

impl<'a> HistoryWriter<'a> {
    pub(crate) fn new(
        writer: &'a mut Writer,
        model: Option<ModelRow>,
        exclusions: &'a Exclusions,
        gone_files: &'a [FileId],
    ) -> Self {
        Self {
            writer,
            model,
            commits: CommitSchedule::begin(),
            marked: Vec::new(),
            exclusions: Cow::Borrowed(exclusions),
            gone_files,
            written: WrittenHistories::default(),
        }
    }

    /// Ends the writing, before the last commit.
    pub(crate) fn finish(mut self) -> Result<WrittenHistories> {
        self.record_marks()?;
        let new_exclusions = match self.exclusions {
            Cow::Owned(exclusions) => Some(exclusions),
            Cow::Borrowed(_) => None,
        };
        Ok(WrittenHistories {
            new_exclusions,
            ..self.written
        })
    }

    /// Stores one file's events until its reader is done or stopped.
    pub(crate) fn write_file(
        &mut self,
        change: &ChangedHistory,
        events: &EventReceiver,
    ) -> Result<()> {
        let mut state = None;
        let end = events.find_map(|event| {
            let flow = self.write_event(change, &mut state, event);
            flow.map(ControlFlow::break_value).transpose()
        });
        match (end, state) {
            (Some(end), _) => end,
            (None, None) => Ok(()), // never begun: time is up
            (None, Some(state)) => {
                self.writer.abandon_replacement()?;
                // What came after the last checkpoint comes again.
                let warnings = &state.warnings[..state.warnings_at_checkpoint];
                self.record_warnings(warnings)
            }
        }
    }

    /// Stores an event; breaks off after a file's last.
    fn write_event(
        &mut self,
        change: &ChangedHistory,
        state: &mut Option<FileState>,
        event: &mut Event,
    ) -> Result<ControlFlow<()>> {
        let state = match state {
            Some(state) => state,
            none => none.insert(self.open_file(change)?),
        };
        self.begin_anew(change, state, event)?;
        match event {
            Event::Session { meta, turns } => self.open_session(change, state, meta, *turns)?,
            Event::Turn(turn) => self.add_turn(change, state, turn)?,
            Event::Documents(documents) => self.store_documents(state, documents)?,
            Event::Marked(session) => self.note_mark(change, std::mem::take(session)),
            Event::UncountedMarker(session) => {
                let session = std::mem::take(session);
                self.written.uncounted_markers.insert(session);
            }
            Event::ExcludedSubagent(id) => self.delete_subagent(change, state, id)?,
            Event::BrokeOff(uid) => self.writer.abandon_unreadable_session(state.file, uid)?,
            Event::Checkpoint(at) => self.checkpoint(change, state, std::mem::take(&mut at.0))?,
            Event::Gone(uid) => self.writer.mark_session_gone(state.file, uid)?,
            Event::Title { message, title } => self.writer.store_external_title(message, title)?,
            Event::Warning(warning) => state.warnings.push((**warning).clone()),
            Event::Failed(error) => error.take().map_or(Ok(()), Err)?,
            Event::Done => return self.finish_file(change, state).map(ControlFlow::Break),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn open_file(&mut self, change: &ChangedHistory) -> Result<FileState> {
        let path = change.file.key();
        let file = self.writer.upsert_file(change.file.source.name(), &path)?;
        self.writer.clear_unreadable(&path)?;
        Ok(FileState {
            file,
            marked_gone: None,
            session: None,
            ended: None,
            untitled: None,
            cursor: None,
            warnings: Vec::new(),
            warnings_at_checkpoint: 0,
        })
    }

    /// Forgets the file's past when it is read from its beginning. Not before
    /// something was read: a locked file has not lost its sessions.
    fn begin_anew(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        event: &Event,
    ) -> Result<()> {
        if state.marked_gone.is_none() && event.is_content() && is_anew(change, event) {
            let path = change.file.key();
            let marked = self.writer.begin_full_read(state.file, &path)?;
            state.marked_gone = Some(marked);
        }
        Ok(())
    }

    /// Ends a file. One that gave nothing but warnings has not been read: what
    /// is wrong with it holds only until the next try, as does what each read tries again.
    fn finish_file(&mut self, change: &ChangedHistory, state: &FileState) -> Result<()> {
        // A cursor of nothing is that of a file that was never read.
        let reached = |cursor: &Option<String>| cursor.clone().unwrap_or_default();
        let is_further =
            state.cursor.is_some() && reached(&state.cursor) != reached(&change.cursor);
        let nothing_read = state.session.is_none() && !is_further;
        match nothing_read {
            true => self.record_warnings_of_unread_file(&state.warnings)?,
            false => self.record_warnings(&state.warnings)?,
        }
        if !self.exclusions.is_empty() {
            self.writer.clear_excluded_branches(state.file)?;
        }
        if state.is_unread() {
            self.keep_unread(state)?;
        } else {
            self.end_read(change, state)?;
        }
        self.written.files += 1;
        self.written.unread += usize::from(nothing_read && !state.warnings.is_empty());
        self.commit_if_due()
    }

    /// Records what could not be read of a file.
    fn record_warnings(&mut self, warnings: &[Warning]) -> Result<()> {
        for warning in warnings {
            let problem = HistoryProblem {
                is_unread_path: warning.retry == Retry::NextRefresh,
                ..to_problem(warning)
            };
            match warning.retry {
                Retry::FullRead => self.writer.record_problem(&problem)?,
                _ => self.writer.record_unreadable(&problem)?,
            }
        }
        Ok(())
    }

    /// Records what could not be read of a file that gave nothing else: it holds until the next try.
    fn record_warnings_of_unread_file(&mut self, warnings: &[Warning]) -> Result<()> {
        for warning in warnings {
            self.writer.record_unreadable(&to_problem(warning))?;
        }
        Ok(())
    }

    /// Ends a file that is to be read again as it is: no stamp is stored, and what the index has of it stays. Where no
    /// checkpoint came, it is read from where it was, and its sessions are there still.
    fn keep_unread(&mut self, state: &FileState) -> Result<()> {
        self.writer.set_delivery(SessionDelivery::Unfinished);
        self.writer.abandon_replacement()?;
        match (&state.cursor, &state.marked_gone) {
            (None, Some(marked)) => Ok(self.writer.unmark_sessions_gone(marked)?),
            _ => Ok(()),
        }
    }

    /// Ends a file that was read to its end.
    fn end_read(&mut self, change: &ChangedHistory, state: &FileState) -> Result<()> {
        let stamp = change.file.location.stamp;
        // A session that is excluded is kept where nothing else holds what its history lost.
        if state.session.is_none() && is_cut_off(change) {
            self.writer
                .mark_turns_beyond_size_as_lost(state.file, stamp.size)?;
        }
        self.writer.set_delivery(SessionDelivery::Complete);
        match &state.cursor {
            Some(cursor) => Ok(self.writer.checkpoint(state.file, cursor, stamp)?),
            None => Ok(()),
        }
    }

    fn checkpoint(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        at: String,
    ) -> Result<()> {
        self.set_held_title(change, state)?;
        let at = self.clear_cursor(change, state, at)?;
        // A file of several sessions has its checkpoints between them.
        self.writer
            .set_delivery(match change.file.holds_one_session() {
                true => SessionDelivery::Unfinished,
                false => SessionDelivery::Complete,
            });
        // Not the stamp: until the end is reached the file counts as changed.
        let stamp = FileStamp {
            size: change.known_size,
            ..FileStamp::default()
        };
        self.writer.checkpoint(state.file, &at, stamp)?;
        state.cursor = Some(at);
        state.warnings_at_checkpoint = state.warnings.len();
        self.commit_if_due()
    }

    fn open_session(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        meta: &mut SessionMeta,
        turns: KnownTurns,
    ) -> Result<()> {
        let source = change.file.source.name();
        let file = state.file;
        let supersession = self
            .writer
            .find_supersession(file, source, meta, self.gone_files)?;
        (state.session, state.ended) = match supersession {
            Supersession::Whole => (None, None),
            Supersession::UpTo(ended) => (None, Some(ended)),
            Supersession::None => {
                keep_known_project(self.writer, state.file, source, meta)?;
                self.hold_title(change, state, meta, turns)?;
                let opened = self.writer.open_session(state.file, source, meta, turns)?;
                (Some(opened), None)
            }
        };
        let undelivered = decide_undelivered_turns(change, turns);
        if undelivered != UndeliveredTurns::Delete {
            self.writer.set_undelivered_turns(undelivered);
        }
        Ok(())
    }

    /// Stores a turn of the session at hand, unless another file supersedes it.
    fn add_turn(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        turn: &mut PreparedTurn,
    ) -> Result<()> {
        self.settle_title(change, state, turn)?;
        let is_added = match (state.session, &state.ended) {
            (Some(session), _) => self.writer.add_prepared_turn(session, turn).map(|()| true),
            (None, Some(ended)) => self.writer.add_later_prompt(ended, turn),
            (None, None) => Ok(false),
        }?;
        if is_added {
            self.written.turns += 1;
            self.note_time(turn.started_ms());
        }
        Ok(())
    }

    fn store_documents(&mut self, state: &FileState, documents: &mut NewDocuments) -> Result<()> {
        if let (Some(session), Some(model)) = (state.session, &self.model) {
            let texts = documents.documents.len();
            let is_stored = self.writer.store_new_documents(model, session, documents)?;
            self.written.embedded += if is_stored { texts } else { 0 };
        }
        Ok(())
    }

    fn note_mark(&mut self, change: &ChangedHistory, id: String) {
        let source = change.file.source.name().to_owned();
        self.written.marked.push(id.clone());
        self.marked.push(ExcludedSession { source, id });
    }

    /// Deletes what an earlier refresh stored of a subagent whose session is excluded.
    fn delete_subagent(
        &mut self,
        change: &ChangedHistory,
        state: &mut FileState,
        id: &str,
    ) -> Result<()> {
        let source = change.file.source.name();
        let exclusions = &self.exclusions;
        if exclusions.delete_subagent(self.writer, state.file, source, id)? {
            self.written.removed_subagents += 1;
            // A file goes with its last session.
            state.file = self.writer.upsert_file(source, &change.file.key())?;
            state.session = None;
        }
        Ok(())
    }

    fn note_time(&mut self, ms: Option<i64>) {
        let Some(ms) = ms else { return };
        self.written.times = Some(match self.written.times.take() {
            Some(times) => ms.min(*times.start())..=ms.max(*times.end()),
            None => ms..=ms,
        });
    }

    fn commit_if_due(&mut self) -> Result<()> {
        if self.commits.is_due() {
            self.record_marks()?;
            self.writer.commit()?;
        }
        Ok(())
    }

    /// Records the marked sessions, before a commit: the cursors that it stores have passed their marks, which are not
    /// read again.
    fn record_marks(&mut self) -> Result<()> {
        if !self.marked.is_empty() {
            let exclusions = self.exclusions.with_sessions(&self.marked)?;
            self.exclusions = Cow::Owned(exclusions);
            self.marked.clear();
        }
        Ok(())
    }
}

/// Returns what becomes of turns that a session no longer has when it is read from its beginning.
///
/// A file of lines that holds one session and has not grown lost them: it was cut off, is damaged, or an older copy. One
/// without any turn is damaged, whatever its size, unless all that it held were prompts that waited. A document is written
/// anew by its agent where a turn is taken back.
fn decide_undelivered_turns(change: &ChangedHistory, turns: KnownTurns) -> UndeliveredTurns {
    let has_grown = change.file.location.stamp.size > change.known_size;
    match is_transcript_of_lines(change) && turns != KnownTurns::Retract {
        true if has_grown => UndeliveredTurns::KeepIfNoneComes,
        true => UndeliveredTurns::Keep,
        false => UndeliveredTurns::Delete,
    }
}

/// Returns true for a file of lines that holds one session and is shorter than it was.
fn is_cut_off(change: &ChangedHistory) -> bool {
    is_transcript_of_lines(change) && change.file.location.stamp.size < change.known_size
}

/// Returns true for a file of one session to which lines are appended, packed or not.
fn is_transcript_of_lines(change: &ChangedHistory) -> bool {
    let name = change.file.location.path.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    change.file.holds_one_session() && name.trim_end_matches(".zst").ends_with(".jsonl")
}

/// Returns true when a file is read from its beginning: there is no cursor, or it holds
/// one session and the source found that its cursor is of another content.
fn is_anew(change: &ChangedHistory, event: &Event) -> bool {
    let is_replaced = matches!(event, Event::Session { turns, .. } if turns.are_replaced());
    change.cursor.as_ref().is_none_or(String::is_empty)
        || (is_replaced && change.file.holds_one_session())
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_forget::{ExcludeSettings, ForgottenRecords};
    use session_store::Reader;

    #[test]
    fn nothing_is_committed_before_marks_are_recorded() {
        let directory = tempfile::tempdir().unwrap();
        let records = directory.path().join("forgotten.json");
        let exclusions = ForgottenRecords::open(&records).unwrap();
        let exclusions = Exclusions::new(exclusions, &ExcludeSettings::default()).unwrap();
        let root = directory.path().join("index");
        let mut writer = Writer::open(&root).unwrap();
        let source = "claude";
        writer.upsert_file(source, "/h/a.jsonl").unwrap();
        let mut histories = HistoryWriter::new(&mut writer, None, &exclusions, &[]);
        histories.commits = CommitSchedule::begin_due();
        histories.marked.push(ExcludedSession {
            source: "claude".to_owned(),
            id: "a".to_owned(),
        });
        let committed = || Reader::open(&root).unwrap().files().unwrap().len();
        let obstacle = records.with_extension("lock");
        fs_err::create_dir(&obstacle).unwrap();
        histories.commit_if_due().unwrap_err();
        assert_eq!(committed(), 0);
        fs_err::remove_dir(&obstacle).unwrap();
        histories.commits = CommitSchedule::begin_due();
        histories.commit_if_due().unwrap();
        assert_eq!(committed(), 1);
        let entries = ForgottenRecords::open(&records).unwrap();
        assert_eq!(entries.entries().len(), 1);
    }
}
