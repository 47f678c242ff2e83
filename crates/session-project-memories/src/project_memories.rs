//! The memories of this user and of a directory's project, as they are configured.

use crate::error::ProjectMemoriesError;
use crate::saved_memory::SavedMemory;
use jiff::{Timestamp, Zoned};
use session_config::{Config, Home, find_memory_project};
use session_core::text::{clip, path_line};
use session_display::Note;
use session_embed::{EmbedError, Embedder};
use session_files::{Project, UnownedRoot};
use session_memory::{
    ContextId, Injector, InjectorSettings, Memory, MemoryDraft, MemoryEmbedder, MemoryError,
    MemoryListing, MemoryMatch, MemoryQuery, MemoryScope, MemoryState, MemoryStore, NearDuplicate,
    SessionStateFile, StorageLocation, StorageSettingsByScope, apply_retention, context_sheet_path,
    describe_cuts, find_duplicates, memory_directories, refresh_context_sheet, search_memories,
};
use session_sources::{Caller, sources};
use std::path::Path;

/// The variable that switches injection off.
const SWITCH: &str = "SESSION_SEARCH_INJECT";
/// The longest line of a note on a project's configuration, in bytes.
const NOTE_LINE_BYTES: usize = 300;

/// The memories of a directory, with their settings.
pub struct ProjectMemories {
    /// The user's directories, and the configuration for this project.
    pub home: Home,
    /// The project, if the directory belongs to one.
    pub project: Option<Project>,
    /// The root of the directory's project where it is not the user's alone: then there is no project.
    pub(crate) unowned_root: Option<UnownedRoot>,
    /// Notes on the files of its configuration that have a mistake, in words of these files.
    pub left_out_files: Vec<String>,
    /// The store of the memories.
    pub store: MemoryStore,
    /// The settings of retention.
    pub retention: StorageSettingsByScope,
}

impl ProjectMemories {
    /// Opens the memories of a directory.
    ///
    /// # Errors
    /// When the configuration has a mistake, or allows no directory of memories.
    pub fn for_directory(directory: &Path) -> Result<Self, ProjectMemoriesError> {
        Self::open(directory, |config| config.storage.location)
    }

    /// Opens the memories of a directory that lie in its project and in the home, whatever location is configured: they
    /// may have been saved before it was.
    ///
    /// # Errors
    /// When the configuration has a mistake.
    pub(crate) fn in_all_locations(directory: &Path) -> Result<Self, ProjectMemoriesError> {
        Self::open(directory, |_| StorageLocation::ProjectFirst)
    }

    fn open(
        directory: &Path,
        location: impl FnOnce(&Config) -> StorageLocation,
    ) -> Result<Self, ProjectMemoriesError> {
        let mut home = Home::unconfigured_in(directory)?;
        let (project, unowned_root) = match find_memory_project(directory, &home.env.home) {
            Ok(project) => (project, None),
            Err(unowned) => (None, Some(unowned)),
        };
        let layers = home.config_layers(project.as_ref())?;
        let ignored_files = layers.ignored.iter().filter(|i| i.key.is_none());
        let left_out_files = ignored_files
            .map(|ignored| format!("left out: {}", clip_lines(&ignored.full_reason())))
            .collect();
        home = home.with_config(layers.config);
        let retention = StorageSettingsByScope {
            project: home.config.storage,
            global: layers.global,
        };
        let location = location(&home.config);
        let directories = memory_directories(project.as_ref(), &home.env.home, location)?;
        Ok(Self {
            store: MemoryStore::new(directories, home.memory_records())
                .with_redactor(home.config.redactor())
                .with_index_directory(&home.index_directory),
            home,
            project,
            unowned_root,
            left_out_files,
            retention,
        })
    }

    /// Returns an error where the configuration switches memories off.
    ///
    /// # Errors
    /// [`ProjectMemoriesError::Disabled`].
    pub fn require_enabled(&self) -> Result<(), ProjectMemoriesError> {
        if self.home.config.enabled {
            Ok(())
        } else {
            Err(ProjectMemoriesError::Disabled)
        }
    }

    /// Returns a note on the directory's project where its root is not the user's alone.
    pub fn unowned_note(&self) -> Option<String> {
        self.unowned_root.as_ref().map(UnownedRoot::message)
    }

    /// Returns an error where the directory has a project that is not read, and a memory would be kept there by the
    /// configuration.
    ///
    /// # Errors
    /// [`ProjectMemoriesError::UnownedProject`].
    pub fn require_owned_project(&self) -> Result<(), ProjectMemoriesError> {
        let is_global = self.home.config.storage.location == StorageLocation::GlobalOnly;
        match &self.unowned_root {
            Some(root) if !is_global => Err(ProjectMemoriesError::UnownedProject(root.clone())),
            _ => Ok(()),
        }
    }

    /// Opens the model of memories: the best one in the binary, which a prompt need not wait for. The configured model
    /// is that of sessions. By the cosines of the table most memories seem to concern each prompt.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn model(&self) -> Result<Box<dyn Embedder>, EmbedError> {
        #[cfg(feature = "minilm")]
        {
            session_embed::open_minilm()
        }
        #[cfg(not(feature = "minilm"))]
        {
            session_embed::open_bundled_table()
        }
    }

    /// Combines a model with the cache of this user's vectors.
    pub fn embedder<'a>(&'a self, model: &'a dyn Embedder) -> MemoryEmbedder<'a> {
        MemoryEmbedder {
            model,
            index_directory: &self.home.index_directory,
            deadline: None,
        }
    }

    /// Makes an injector with the settings of the configuration and the environment.
    pub fn injector(&self) -> Injector<'_> {
        let config = &self.home.config;
        Injector {
            store: &self.store,
            index_directory: &self.home.index_directory,
            settings: InjectorSettings {
                enabled: config.enabled && config.auto_retrieve && !self.is_switched_off(),
                limits: config.injection,
                retrieval: config.retrieval,
            },
            now: Timestamp::now(),
        }
    }

    /// Returns true if the environment switches injection off.
    fn is_switched_off(&self) -> bool {
        let switch = self.home.env.get(SWITCH).unwrap_or_default();
        ["0", "false", "off", "no"].contains(&switch.to_lowercase().as_str())
    }

    /// Embeds the memories whose vectors are not cached, so that no prompt waits for it.
    ///
    /// # Errors
    /// When the model fails.
    pub fn embed_missing(&self, memories: &[Memory]) -> Result<(), ProjectMemoriesError> {
        let model = self.model()?;
        Ok(self.embedder(model.as_ref()).embed_missing(memories)?)
    }

    /// Finds the memories that answer a query, best first.
    ///
    /// # Errors
    /// When the model fails.
    pub(crate) fn search(
        &self,
        text: &str,
        memories: &[Memory],
    ) -> Result<Vec<MemoryMatch>, ProjectMemoriesError> {
        let model = self.model()?;
        let embedder = self.embedder(model.as_ref());
        let query = MemoryQuery {
            text,
            memories,
            settings: &self.home.config.retrieval,
            now: Timestamp::now(),
        };
        Ok(search_memories(&query, &embedder)?)
    }

    /// Lists memories in some states that were changed in the last `scope_days`, with the damaged files.
    pub fn list_recent(&self, states: &[MemoryState]) -> MemoryListing {
        let mut listing = self.store.list(states);
        let now = Timestamp::now();
        let settings = &self.home.config.retrieval;
        listing
            .memories
            .retain(|memory| settings.is_recent_enough(memory, now));
        listing
    }

    /// Records a new memory as injected into the session that this process is run from, where its agent names one: that
    /// agent knows it until its context is cleared. The memory's file does not name the session: the memory comes from
    /// no turn, and may be shared.
    fn record_in_calling_session(&self, memory: &Memory) {
        let ids = [memory.id().to_owned()];
        for source in sources() {
            if let Some(Caller::Session(session)) = source.agent().caller(&self.home.env)
                && let Some(context) = ContextId::new(&session, None)
            {
                // A failure is ignored: the memory is saved all the same.
                let _ = SessionStateFile::new(&self.home.index_directory, &context)
                    .record_injected(&ids);
            }
        }
    }

    /// Saves a memory in the first directory or in that of a scope, compares it with the others, makes its vectors and
    /// applies retention. The user's prompts in the turns that it comes from stand in for cues. What fails once it is
    /// saved becomes a note: who took it for a failure would save it again.
    ///
    /// # Errors
    /// When the draft is not valid, or a file cannot be written.
    pub fn save(
        &self,
        draft: &MemoryDraft,
        scope: Option<MemoryScope>,
        now: &Zoned,
    ) -> Result<SavedMemory, ProjectMemoriesError> {
        self.save_in_place_of(&[], draft, scope, now)
    }

    /// Saves a memory as [`ProjectMemories::save`] does, in the place of others, which are kept as superseded, and whose
    /// triggers and cues it inherits where it has none. What replaces a global memory is global: elsewhere that one would
    /// count again.
    ///
    /// # Errors
    /// As [`ProjectMemories::save`], and as [`MemoryStore::find_replaceable`]: then nothing is saved.
    pub fn save_in_place_of(
        &self,
        ids: &[String],
        draft: &MemoryDraft,
        scope: Option<MemoryScope>,
        now: &Zoned,
    ) -> Result<SavedMemory, ProjectMemoriesError> {
        let replaced = self.store.find_replaceable(ids)?;
        let mut scopes = replaced.iter().map(|old| old.scope);
        let global = scopes.find(|scope| *scope == MemoryScope::Global);
        let scope = global.or(scope);
        if scope != Some(MemoryScope::Global) {
            self.require_owned_project()?;
        }
        let mut draft = MemoryDraft {
            prompts: self.source_prompts(draft),
            ..draft.clone()
        };
        let inherited = self.inherit_into_draft(&mut draft, &replaced, scope);
        let memory = self.store.save(&draft, scope, now)?;
        self.record_in_calling_session(&memory);
        let mut notes = self.note_unmatched_paths(memory.scope, &memory.front.when.paths);
        for old in &replaced {
            let id = old.id();
            match self.store.supersede(id, memory.id(), now) {
                Ok(_) => notes.push(Note::new(format!("{id} is superseded")).with_hint(format!(
                    "`session-search memory activate {id}` takes it back"
                ))),
                Err(error) => {
                    let failed = Err::<(), _>(ProjectMemoriesError::from(error));
                    note_failure(failed, &format!("in the place of {id}"), &mut notes);
                }
            }
        }
        let repeats = self.compare_and_embed(&memory);
        let moved = apply_retention(&self.store, &self.retention, now.timestamp());
        Ok(SavedMemory {
            proposed: self.propose_triggers(&memory),
            cuts: describe_cuts(&draft.topic, &draft.cues),
            replaced_secrets: self.store.find_secrets(draft.texts()),
            broad: self.find_broad_triggers(&memory.front.when),
            repeats: note_failure(repeats, "compared with the other memories", &mut notes),
            moved: note_failure(
                moved.map_err(ProjectMemoriesError::from),
                "followed by retention",
                &mut notes,
            ),
            memory,
            inherited,
            further_notes: notes,
        })
    }

    /// Removes memories for good, also from the context sheet and the skills where there are these. Returns notes on
    /// what cannot be changed.
    ///
    /// Sheet and skills lose them before their files are removed: a kill leaves the memories, which can be removed
    /// again, or nothing of them.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn purge(
        &self,
        memories: &[Memory],
        now: &Zoned,
    ) -> Result<Vec<Note>, ProjectMemoriesError> {
        let notes = self.remove_from_context(memories);
        let purged = self.store.purge(memories, now);
        // What was not removed, and what counts again since it is no longer replaced, is there again. What failed before
        // has its note.
        self.remove_from_context(&[]);
        purged?;
        Ok(notes)
    }

    /// Writes the project's context sheet and the skills without memories that are `leaving`. Returns notes on those
    /// that cannot be changed.
    fn remove_from_context(&self, leaving: &[Memory]) -> Vec<Note> {
        let project = self.project.as_ref();
        let sheet = project.and_then(|project| self.refresh_sheet(project, leaving));
        let keywords = self.remove_keywords(leaving);
        sheet.into_iter().chain(keywords).collect()
    }

    /// Writes the context sheet of a project again where it has one, without memories that are `leaving`. Returns a note
    /// where it cannot.
    fn refresh_sheet(&self, project: &Project, leaving: &[Memory]) -> Option<Note> {
        let mut active = self.store.list(&[MemoryState::Active]).memories;
        active.retain(|memory| !memory.is_among(leaving));
        let root = project.open().map_err(MemoryError::from);
        let refreshed = root.and_then(|root| refresh_context_sheet(&root, &active));
        let error = refreshed.err()?;
        let path = path_line(&project.root().join(context_sheet_path()));
        let note = Note::new(format!("{path} may hold what is removed: {error}"));
        Some(note.with_hint("`session-search memory sync-context` writes it anew"))
    }

    /// Finds the memories that a new one repeats, and makes its vectors. Superseded memories are not compared.
    fn compare_and_embed(
        &self,
        memory: &Memory,
    ) -> Result<Vec<NearDuplicate>, ProjectMemoriesError> {
        let mut active = self.store.list(&[MemoryState::Active]).memories;
        active.retain(|memory| !memory.front.is_superseded());
        let model = self.model()?;
        let embedder = self.embedder(model.as_ref());
        let repeats = find_duplicates(memory, &active, &embedder)?;
        embedder.embed_missing(std::slice::from_ref(memory))?;
        Ok(repeats)
    }
}

/// Returns the result of a step after a save, or the default with a note on its error.
fn note_failure<T: Default>(
    result: Result<T, ProjectMemoriesError>,
    step: &str,
    notes: &mut Vec<Note>,
) -> T {
    result.unwrap_or_else(|error| {
        let note = Note::new(format!("it is saved, but not {step}: {error}"));
        notes.push(note.with_hints(error.hint()));
        T::default()
    })
}

/// Cuts each line of a note: a repository chooses its text.
fn clip_lines(text: &str) -> String {
    let lines = text.lines().map(|line| clip(line, NOTE_LINE_BYTES));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use session_memory::{DirectoryRecords, StorageSettings};
    use session_sources::Env;

    /// Makes the memories of a home without a project and without settings.
    pub(crate) fn memories(home: &Path) -> ProjectMemories {
        let directories = memory_directories(None, home, StorageLocation::GlobalOnly).unwrap();
        let records = DirectoryRecords::new(home.join("records"));
        ProjectMemories {
            home: Home::new(Env::with_home(home), home.join("index")),
            project: None,
            unowned_root: None,
            left_out_files: Vec::new(),
            store: MemoryStore::new(directories, records),
            retention: StorageSettingsByScope::default(),
        }
    }

    #[test]
    fn a_failure_after_the_save_is_a_note() {
        let home = tempfile::tempdir().unwrap();
        let mut memories = memories(home.path());
        memories.retention.global = StorageSettings {
            archive_above: 0,
            archive_after_days: 0,
            ..StorageSettings::default()
        };
        let directory = &memories.store.directories()[0].path;
        fs_err::create_dir_all(directory).unwrap();
        fs_err::write(directory.join("archive"), "a file in the way").unwrap();
        let draft = MemoryDraft {
            topic: "Lantern".into(),
            key_info: vec!["in the harbour".into()],
            ..MemoryDraft::default()
        };
        let saved = memories.save(&draft, None, &Zoned::now()).unwrap();
        assert!(saved.memory.path.exists());
        let note = saved.further_notes.first().unwrap();
        assert!(
            note.text.starts_with("it is saved, but not followed by"),
            "{note}"
        );
        assert_eq!(
            memories.store.list(&[MemoryState::Active]).memories.len(),
            1
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_memory_of_a_project_that_is_not_read_is_not_saved_for_all_projects() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("shop");
        fs_err::create_dir_all(root.join(".git")).unwrap();
        fs_err::set_permissions(&root, std::fs::Permissions::from_mode(0o777)).unwrap();
        let mut memories = memories(home.path());
        memories.unowned_root = Project::find(&root, home.path()).err();
        let draft = MemoryDraft {
            topic: "Lantern".into(),
            key_info: vec!["in the harbour".into()],
            ..MemoryDraft::default()
        };
        let save = |memories: &ProjectMemories, scope| memories.save(&draft, scope, &Zoned::now());
        let refused = save(&memories, None).unwrap_err();
        assert!(refused.hint().unwrap().contains("(`--global`)"));
        let kept = memories.store.list(&[MemoryState::Active]).memories;
        assert_eq!(kept.len(), 0, "{refused}");
        save(&memories, Some(MemoryScope::Global)).unwrap();
        memories.home.config.storage.location = StorageLocation::GlobalOnly;
        save(&memories, None).unwrap();
    }

    #[test]
    fn the_model_of_sessions_is_not_that_of_memories() {
        let home = tempfile::tempdir().unwrap();
        let mut memories = memories(home.path());
        memories.home.config.model = "table".to_owned();
        let model = memories.model().unwrap();
        assert_eq!(model.spec().name, Config::default().model);
    }

    #[test]
    fn what_a_memory_replaces_is_kept_as_superseded() {
        let home = tempfile::tempdir().unwrap();
        let memories = memories(home.path());
        let save = |ids: &[String]| {
            let draft = MemoryDraft {
                topic: "Lantern".into(),
                key_info: vec!["in the harbour".into()],
                ..MemoryDraft::default()
            };
            memories.save_in_place_of(ids, &draft, None, &Zoned::now())
        };
        let old = save(&[]).unwrap().memory;
        let repeats = save(&[]).unwrap();
        assert_eq!(repeats.repeats[0].id, old.id());
        let ids = [&old, &repeats.memory].map(|memory| memory.id().to_owned());
        let new = save(&ids).unwrap();
        assert!(new.repeats.is_empty(), "{new:?}");
        let notes = ids.clone().map(|id| {
            let command = format!("`session-search memory activate {id}` takes it back");
            Note::new(format!("{id} is superseded")).with_hint(command)
        });
        assert_eq!(new.further_notes, notes);
        for id in &ids {
            let old = memories.store.find(id).unwrap();
            assert_eq!(old.state, MemoryState::Active);
            assert_eq!(old.front.superseded_by.as_deref(), Some(new.memory.id()));
        }
        save(&["mem-unknown".to_owned()]).unwrap_err();
        let all = memories.store.list(&[MemoryState::Active]).memories;
        assert_eq!(all.len(), 3, "nothing is saved");
    }
}
