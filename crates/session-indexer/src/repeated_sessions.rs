//! Sessions that two histories of an agent hold under one id: a copied database, a home of another machine, a transcript in
//! two folders.

use crate::discover::ChangedHistory;
use session_sources::Env;
use session_store::{FileId, SessionId, SessionTwin, StoreError, Writer};
use std::path::Path;

/// A session and the history that holds it.
#[derive(Clone, Copy)]
struct HeldSession<'p> {
    id: SessionId,
    path: &'p Path,
    is_elsewhere: bool,
    holds_one_session: bool,
}

impl HeldSession<'_> {
    /// Returns true for a session in a database of the own home. The mark of such a pair is kept while the marked session is
    /// not read again.
    fn keeps_mark(&self) -> bool {
        !self.is_elsewhere && !self.holds_one_session
    }

    /// Returns the precedence of its history among those that hold the same, the least first: `opencode.db` goes before
    /// `opencode-backup.db`. Of two transcripts the one that was read first has the turns, which are found there.
    fn rank(&self) -> impl Ord {
        let path = self.path.as_os_str();
        let path = (!self.holds_one_session).then_some((path.len(), path));
        (self.is_elsewhere, path, self.id)
    }
}

/// Deletes or marks the sessions of which two histories hold the same, or one more than the other. `read` are the histories
/// that were read, one of each two; histories that are `gone` hold nothing.
pub(crate) fn settle_repeated_sessions(
    env: &Env,
    writer: &mut Writer,
    read: &[ChangedHistory],
    gone: &[FileId],
) -> Result<(), StoreError> {
    for change in read {
        let twins = writer.session_twins(&change.file.key())?.into_iter();
        for twin in twins.filter(|twin| !gone.contains(&twin.other_file)) {
            let held = |id, path| HeldSession {
                id,
                path,
                is_elsewhere: env.is_elsewhere(path),
                holds_one_session: change.file.holds_one_session(),
            };
            let one = held(twin.session, &change.file.location.path);
            let other = held(twin.other, Path::new(&twin.other_path));
            if twin.is_marked && one.keeps_mark() && other.keeps_mark() {
                continue;
            }
            if let Some(copy) = find_repeated(writer, &twin, one, other)? {
                let holder = if copy.id == one.id { other } else { one };
                settle(writer, copy, holder)?;
            }
        }
    }
    Ok(())
}

/// Returns that of two sessions of which the other one holds all turns. Of equal ones it is the second in rank.
fn find_repeated<'p>(
    writer: &Writer,
    twin: &SessionTwin,
    one: HeldSession<'p>,
    other: HeldSession<'p>,
) -> Result<Option<HeldSession<'p>>, StoreError> {
    // Of prompts alone the index knows otherwise which a transcript holds, in the user's own home.
    let is_settled = twin.prompts_only && !one.is_elsewhere;
    let is_held = !is_settled && writer.holds_all_turns(other.id, one.id)?;
    let holds = !twin.prompts_only && writer.holds_all_turns(one.id, other.id)?;
    Ok(match (is_held, holds) {
        (true, true) if one.rank() < other.rank() => Some(other),
        (true, _) => Some(one),
        (false, true) => Some(other),
        (false, false) => None,
    })
}

/// Deletes a session that another one repeats, where it is of another machine. One in the own home stays, in another folder or
/// in the copy of a database: either history may be deleted or lose turns, and the other one still has them.
fn settle(
    writer: &mut Writer,
    copy: HeldSession<'_>,
    holder: HeldSession<'_>,
) -> Result<(), StoreError> {
    match (copy.is_elsewhere, holder.is_elsewhere) {
        (true, _) if copy.holds_one_session => writer.delete_only_repeated_session(copy.id),
        (true, _) => writer.delete_repeated_session(copy.id),
        (false, true) => Ok(()),
        _ => writer.mark_repeated_session(copy.id),
    }
}
