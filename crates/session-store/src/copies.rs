//! Tells turns that are copies of others: resumed and forked histories repeat them.

use crate::dedup_keys::DedupKeys;
use crate::error::Result;
use crate::id::{SessionId, SessionTurn, TurnId};
use crate::row::{PROMPTS_ONLY, UNNAMED_FORK};
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use rustc_hash::FxHashSet;
use session_core::TurnContent;
use session_core::text::file_name;
use std::collections::BTreeSet;

/// The precedence of a session among those that hold the same turn, the least first. It depends on nothing but the
/// sessions: two turns could take each other's words without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnerRank {
    is_prompts_only: bool,
    /// Number of forks that lead to it from an original, as far as the index knows.
    forks: u32,
    session: SessionId,
}

/// Tells whether a turn is a copy of another, or the owner of others that are its copies.
pub(crate) enum Ownership {
    CopyOf(TurnId),
    OwnerOf(Vec<SessionTurn>),
}

impl Ownership {
    /// Returns the owner of a copy.
    pub(crate) fn owner(&self) -> Option<TurnId> {
        match self {
            Self::CopyOf(owner) => Some(*owner),
            Self::OwnerOf(_) => None,
        }
    }
}

/// Turns that one is compared with, at most.
const MAX_OWNERS: usize = 16;
/// Forks that lead to a session and are counted, at most: a damaged history may say that it is a fork of itself.
const MAX_FORKS: u32 = 16;

impl Writer {
    /// Returns the turns that are no copies and have an origin, or time and prompt, in common with
    /// this one, which has these keys: those of its origin first.
    pub(crate) fn owners_alike(&self, id: TurnId, keys: DedupKeys) -> Result<Vec<SessionTurn>> {
        let mut seen = BTreeSet::from([id]);
        let mut owners = Vec::new();
        for hash in [keys.origin, keys.prompt_time].into_iter().flatten() {
            for candidate in self.pending.turn_keys.find(self.db(), hash)? {
                if owners.len() < MAX_OWNERS && seen.insert(candidate) {
                    owners.extend(self.owner_alike(candidate, keys)?);
                }
            }
        }
        Ok(owners)
    }

    /// Returns a candidate that is no copy and has one of these keys.
    fn owner_alike(&self, candidate: TurnId, keys: DedupKeys) -> Result<Option<SessionTurn>> {
        let select = "SELECT id, session FROM turns
             WHERE id = ?1 AND owner IS NULL AND (origin = ?2 OR prompt_time = ?3)";
        let values = params![candidate, keys.origin, keys.prompt_time];
        self.db().first(select, values, SessionTurn::from_row)
    }

    /// Tells whether a turn of a session is a copy of one of these. Of two turns that are one the longer is the owner, and of
    /// equal ones that whose session was forked less often, else that of the first session.
    pub(crate) fn find_ownership(
        &self,
        session: SessionId,
        content: &TurnContent,
        alike: Vec<SessionTurn>,
    ) -> Result<Ownership> {
        let mut copies = Vec::new();
        for other in alike {
            let others = self.content(other.turn)?;
            let is_in_other = is_part_of(content, &others);
            let owns_other = match (is_part_of(&others, content), is_in_other) {
                (true, true) => self.owner_rank(session)? < self.owner_rank(other.session)?,
                (holds_other, _) => holds_other,
            };
            if owns_other {
                copies.push(other);
            } else if is_in_other {
                return Ok(Ownership::CopyOf(other.turn));
            }
        }
        Ok(Ownership::OwnerOf(copies))
    }

    /// Returns the rank of a session. It is cached until a session changes: each copy of a turn is compared with it.
    fn owner_rank(&self, session: SessionId) -> Result<OwnerRank> {
        let ranks = &self.session_progress.owner_ranks;
        if let Some(rank) = ranks.borrow().get(&session) {
            return Ok(*rank);
        }
        let rank = self.query_owner_rank(session)?;
        ranks.borrow_mut().insert(session, rank);
        Ok(rank)
    }

    fn query_owner_rank(&self, session: SessionId) -> Result<OwnerRank> {
        let select = "WITH RECURSIVE forks(original, depth) AS (
               SELECT forked_from, 1 FROM sessions
               WHERE id = ?1 AND (forked_from IS NOT NULL OR gone & ?2)
               UNION SELECT o.forked_from, depth + 1 FROM forks
               JOIN sessions o ON o.uid = original AND o.source = (SELECT source FROM sessions WHERE id = ?1)
               WHERE depth < ?4 AND (o.forked_from IS NOT NULL OR o.gone & ?2))
             SELECT gone & ?3, (SELECT coalesce(max(depth), 0) FROM forks) FROM sessions WHERE id = ?1";
        let values = params![session, UNNAMED_FORK, PROMPTS_ONLY, MAX_FORKS];
        self.db().single(select, values, |row| {
            Ok(OwnerRank {
                is_prompts_only: row.get::<_, i64>(0)? != 0,
                forks: row.get(1)?,
                session,
            })
        })
    }

    pub(crate) fn is_copy(&self, id: TurnId) -> Result<bool> {
        let select = "SELECT owner IS NOT NULL FROM turns WHERE id = ?1";
        self.db().single(select, [id], |row| row.get(0))
    }

    pub(crate) fn set_owner(&self, id: TurnId, owner: Option<TurnId>) -> Result<()> {
        let update = "UPDATE turns SET owner = ?2 WHERE id = ?1 AND owner IS NOT ?2";
        self.db().run(update, params![id, owner])
    }
}

/// Returns true if each text of `copy` is in that of `whole`: a copy of a history may have been made in the middle of a turn,
/// before the user's replies in it. What results hold has no order: one that was read apart from its call stands after those
/// that were read with theirs.
pub(crate) fn is_part_of(copy: &TurnContent, whole: &TurnContent) -> bool {
    whole.answer.starts_with(&copy.answer)
        && whole.commands.starts_with(&copy.commands)
        && has_files_of(whole, copy)
        && has_all(paragraphs(whole), paragraphs(copy))
        && has_all(texts(&whole.errors), texts(&copy.errors))
}

/// Returns the paragraphs of the user's words: of the prompt, and of each reply.
fn paragraphs(content: &TurnContent) -> impl Iterator<Item = &str> {
    let paragraphs = content.prompt.split("\n\n");
    paragraphs.filter(|paragraph| !paragraph.is_empty())
}

fn texts(lines: &[String]) -> impl Iterator<Item = &str> {
    lines.iter().map(String::as_str)
}

fn has_all<'t>(
    whole: impl Iterator<Item = &'t str>,
    mut copy: impl Iterator<Item = &'t str>,
) -> bool {
    let whole: FxHashSet<&str> = whole.collect();
    copy.all(|text| whole.contains(text))
}

/// Returns true when a turn has a file of the name of each file of a copy. Claude Code writes the directory at hand on the lines
/// that it copies, from which relative paths are resolved.
fn has_files_of(whole: &TurnContent, copy: &TurnContent) -> bool {
    has_all(file_names(whole), file_names(copy))
}

fn file_names(content: &TurnContent) -> impl Iterator<Item = &str> {
    texts(&content.files).map(file_name)
}
