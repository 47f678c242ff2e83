//! Rewrites the texts that an index holds of histories, with all that is derived from them: for rules of redaction that came
//! after the histories were read, which may be gone.
//!
//! It commits as it goes on. Each commit has the texts of some frames with their words, keys and titles, so that one that was
//! killed is continued by the next, which finds nothing to change in what was rewritten.

use crate::dedup_keys::hash_prompt_time;
use crate::error::Result;
use crate::frames::contents::{StoredContent, read_frame};
use crate::frames::frame::whole_contents;
use crate::id::{FrameId, SessionId, TurnId};
use crate::row::TurnRow;
use crate::sql::Statements;
use crate::writer::Writer;
use rayon::prelude::*;
use rusqlite::params;
use rustc_hash::FxHashSet;
use session_core::{Progress, SessionMeta, TurnContent};
use std::collections::BTreeMap;

/// Rewrites texts that are stored. What it returned once it leaves as it is.
pub trait StoredTextRewriter: Sync {
    /// Rewrites the content of a turn; returns true if it changed.
    fn rewrite_content(&self, content: &mut TurnContent) -> bool;

    /// Rewrites title, branch and project of a session; returns true if one changed.
    fn rewrite_session(&self, session: &mut SessionMeta) -> bool;

    /// Rewrites a title that another file gives; returns true if it changed.
    fn rewrite_title(&self, title: &mut String) -> bool;
}

/// Counts of what was rewritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RewrittenCounts {
    /// Turns whose content changed.
    pub turns: usize,
    /// Sessions whose title, branch or project changed.
    pub sessions: usize,
}

/// Frames that are rewritten between two commits, at most: 4 MB of JSON.
const FRAMES_PER_COMMIT: usize = 256;

/// A frame as it is stored.
struct StoredFrame {
    id: FrameId,
    packed: Vec<u8>,
}

/// A turn with its new content.
struct RewrittenTurn {
    row: TurnRow,
    content: TurnContent,
    is_prompt_changed: bool,
}

/// The texts of a session's row.
struct SessionTexts {
    id: SessionId,
    meta: SessionMeta,
    /// The title that another file gives it.
    given_title: Option<String>,
}

impl Writer {
    /// Rewrites the texts of all turns and sessions, commits, and requests a [purge](Writer::purge) if one changed. Vectors
    /// of what has a changed text are deleted. Cursors stay as they are: [`Writer::edit_cursors`] rewrites them.
    ///
    /// # Errors
    /// When the database fails. What was committed stays rewritten.
    pub fn rewrite_stored_texts(
        &mut self,
        rewriter: &dyn StoredTextRewriter,
        progress: &dyn Fn(Progress),
    ) -> Result<RewrittenCounts> {
        self.reader()?;
        self.begin()?;
        let mut counts = RewrittenCounts {
            turns: 0,
            sessions: self.rewrite_sessions(rewriter)?,
        };
        self.rewrite_external_titles(rewriter)?;
        self.rewrite_branches_of_turns(rewriter)?;
        self.commit()?;
        let total = "SELECT count(*) FROM contents";
        let total: i64 = self.db().single(total, [], |row| row.get(0))?;
        let (mut done, total) = (0, total.cast_unsigned());
        let mut frames = self.frames_after(FrameId::default())?;
        while let Some(last) = frames.last().map(|frame| frame.id) {
            counts.turns += self.rewrite_frames(&frames, rewriter)?;
            done += frames.len() as u64;
            progress(Progress { done, total });
            frames = self.frames_after(last)?;
        }
        Ok(counts)
    }

    /// Returns the next frames behind one.
    fn frames_after(&self, last: FrameId) -> Result<Vec<StoredFrame>> {
        let select = "SELECT frame, id FROM contents WHERE id > ?1 ORDER BY id LIMIT ?2";
        let limit = FRAMES_PER_COMMIT.cast_signed() as i64;
        self.db().rows(select, params![last, limit], |row| {
            Ok(StoredFrame {
                packed: read_frame(row)?,
                id: row.get(1)?,
            })
        })
    }

    /// Rewrites the contents of frames, and commits where one changed. Returns the number of those that did.
    fn rewrite_frames(
        &mut self,
        frames: &[StoredFrame],
        rewriter: &dyn StoredTextRewriter,
    ) -> Result<usize> {
        let changed: Vec<ChangedContent> = frames
            .par_iter()
            .flat_map_iter(|frame| whole_contents(&frame.packed))
            .filter_map(|stored| ChangedContent::new(stored, rewriter))
            .collect();
        let mut turns = Vec::with_capacity(changed.len());
        for ChangedContent {
            stored,
            is_prompt_changed,
        } in changed
        {
            // A damaged index may have contents without a turn.
            turns.extend(self.reader.turn(stored.turn)?.map(|row| RewrittenTurn {
                row,
                content: stored.content,
                is_prompt_changed,
            }));
        }
        if !turns.is_empty() {
            self.replace_contents(&turns)?;
            self.commit()?;
        }
        Ok(turns.len())
    }

    /// Replaces the contents of turns, and what is derived from them: first all contents, since copies are compared.
    fn replace_contents(&mut self, turns: &[RewrittenTurn]) -> Result<()> {
        self.request_purge()?;
        turns
            .iter()
            .try_for_each(|turn| self.replace_content(turn))?;
        for RewrittenTurn { row, content, .. } in turns {
            self.reindex_turn(row.id, row.session, content)?;
            self.reindex_copies(row.id)?;
        }
        let mut by_session: BTreeMap<SessionId, FxHashSet<TurnId>> = BTreeMap::new();
        for RewrittenTurn { row, .. } in turns {
            by_session.entry(row.session).or_default().insert(row.id);
        }
        for (session, turns) in by_session {
            self.renew_opening(session)?;
            self.orphan_rows_of_turns(session, &turns)?;
            self.bump_revision(session)?;
        }
        Ok(())
    }

    /// Replaces the content of a turn, and the key by which copies of its prompt are found.
    fn replace_content(&mut self, turn: &RewrittenTurn) -> Result<()> {
        let RewrittenTurn { row, content, .. } = turn;
        self.pending.frames.replace(&self.reader, row.id, content)?;
        if !turn.is_prompt_changed {
            return Ok(());
        }
        let hashes = self.reader.turn_hashes(row.id)?;
        let key = hash_prompt_time(row.started_ms, content.typed_prompt());
        let update = "UPDATE turns SET prompt_time = ?2 WHERE id = ?1 AND prompt_time IS NOT NULL";
        self.db().run(update, params![row.id, key])?;
        self.update_turn_keys(row.id, hashes)
    }

    /// Rewrites titles, branches and projects; returns the number of sessions in which one changed.
    fn rewrite_sessions(&mut self, rewriter: &dyn StoredTextRewriter) -> Result<usize> {
        let mut count = 0;
        for SessionTexts {
            id,
            mut meta,
            mut given_title,
        } in self.session_texts()?
        {
            let given = given_title.as_mut();
            let is_given_changed = given.is_some_and(|title| rewriter.rewrite_title(title));
            let title = meta.title.clone();
            if !rewriter.rewrite_session(&mut meta) && !is_given_changed {
                continue;
            }
            count += 1;
            self.request_purge()?;
            let update = "UPDATE sessions SET title = ?2, given_title = ?3, branch = ?4, project = ?5 WHERE id = ?1";
            let values = params![id, meta.title, given_title, meta.branch, meta.project];
            self.db().run(update, values)?;
            if is_given_changed || title != meta.title {
                self.queue_work_title(id);
                self.index_title(id)?;
                self.orphan_rows_of_turns(id, &FxHashSet::default())?;
                self.bump_revision(id)?;
            }
        }
        Ok(count)
    }

    fn session_texts(&self) -> Result<Vec<SessionTexts>> {
        let select =
            "SELECT id, title, given_title, branch, project, cwd FROM sessions ORDER BY id";
        self.db().rows(select, [], |row| {
            Ok(SessionTexts {
                id: row.get(0)?,
                meta: SessionMeta {
                    title: row.get(1)?,
                    branch: row.get(3)?,
                    project: row.get(4)?,
                    cwd: row.get(5)?,
                    ..SessionMeta::default()
                },
                given_title: row.get(2)?,
            })
        })
    }

    fn rewrite_external_titles(&mut self, rewriter: &dyn StoredTextRewriter) -> Result<()> {
        for mut external in self.reader.external_titles()? {
            if rewriter.rewrite_title(&mut external.title) {
                self.request_purge()?;
                let update = "UPDATE titles SET title = ?2 WHERE leaf = ?1";
                let values = params![external.leaf, external.title];
                self.db().run(update, values)?;
            }
        }
        Ok(())
    }

    fn rewrite_branches_of_turns(&mut self, rewriter: &dyn StoredTextRewriter) -> Result<()> {
        let select = "SELECT DISTINCT branch FROM turns WHERE branch IS NOT NULL";
        let branches: Vec<String> = self.db().rows(select, [], |row| row.get(0))?;
        for branch in branches {
            let mut meta = SessionMeta {
                branch: Some(branch.clone()),
                ..SessionMeta::default()
            };
            if rewriter.rewrite_session(&mut meta) {
                self.request_purge()?;
                let update = "UPDATE turns SET branch = ?2 WHERE branch = ?1";
                self.db().run(update, params![branch, meta.branch])?;
            }
        }
        Ok(())
    }
}

/// A content that changed.
struct ChangedContent {
    stored: StoredContent,
    is_prompt_changed: bool,
}

impl ChangedContent {
    /// Rewrites a content; `None` if nothing changed.
    fn new(mut stored: StoredContent, rewriter: &dyn StoredTextRewriter) -> Option<Self> {
        let content = &mut stored.content;
        let prompt = content.typed_prompt().to_owned();
        rewriter.rewrite_content(content).then_some(())?;
        let is_prompt_changed = prompt != content.typed_prompt();
        Some(Self {
            stored,
            is_prompt_changed,
        })
    }
}
