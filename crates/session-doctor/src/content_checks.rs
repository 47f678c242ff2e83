//! Checks of the texts that the index holds.

use crate::finding::{DoctorCheck, DoctorFinding, DoctorFix};
use crate::index_checks::{REBUILD, describe_error};
use session_display::{SessionIds, pluralize};
use session_store::{DamagedSession, Reader, SessionRow, StoreError};
use std::collections::HashMap;

/// Most sessions that a finding names.
const MAX_NAMED: usize = 5;

/// Reads the contents of all turns, and names the sessions that have damaged ones. Those whose histories are there are
/// read again; of others nothing else holds the text.
pub(crate) fn check_contents(index: &Reader) -> Vec<DoctorFinding> {
    find_damaged(index).unwrap_or_else(|error| vec![describe_error(&error)])
}

fn find_damaged(index: &Reader) -> Result<Vec<DoctorFinding>, StoreError> {
    let damaged = index.damaged_contents()?;
    if damaged.is_empty() {
        return Ok(Vec::new());
    }
    let all = index.sessions()?;
    let rows: HashMap<_, _> = all.iter().map(|row| (row.id, row)).collect();
    let (gone, there): (Vec<_>, Vec<_>) = damaged
        .into_iter()
        .filter_map(|damaged| Some((*rows.get(&damaged.session)?, damaged)))
        .partition(|(row, _)| row.gone);
    let ids = SessionIds::new(&all);
    let mut findings = Vec::new();
    if let Some(found) = describe_damaged(&there, &ids) {
        findings.push(
            DoctorFinding::problem(DoctorCheck::Contents, found, REBUILD)
                .fixed_by(DoctorFix::Rebuild),
        );
    }
    if let Some(found) = describe_damaged(&gone, &ids) {
        let found = format!("{found}, whose histories are gone");
        let hint = "nothing else holds these texts: `session-search forget` deletes such a session";
        findings.push(DoctorFinding::problem(DoctorCheck::Contents, found, hint));
    }
    Ok(findings)
}

/// Counts the damaged turns of some sessions and names the first ones; `None` if there are none.
fn describe_damaged(
    damaged: &[(&SessionRow, DamagedSession)],
    ids: &SessionIds<'_>,
) -> Option<String> {
    let turns: usize = damaged.iter().map(|(_, damaged)| damaged.turns).sum();
    let named = damaged.iter().take(MAX_NAMED);
    let named: Vec<String> = named
        .map(|(row, _)| format!("`{}`", ids.short_id(row)))
        .collect();
    let others = match damaged.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (turns > 0).then(|| {
        let sessions = named.join(", ");
        format!(
            "the text of {} is damaged, in {sessions}{others}",
            pluralize(turns, "turn")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::SessionId;

    #[test]
    fn damaged_texts_are_counted_and_their_sessions_named() {
        let all: Vec<SessionRow> = (1..=7)
            .map(|number| SessionRow {
                id: SessionId::new(number),
                uid: format!("{number}0000000-lamp"),
                ..SessionRow::default()
            })
            .collect();
        let damaged: Vec<_> = all
            .iter()
            .map(|row| {
                let session = row.id;
                (row, DamagedSession { session, turns: 2 })
            })
            .collect();
        let ids = SessionIds::new(&all);
        let found = |count: usize| describe_damaged(&damaged[..count], &ids);
        assert_eq!(found(0), None);
        let one = "the text of 2 turns is damaged, in `10000000`";
        assert_eq!(found(1).as_deref(), Some(one));
        let text = found(7).unwrap();
        assert!(text.ends_with("`50000000` and 2 more"), "{text}");
    }
}
