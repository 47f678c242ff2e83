//! The content of an index, its models, and how fresh it is.

use crate::embedding_eta::read_embedding_time_left;
use crate::error::QueryError;
use crate::other_home::OtherHome;
use crate::unused_vectors::VectorVersions;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use session_config::Home;
use session_core::text::file_name;
use session_forget::Exclusions;
use session_indexer::{HistoryChanges, IndexError, discover};
use session_models::TABLE_MODEL;
use session_search::SearchedCounts;
use session_store::{
    DocumentKind, HistoryProblem, IndexLock, IndexWriter, ModelRow, Reader, SessionId, SessionRow,
    StoreError, last_commit_time,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Counts of an index at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IndexStatus {
    /// Size of all files, in bytes.
    pub bytes: u64,
    /// Time of the last commit, in milliseconds since 1970.
    #[serde(rename = "updated", serialize_with = "serialize_time")]
    pub updated_ms: Option<i64>,
    /// Sessions that a person started. Those of prompts alone are left out where each of their turns is a copy or forgotten.
    pub sessions: usize,
    /// Sessions that another session started.
    pub subagents: usize,
    /// Turns of these sessions, without copies of another session's and forgotten ones.
    pub turns: u64,
    /// Projects of the sessions.
    pub projects: usize,
    /// Sessions by project, most first.
    pub project_sessions: Vec<ProjectSessions>,
    /// Sessions by agent.
    pub sources: BTreeMap<String, usize>,
    /// Home folders of other machines, by the configuration.
    pub homes: Vec<OtherHome>,
    /// Sessions whose history is no longer on disk.
    pub gone: usize,
    /// Sessions of which only the prompts are left.
    pub prompts_only: usize,
    /// Files that were read.
    pub files: usize,
    /// Files that changed, were added or were deleted since.
    pub changed: usize,
    /// True if records or rules of exclusion changed since they were applied to the index.
    pub exclusions_changed: bool,
    /// The process that writes to the index now.
    pub writer: Option<IndexWriter>,
    /// The models, with the sessions that each has embedded.
    pub models: Vec<ModelStatus>,
    /// Versions of these models that were replaced by the one in use or by a later one. Those of the table are deleted in time.
    pub old_versions: Vec<VectorVersions>,
    /// Files and folders that could not be read, by the last read or now.
    pub problems: Vec<HistoryProblem>,
}

/// The number of sessions of one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectSessions {
    /// The project's name, by which a filter finds it.
    #[serde(rename = "project")]
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Sessions that a person started.
    pub sessions: usize,
}

/// Coverage of an index by one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus {
    /// Name of the model.
    pub name: String,
    /// Dimensions of its vectors; 0 before the first.
    pub dims: usize,
    /// Number of its vectors, for documents of all kinds.
    pub vectors: usize,
    /// Sessions that it has embedded.
    pub sessions: u64,
    /// All sessions of the index.
    #[serde(rename = "of")]
    pub all_sessions: usize,
    /// Whether it is the one that the user chose.
    pub in_use: bool,
    /// Whether a process embeds by it now.
    pub running: bool,
    /// How many seconds it will take, by its estimate, if it has one.
    pub seconds_left: Option<u64>,
    /// Why it could not embed in the last run, or not all texts.
    pub failure: Option<String>,
}

/// Serializes a time by RFC 3339, in UTC.
fn serialize_time<S: Serializer>(ms: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    let time = ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.map(|time| time.to_string()).serialize(to)
}

impl ModelStatus {
    /// Returns the status of the chosen model while the index has no vector of it.
    fn before_first_vector(name: &str, all_sessions: usize, root: &Path) -> Self {
        Self {
            name: name.to_owned(),
            dims: 0,
            vectors: 0,
            sessions: 0,
            all_sessions,
            in_use: true,
            running: is_embedding(root),
            seconds_left: seconds_left(root),
            failure: None,
        }
    }
}

impl IndexStatus {
    /// Reads the counts of an index, and lists the histories of a home to tell how fresh it is.
    ///
    /// # Errors
    /// When the index fails.
    pub fn read(index: &Reader, home: &Home, exclusions: &Exclusions) -> Result<Self, QueryError> {
        let (env, model) = (&home.env, home.config.model.as_str());
        let copies = count_copies(index)?;
        let mut sessions = index.sessions()?;
        let all = sessions.len();
        sessions
            .retain(|s| s.turns > 0 && !(s.prompts_only && copies.get(&s.id) == Some(&s.turns)));
        let own = sessions.iter().filter(|s| s.parent.is_none());
        let counts = SearchedCounts::count_sessions(own.clone());
        let changes = discover(env, index, exclusions)?;
        let problems = current_problems(index, &changes)?;
        let failures = index.model_failures()?;
        let versions = index.models()?;
        let fingerprint = find_fingerprint(home);
        let shown = select_versions(versions.clone(), model, fingerprint.as_deref());
        let old_versions = count_old_versions(&versions, &shown);
        let mut models = read_models(index, shown, model, all)?;
        if !models.iter().any(|row| row.in_use) {
            models.push(ModelStatus::before_first_vector(model, all, index.root()));
        }
        set_failures(&mut models, failures);
        Ok(Self {
            bytes: index.bytes(),
            updated_ms: commit_ms(index.root()),
            sessions: own.clone().count(),
            subagents: sessions.len() - own.clone().count(),
            turns: count_own_turns(own.clone(), &copies),
            projects: counts.projects,
            project_sessions: count_by_project(own),
            sources: counts.sources,
            homes: OtherHome::all(env),
            gone: sessions.iter().filter(|s| s.gone).count(),
            prompts_only: sessions.iter().filter(|s| s.prompts_only).count(),
            files: index.files()?.len(),
            changed: changes.files() + changes.gone(),
            exclusions_changed: exclusions.is_outdated_in(index).map_err(IndexError::from)?,
            writer: IndexWriter::find(index.root()),
            models,
            old_versions,
            problems,
        })
    }
}

/// Returns true while some process embeds by the chosen model.
pub fn is_embedding(root: &Path) -> bool {
    matches!(
        IndexLock::acquire_embedding(root),
        Err(StoreError::Locked { .. })
    )
}

fn seconds_left(root: &Path) -> Option<u64> {
    read_embedding_time_left(root).map(|left| left.as_secs())
}

/// Counts sessions by project; those of unknown folders are of none.
fn count_by_project<'s>(sessions: impl Iterator<Item = &'s SessionRow>) -> Vec<ProjectSessions> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in sessions.filter_map(|session| session.project.as_deref()) {
        *counts.entry(path).or_default() += 1;
    }
    let mut projects: Vec<ProjectSessions> = counts
        .into_iter()
        .map(|(path, sessions)| ProjectSessions {
            name: file_name(path).to_owned(),
            path: path.to_owned(),
            sessions,
        })
        .collect();
    projects.sort_by_key(|project| Reverse(project.sessions));
    projects
}

/// Counts the turns of each session that another one holds, or that are excluded.
fn count_copies(index: &Reader) -> Result<HashMap<SessionId, u32>, StoreError> {
    let mut counts = index.count_excluded_turns()?;
    for copy in index.copies()? {
        *counts.entry(copy.session).or_default() += 1;
    }
    Ok(counts)
}

/// Counts the turns of sessions, without those that another one holds or that are excluded.
fn count_own_turns<'s>(
    sessions: impl Iterator<Item = &'s SessionRow>,
    copies: &HashMap<SessionId, u32>,
) -> u64 {
    let copied = |s: &SessionRow| copies.get(&s.id).copied().unwrap_or_default();
    sessions
        .map(|s| u64::from(s.turns.saturating_sub(copied(s))))
        .sum()
}

/// Returns the recorded problems, with those of listing the histories now.
fn current_problems(
    index: &Reader,
    changes: &HistoryChanges,
) -> Result<Vec<HistoryProblem>, StoreError> {
    let mut problems = index.problems()?;
    if let Some(listing) = changes.problems() {
        let before = index.listing_problems()?;
        problems.retain(|problem| !before.contains(problem));
        problems.extend_from_slice(listing);
    }
    Ok(problems)
}

/// Reads which sessions each model has embedded.
fn read_models(
    index: &Reader,
    models: Vec<ModelRow>,
    chosen: &str,
    sessions: usize,
) -> Result<Vec<ModelStatus>, StoreError> {
    let status = |model: ModelRow| {
        let rows = DocumentKind::ALL.iter().map(|kind| {
            index
                .vector_owners(model.id, *kind)
                .map(|owners| owners.count())
        });
        let in_use = model.name == chosen;
        Ok(ModelStatus {
            in_use,
            running: in_use && is_embedding(index.root()),
            seconds_left: seconds_left(index.root()).filter(|_| in_use),
            vectors: rows.sum::<Result<_, _>>()?,
            sessions: index.embedded_sessions(model.id)?,
            name: model.name,
            dims: model.dims,
            all_sessions: sessions,
            failure: None,
        })
    };
    models.into_iter().map(status).collect()
}

/// Returns the fingerprint of the chosen model's vectors; `None` for a model that is unknown, as one whose description is invalid.
fn find_fingerprint(home: &Home) -> Option<String> {
    let catalogue = home.loadable_catalogue().ok()?;
    let spec = catalogue.find_spec(&home.config.model).ok()?;
    Some(spec.fingerprint())
}

/// Returns one row for each name: of the chosen model the one with its fingerprint, whatever name the index has for that, of
/// others the last version.
fn select_versions(
    mut models: Vec<ModelRow>,
    chosen: &str,
    fingerprint: Option<&str>,
) -> Vec<ModelRow> {
    if let Some(fingerprint) = fingerprint {
        models.retain(|model| model.name != chosen || model.fingerprint == fingerprint);
        let found = models
            .iter_mut()
            .find(|model| model.fingerprint == fingerprint);
        if let Some(model) = found {
            chosen.clone_into(&mut model.name);
        }
    }
    let is_last = |model: &ModelRow| {
        let mut others = models.iter();
        !others.any(|other| other.name == model.name && other.id > model.id)
    };
    let last = models.iter().filter(|model| is_last(model));
    last.cloned().collect()
}

/// Counts the versions that are not among the shown ones, by the names of models.
fn count_old_versions(versions: &[ModelRow], shown: &[ModelRow]) -> Vec<VectorVersions> {
    let is_shown = |version: &ModelRow| shown.iter().any(|model| model.id == version.id);
    let mut by_name: BTreeMap<&str, Vec<&ModelRow>> = BTreeMap::new();
    for version in versions.iter().filter(|version| !is_shown(version)) {
        by_name.entry(&version.name).or_default().push(version);
    }
    let by_name = by_name.into_iter().filter(|(name, _)| *name != TABLE_MODEL);
    by_name
        .map(|(name, versions)| VectorVersions::count(name, versions))
        .collect()
}

/// Sets why models failed.
fn set_failures(models: &mut [ModelStatus], mut failures: BTreeMap<String, String>) {
    for model in models {
        model.failure = failures.remove(&model.name);
    }
}

/// Returns the time of the last commit in milliseconds since 1970.
fn commit_ms(root: &Path) -> Option<i64> {
    let since = last_commit_time(root)?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_forget::{ExcludeSettings, ForgottenRecords};
    use session_sources::Env;
    use session_store::Writer;

    #[test]
    fn projects_are_listed_by_their_sessions() {
        let session = |project: Option<&str>| SessionRow {
            project: project.map(str::to_owned),
            ..SessionRow::default()
        };
        let paths = ["/home/ann/app", "/home/ann/lab", "/home/ann/lab"];
        let mut all: Vec<SessionRow> = paths.iter().map(|path| session(Some(path))).collect();
        all.push(session(None));
        let counted = count_by_project(all.iter());
        let counted: Vec<(&str, usize)> = counted
            .iter()
            .map(|project| (project.name.as_str(), project.sessions))
            .collect();
        assert_eq!(counted, [("lab", 2), ("app", 1)]);
    }

    #[test]
    fn the_chosen_model_has_a_status_before_its_first_vector() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("index");
        drop(Writer::open(&root).unwrap());
        let mut home = Home::new(Env::with_home(directory.path()), root.clone());
        home.config.model = "minilm".to_owned();
        let index = Reader::open(&root).unwrap();
        let read = |home: &Home| {
            let status = IndexStatus::read(&index, home, &Exclusions::default()).unwrap();
            status.models
        };
        let unread = ModelStatus::before_first_vector("minilm", 0, &root);
        assert!(unread.in_use && !unread.running);
        assert_eq!(read(&home), [unread]);
    }

    #[test]
    fn the_version_of_a_model_that_is_in_use_is_shown() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("index");
        let mut home = Home::new(Env::with_home(directory.path()), root.clone());
        home.config.model = TABLE_MODEL.to_owned();
        let fingerprint = find_fingerprint(&home).unwrap();
        let mut writer = Writer::open(&root).unwrap();
        for (fingerprint, name, dims) in [
            (fingerprint.as_str(), "the name that another model had", 64),
            ("beef", TABLE_MODEL, 3),
            ("cafe", "other", 4),
            ("f00d", "other", 5),
        ] {
            writer.add_model(fingerprint, name, dims).unwrap();
        }
        writer.commit().unwrap();
        let index = Reader::open(&root).unwrap();
        let shown = |home: &Home| {
            let status = IndexStatus::read(&index, home, &Exclusions::default()).unwrap();
            let old = status.old_versions.into_iter();
            let old = old.map(|old| (old.name, old.versions));
            let models = status.models.into_iter();
            let models = models
                .map(|model| (model.name, model.dims, model.in_use))
                .collect::<Vec<_>>();
            (models, old.collect::<Vec<_>>())
        };
        let of_other = ("other".to_owned(), 5, false);
        let of_table = (TABLE_MODEL.to_owned(), 64, true);
        let (models, old) = shown(&home);
        assert_eq!(models, [of_table, of_other]);
        assert_eq!(
            old,
            [("other".to_owned(), 1)],
            "the table's go by themselves"
        );
        // A model that is unknown has no fingerprint.
        home.config.model = "other".to_owned();
        let [first, second, last] = shown(&home).0.try_into().unwrap();
        assert_eq!((first.1, second.1), (64, 3));
        assert_eq!(last, ("other".to_owned(), 5, true));
    }

    #[test]
    fn exclusions_that_were_not_applied_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("index");
        let mut writer = Writer::open(&root).unwrap();
        let home = Home::new(Env::with_home(directory.path()), root.clone());
        let settings = ExcludeSettings {
            patterns: vec!["lantern".into()],
            ..ExcludeSettings::default()
        };
        let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
        let is_changed = |exclusions: &Exclusions| {
            let index = Reader::open(&root).unwrap();
            let status = IndexStatus::read(&index, &home, exclusions).unwrap();
            status.exclusions_changed
        };
        assert!(!is_changed(&Exclusions::default()));
        assert!(is_changed(&exclusions));
        exclusions.apply(&mut writer).unwrap();
        assert!(!is_changed(&exclusions));
    }

    #[test]
    fn a_failure_is_that_of_its_model() {
        let failures = ["remote", "other"].map(|name| (name.to_owned(), "refused".to_owned()));
        let of = |name| ModelStatus::before_first_vector(name, 8, Path::new(""));
        let mut models = [of("remote"), of("table")];
        set_failures(&mut models, failures.into());
        let [remote, table] = models.map(|model| model.failure);
        assert_eq!((remote.as_deref(), table), (Some("refused"), None));
    }

    #[test]
    fn copies_are_no_turns_of_their_own() {
        let session = SessionRow {
            turns: 5,
            ..SessionRow::default()
        };
        let copies = HashMap::from([(session.id, 2)]);
        let count = |copies| count_own_turns([&session, &session].into_iter(), copies);
        assert_eq!(count(&copies), 6);
        assert_eq!(count(&HashMap::new()), 10);
    }
}
