//! Tells turns that are copies of others: resumed and forked histories repeat them.

use crate::dedup_keys::DedupKeys;
use crate::error::Result;
use crate::id::{SessionId, SessionTurn, TurnId};
use crate::row::UNNAMED_FORK;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::params;
use rustc_hash::FxHashSet;
use session_core::TurnContent;
use session_core::text::file_name;
use std::collections::BTreeSet;

/// A turn that is no copy and may be the same as one at hand.
pub(crate) struct AlikeOwner {
    id: TurnId,
    session: SessionId,
    /// Its session was forked, and that of the turn at hand was not.
    is_forked_off: bool,
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

impl Writer {
    /// Returns the turns that are no copies and have an origin, or time and prompt, in common with
    /// this one, which has these keys: those of its origin first.
    pub(crate) fn owners_alike(&self, id: TurnId, keys: DedupKeys) -> Result<Vec<AlikeOwner>> {
        let mut seen = BTreeSet::from([id]);
        let mut owners = Vec::new();
        for hash in [keys.origin, keys.prompt_time].into_iter().flatten() {
            for candidate in self.pending.turn_keys.find(self.db(), hash)? {
                if owners.len() < MAX_OWNERS && seen.insert(candidate) {
                    owners.extend(self.owner_alike(candidate, id, keys)?);
                }
            }
        }
        Ok(owners)
    }

    /// Returns a candidate that is no copy and has one of these keys, which are those of turn `id`.
    fn owner_alike(
        &self,
        candidate: TurnId,
        id: TurnId,
        keys: DedupKeys,
    ) -> Result<Option<AlikeOwner>> {
        let select = "SELECT t.session, (s.forked_from IS NOT NULL OR s.gone & ?5) AND
               (SELECT f.forked_from IS NULL AND NOT f.gone & ?5
                FROM turns u JOIN sessions f ON f.id = u.session WHERE u.id = ?2)
             FROM turns t JOIN sessions s ON s.id = t.session
             WHERE t.id = ?1 AND t.owner IS NULL AND (t.origin = ?3 OR t.prompt_time = ?4)";
        self.db().first(
            select,
            params![candidate, id, keys.origin, keys.prompt_time, UNNAMED_FORK],
            |row| {
                Ok(AlikeOwner {
                    id: candidate,
                    session: row.get(0)?,
                    is_forked_off: row.get(1)?,
                })
            },
        )
    }

    /// Tells whether a turn is a copy of one of these. Of two turns that are one the longer is the owner, and of equal
    /// ones that which was not copied by a fork, else the first.
    pub(crate) fn find_ownership(
        &self,
        content: &TurnContent,
        alike: Vec<AlikeOwner>,
    ) -> Result<Ownership> {
        let mut copies = Vec::new();
        for other in alike {
            let others = self.content(other.id)?;
            let holds_other = is_prefix_of(&others, content);
            let is_in_other = is_prefix_of(content, &others);
            if holds_other && (!is_in_other || other.is_forked_off) {
                copies.push(SessionTurn {
                    turn: other.id,
                    session: other.session,
                });
            } else if is_in_other {
                return Ok(Ownership::CopyOf(other.id));
            }
        }
        Ok(Ownership::OwnerOf(copies))
    }

    pub(crate) fn set_owner(&self, id: TurnId, owner: Option<TurnId>) -> Result<()> {
        let update = "UPDATE turns SET owner = ?2 WHERE id = ?1 AND owner IS NOT ?2";
        self.db().run(update, params![id, owner])
    }
}

/// Returns true when each text of `copy` is a prefix of that of `whole`: a copy of a history may
/// have been made in the middle of a turn, before the user's replies in it.
fn is_prefix_of(copy: &TurnContent, whole: &TurnContent) -> bool {
    whole.prompt.starts_with(&copy.prompt)
        && whole.answer.starts_with(&copy.answer)
        && whole.commands.starts_with(&copy.commands)
        && has_files_of(whole, copy)
        && whole.errors.starts_with(&copy.errors)
}

/// Returns true when a turn has a file of the name of each file of a copy. Claude Code writes the directory at hand on the lines
/// that it copies, from which relative paths are resolved, and an earlier version kept no files that a shell wrote.
fn has_files_of(whole: &TurnContent, copy: &TurnContent) -> bool {
    let names = whole.files.iter().map(|path| file_name(path));
    let names: FxHashSet<&str> = names.collect();
    copy.files
        .iter()
        .all(|path| names.contains(file_name(path)))
}
