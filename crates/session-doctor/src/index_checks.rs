//! Checks of the index: database, matrices, coverage.

use crate::content_checks;
use crate::finding::{DoctorCheck, DoctorFinding, DoctorFix};
use crate::history_checks::{LocatedHistory, is_listed_problem};
use session_config::Home;
use session_display::{format_size, pluralize};
use session_query::{IndexStatus, ModelStatus};
use session_store::{
    DocumentKind, HistoryProblem, IndexWriter, PendingPurge, Reader, StoreError, check_ownership,
    old_databases,
};

/// The divisor of all rows of vectors: more dead ones than `all / DEAD_ROWS_DIVISOR` are worth a purge.
const DEAD_ROWS_DIVISOR: usize = 4;
/// The advice to build the index anew.
pub(crate) const REBUILD: &str = "run `session-search index --full`";

/// Checks whether the index can be read and is whole, and what it covers.
pub(crate) fn check_index(home: &Home, histories: &[LocatedHistory]) -> Vec<DoctorFinding> {
    let writer = IndexWriter::find(&home.index_directory);
    let opened = check_ownership(&home.index_directory);
    let index = match opened.and_then(|()| Reader::open_thoroughly_verified(&home.index_directory))
    {
        Ok(index) => index,
        Err(error) => return vec![describe_error(&error)],
    };
    let mut findings = vec![DoctorFinding::ok(
        DoctorCheck::Index,
        format!(
            "database and vectors are whole (`{}`)",
            home.index_directory.display()
        ),
    )];
    findings.extend(content_checks::check_contents(&index));
    findings.extend(check_rows(&index));
    findings.extend(check_purge(&index));
    findings.extend(check_old_databases(home));
    match home.exclusions() {
        Ok(exclusions) => {
            let status = IndexStatus::read(&index, home, &exclusions);
            findings.extend(status.map_or_else(
                |error| {
                    vec![DoctorFinding::problem(
                        DoctorCheck::Index,
                        error.to_string(),
                        REBUILD,
                    )]
                },
                |s| check_coverage(&s, histories, home.allows_background()),
            ));
        }
        Err(error) => findings.push(DoctorFinding {
            hint: error.hint().map(str::to_owned),
            ..DoctorFinding::problem(DoctorCheck::Forget, error.to_string(), "")
        }),
    }
    match writer {
        Some(writer) => replace_unfinished(findings, &writer),
        None => findings,
    }
}

/// Replaces the findings that a refresh or a purge would fix by a note on the process that writes: it may be doing that.
fn replace_unfinished(
    mut findings: Vec<DoctorFinding>,
    writer: &IndexWriter,
) -> Vec<DoctorFinding> {
    let is_unfinished = |fix| matches!(fix, DoctorFix::Refresh | DoctorFix::Purge);
    findings.retain(|finding| !finding.fix.is_some_and(is_unfinished));
    findings.push(DoctorFinding::note(
        DoctorCheck::Index,
        writer.to_string(),
        "run `session-search doctor` again when it has ended: what it has still to do is not named",
    ));
    findings
}

/// Describes why the index cannot be read, or not be made.
pub(crate) fn describe_error(error: &StoreError) -> DoctorFinding {
    let hint = error.remedy();
    let hint = hint.unwrap_or("see that its folder can be read and written");
    let found = error.to_string();
    match error {
        StoreError::Missing { .. } => DoctorFinding::note(DoctorCheck::Index, found, hint),
        _ if error.needs_migration() => {
            DoctorFinding::note(DoctorCheck::Index, found, hint).fixed_by(DoctorFix::Refresh)
        }
        _ if error.needs_rebuild() => {
            DoctorFinding::problem(DoctorCheck::Index, found, hint).fixed_by(DoctorFix::Rebuild)
        }
        _ => DoctorFinding::problem(DoctorCheck::Index, found, hint),
    }
}

fn check_rows(index: &Reader) -> Vec<DoctorFinding> {
    let (mut dead, mut all) = (0, 0);
    for model in index.models().unwrap_or_default() {
        for kind in DocumentKind::ALL {
            let live = index
                .vector_owners(model.id, kind)
                .map_or(0, |owners| owners.count());
            dead += model.rows(kind).saturating_sub(live);
            all += model.rows(kind);
        }
    }
    let found = format!(
        "{dead} of {} belong to deleted text",
        pluralize(all, "vector")
    );
    if dead * DEAD_ROWS_DIVISOR > all {
        vec![
            DoctorFinding::note(
                DoctorCheck::Vectors,
                found,
                "`session-search doctor --fix` removes them",
            )
            .fixed_by(DoctorFix::Purge),
        ]
    } else {
        vec![DoctorFinding::ok(DoctorCheck::Vectors, found)]
    }
}

fn check_purge(index: &Reader) -> Option<DoctorFinding> {
    let pending = index.pending_purge().ok()??;
    let found = "deleted text is still in the files of the index";
    let finding = DoctorFinding::problem(DoctorCheck::Forget, found, purge_hint(pending));
    Some(finding.fixed_by(DoctorFix::Purge))
}

/// Returns what a purge needs to go on.
fn purge_hint(pending: PendingPurge) -> &'static str {
    match pending {
        PendingPurge::Rewriting => {
            "run `session-search doctor --fix`, which needs free space for a copy of the index"
        }
        PendingPurge::Truncation => {
            "end other programs that read the index, then run `session-search doctor --fix`"
        }
    }
}

/// Checks that what is forgotten and excluded was applied to the index.
fn check_exclusions(status: &IndexStatus) -> Option<DoctorFinding> {
    status.exclusions_changed.then(|| {
        let found = "what is forgotten or excluded changed since the index was written, which may still hold it";
        DoctorFinding::problem(DoctorCheck::Forget, found, "run `session-search index`")
            .fixed_by(DoctorFix::Refresh)
    })
}

fn check_old_databases(home: &Home) -> Option<DoctorFinding> {
    let files = old_databases(&home.index_directory);
    let old = files.first()?;
    let sizes = files.iter().filter_map(|path| std::fs::metadata(path).ok());
    let bytes: u64 = sizes.map(|found| found.len()).sum();
    let found = format!(
        "an old database was put aside: `{}`, {}",
        old.display(),
        format_size(bytes)
    );
    Some(DoctorFinding::note(
        DoctorCheck::Index,
        found,
        "remove it if you miss nothing",
    ))
}

/// Checks how much a model has embedded, and whether it failed at the last time. `continues` is true where a search starts a
/// process that goes on with it.
fn check_embedded_sessions(model: &ModelStatus, continues: bool) -> DoctorFinding {
    let failure = model.failure.as_ref().filter(|_| model.in_use);
    let found = format!(
        "{} has embedded {} of {}{}",
        model.name,
        model.sessions,
        pluralize(model.all_sessions, "session"),
        failure.map_or(String::new(), |reason| format!("; {reason}"))
    );
    let is_behind = model.in_use && !model.running && model.sessions < model.all_sessions as u64;
    if is_behind {
        DoctorFinding::note(
            DoctorCheck::Model,
            found,
            if continues {
                "a search goes on with it in the background, or run `session-search index`"
            } else {
                "run `session-search index`"
            },
        )
        .fixed_by(DoctorFix::Refresh)
    } else {
        DoctorFinding::ok(DoctorCheck::Model, found)
    }
}

/// Counts the parts of the histories that could not be read, and names the first.
fn check_problems(problems: &[&HistoryProblem]) -> Option<DoctorFinding> {
    let HistoryProblem { path, reason, .. } = problems.first()?;
    let found = format!(
        "{} of the histories could not be read, first {path}: {reason}",
        problems.len()
    );
    let hint = "`session-search status` lists them";
    Some(DoctorFinding::problem(DoctorCheck::Histories, found, hint))
}

fn check_coverage(
    status: &IndexStatus,
    histories: &[LocatedHistory],
    continues: bool,
) -> Vec<DoctorFinding> {
    let models = status.models.iter();
    let embedded = models.map(|model| check_embedded_sessions(model, continues));
    let mut findings: Vec<DoctorFinding> = embedded.collect();
    findings.extend(check_exclusions(status));
    let problems = status.problems.iter();
    let unlisted = problems.filter(|problem| !is_listed_problem(problem, histories));
    findings.extend(check_problems(&unlisted.collect::<Vec<_>>()));
    if status.gone > 0 {
        findings.push(DoctorFinding::ok(
            DoctorCheck::Histories,
            format!(
                "{} kept whose history is gone, or in a folder that no variable names now",
                pluralize(status.gone, "session")
            ),
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingSeverity;
    use session_sources::Env;

    #[test]
    fn a_failure_of_the_model_is_found_under_model() {
        let status = IndexStatus {
            models: vec![ModelStatus {
                name: "remote".into(),
                dims: 3,
                vectors: 0,
                sessions: 0,
                all_sessions: 8,
                in_use: true,
                running: false,
                seconds_left: None,
                failure: Some("status 401".into()),
            }],
            ..IndexStatus::default()
        };
        let findings = check_coverage(&status, &[], false);
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        assert_eq!(finding.check, DoctorCheck::Model);
        assert_eq!(finding.severity, FindingSeverity::Note);
        let found = "remote has embedded 0 of 8 sessions; status 401";
        assert_eq!(finding.found, found);
        let hint = finding.hint.as_deref();
        assert_eq!(hint, Some("run `session-search index`"));
        let model = ModelStatus {
            sessions: 1,
            all_sessions: 1,
            failure: None,
            ..status.models[0].clone()
        };
        let finding = check_embedded_sessions(&model, true);
        assert_eq!(finding.found, "remote has embedded 1 of 1 session");
    }

    #[test]
    fn what_is_not_yet_removed_is_a_problem_that_a_refresh_fixes() {
        let status = |exclusions_changed| IndexStatus {
            exclusions_changed,
            ..IndexStatus::default()
        };
        assert_eq!(check_coverage(&status(false), &[], false), []);
        let findings = check_coverage(&status(true), &[], false);
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        assert_eq!(finding.check, DoctorCheck::Forget);
        assert_eq!(finding.severity, FindingSeverity::Problem);
        assert_eq!(finding.fix, Some(DoctorFix::Refresh));
    }

    #[test]
    fn what_a_writer_may_be_doing_is_no_problem() {
        let user = tempfile::tempdir().unwrap();
        let env = Env::with_home(user.path());
        let home = Home::new(env, user.path().join("index"));
        let find = || {
            let findings = check_index(&home, &[]).into_iter();
            findings.filter(|finding| finding.severity > FindingSeverity::Ok)
        };
        let mut writer = session_store::Writer::open(&home.index_directory).unwrap();
        writer.request_purge().unwrap();
        writer.commit().unwrap();
        let [note] = find().collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(note.severity, FindingSeverity::Note);
        assert!(note.found.starts_with("a process is writing"), "{note:?}");
        drop(writer);
        let mut left = find();
        assert!(left.any(|finding| finding.fix == Some(DoctorFix::Purge)));
    }

    #[test]
    fn readers_are_named_only_where_a_purge_waits_for_them() {
        let rewriting = purge_hint(PendingPurge::Rewriting);
        assert!(rewriting.contains("free space") && !rewriting.contains("other programs"));
        assert!(purge_hint(PendingPurge::Truncation).starts_with("end other programs"));
    }

    #[test]
    fn a_directory_of_others_is_no_missing_index() {
        let user = tempfile::tempdir().unwrap();
        let env = Env::with_home(user.path());
        let home = Home::new(env, user.path().join("index"));
        let find = || check_index(&home, &[]).remove(0);
        let missing = find();
        assert_eq!(missing.severity, FindingSeverity::Note);
        assert!(missing.found.starts_with("there is no index in"));
        std::fs::create_dir(&home.index_directory).unwrap();
        std::fs::create_dir(home.index_directory.join("notes")).unwrap();
        let foreign = find();
        assert_eq!(foreign.severity, FindingSeverity::Problem);
        let error = StoreError::ForeignDirectory(home.index_directory.clone());
        assert_eq!(foreign.found, error.to_string());
        assert_eq!(foreign.hint.as_deref(), error.hint());
        assert_eq!(foreign.fix, None);
    }

    #[test]
    fn places_that_cannot_be_read_are_counted_with_the_first() {
        let problem = |path: &str| HistoryProblem {
            path: path.to_owned(),
            reason: "permission denied".to_owned(),
            offset: None,
            count: 1,
            is_unread_path: true,
        };
        let (a, b) = (problem("/a"), problem("/b"));
        assert_eq!(
            check_problems(&[&a, &b]).unwrap().found,
            "2 of the histories could not be read, first /a: permission denied"
        );
        assert!(check_problems(&[]).is_none());
    }
}
