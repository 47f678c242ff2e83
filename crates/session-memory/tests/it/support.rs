//! A home directory with a project, and an injector of its memories.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use session_embed::Embedder;
use session_files::Project;
use session_memory::{
    BlockItem, ContextId, DirectoryRecords, InjectionLimits, InjectionOutcome, InjectionRequest,
    InjectionResources, Injector, InjectorSettings, Memory, MemoryDraft, MemoryEmbedder,
    MemoryQuery, MemoryScope, MemorySource, MemoryState, MemoryStore, RetrievalSettings,
    SessionStateFile, StorageLocation, memory_directories,
};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tempfile::TempDir;

pub const TOPIC: &str = "Connection pool too small";
pub const INFO: &str = "time-outs under load; raise DB_POOL to 40";
/// A prompt that the memory of [`TOPIC`] and [`INFO`] answers.
pub const PROMPT: &str = "why does the connection pool give time-outs under load?";

/// A home directory with the project `shop`.
pub struct TestMemories {
    home: TempDir,
    /// The directory of the index.
    pub index_directory: PathBuf,
    pub store: MemoryStore,
    pub settings: InjectorSettings,
}

impl TestMemories {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(home.path().join("shop/.git")).unwrap();
        let store = store_of(home.path(), "shop", StorageLocation::ProjectFirst);
        Self {
            index_directory: home.path().join("index"),
            home,
            store,
            settings: InjectorSettings {
                enabled: true,
                limits: InjectionLimits::default(),
                retrieval: RetrievalSettings::default(),
            },
        }
    }

    /// Opens the memories of another project, or of this one with another location.
    pub fn store_of(&self, project: &str, location: StorageLocation) -> MemoryStore {
        store_of(self.home.path(), project, location)
    }

    /// Records the match of a memory with a prompt of a session, as if one had been compared.
    pub fn remember_match(&self, id: &str, score: f32, session: &str) {
        let file = self.state_file(session);
        let mut state = file.read();
        state.matches.insert(id.to_owned(), score);
        state.is_compared = true;
        file.write(&state).unwrap();
    }

    pub fn state_file(&self, context: &str) -> SessionStateFile<'_> {
        SessionStateFile::new(&self.index_directory, &context_id(context))
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn project(&self, path: &str) -> PathBuf {
        self.home.path().join("shop").join(path)
    }

    pub fn write(&self, path: &Path, text: impl AsRef<[u8]>) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    /// The path of a memory's file in the project.
    pub fn file(&self, state: MemoryState, id: &str) -> PathBuf {
        let directory = &self.store.directories()[0].path;
        directory
            .join(state.directory_name())
            .join(format!("{id}.md"))
    }

    pub fn read(&self, memory: &Memory) -> String {
        fs_err::read_to_string(&memory.path).unwrap()
    }

    pub fn save(&self, topic: &str, info: &str) -> Memory {
        self.save_draft(&draft(topic, info))
    }

    pub fn save_draft(&self, draft: &MemoryDraft) -> Memory {
        self.store.save(draft, None, &now()).unwrap()
    }

    pub fn save_global(&self, topic: &str, info: &str) -> Memory {
        let draft = draft(topic, info);
        let scope = Some(MemoryScope::Global);
        self.store.save(&draft, scope, &now()).unwrap()
    }

    pub fn injector(&self) -> Injector<'_> {
        Injector {
            store: &self.store,
            index_directory: &self.index_directory,
            settings: self.settings,
            now: Timestamp::now(),
        }
    }

    /// Decides about a prompt, and records nothing.
    pub fn decide(&self, prompt: &str, session: Option<&str>) -> InjectionOutcome {
        self.decide_with(prompt, session, &TestResources::default())
    }

    pub fn decide_with(
        &self,
        prompt: &str,
        session: Option<&str>,
        resources: &TestResources,
    ) -> InjectionOutcome {
        let context = session.map(context_id);
        let request = InjectionRequest {
            prompt,
            context: context.as_ref(),
            started: Instant::now(),
            deadline: None,
            records_words: false,
        };
        self.injector().inject(&request, resources).unwrap()
    }

    /// Decides about a prompt, records it, and returns the ids that are injected.
    pub fn inject(&self, prompt: &str, session: &str) -> Vec<String> {
        let outcome = self.decide(prompt, Some(session));
        let block = self.injector().record(&outcome);
        block.map_or_else(Vec::new, |block| block.ids)
    }

    /// Searches the active memories, and returns their topics.
    pub fn search(&self, text: &str) -> Vec<String> {
        let all = self.store.list(&[MemoryState::Active]).memories;
        let model = session_embed::open_bundled_table().unwrap();
        let embedder = embedder(model.as_ref(), &self.index_directory);
        let query = MemoryQuery {
            text,
            memories: &all,
            settings: &self.settings.retrieval,
            now: Timestamp::now(),
        };
        let found = session_memory::search_memories(&query, &embedder);
        let found = found.unwrap().into_iter();
        found.map(|m| all[m.index].front.topic.clone()).collect()
    }

    /// Moves a memory to another state.
    pub fn move_to(&self, memory: &Memory, state: MemoryState) -> session_memory::Result<Memory> {
        let moved = self.store.move_all(std::slice::from_ref(memory), state)?;
        Ok(moved.into_iter().next().unwrap())
    }

    pub fn topics(&self, states: &[MemoryState]) -> Vec<String> {
        let all = self.store.list(states).memories.into_iter();
        all.map(|memory| memory.front.topic).collect()
    }
}

fn store_of(home: &Path, project: &str, location: StorageLocation) -> MemoryStore {
    let project = Project::find(&home.join(project), home).unwrap();
    let directories = memory_directories(project.as_ref(), home, location).unwrap();
    MemoryStore::new(directories, DirectoryRecords::new(home.join("records")))
}

pub fn embedder<'a>(model: &'a dyn Embedder, index_directory: &'a Path) -> MemoryEmbedder<'a> {
    MemoryEmbedder {
        model,
        index_directory,
        deadline: None,
    }
}

pub fn now() -> Zoned {
    Zoned::now()
}

/// The moment some days before now.
pub fn days_ago(days: i64) -> Zoned {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    now.checked_sub(days.days()).unwrap()
}

pub fn draft(topic: &str, info: &str) -> MemoryDraft {
    MemoryDraft {
        topic: topic.to_owned(),
        key_info: vec![info.to_owned()],
        ..MemoryDraft::default()
    }
}

/// Returns the name of a context: of a session, or of a subagent as `session/subagent`.
pub fn context_id(key: &str) -> ContextId {
    let context = match key.split_once('/') {
        Some((session, subagent)) => ContextId::new(session, Some(subagent)),
        None => ContextId::new(key, None),
    };
    context.unwrap()
}

pub fn saved_from(session: &str) -> Option<MemorySource> {
    Some(MemorySource {
        session: Some(session.to_owned()),
        ..MemorySource::default()
    })
}

/// The bundled table, and past turns that are always found.
#[derive(Default)]
pub struct TestResources {
    pub past_turns: Vec<BlockItem>,
}

impl InjectionResources for TestResources {
    fn open_model(&self) -> session_memory::Result<Box<dyn Embedder>> {
        Ok(session_embed::open_bundled_table()?)
    }

    fn find_past_turns(&self, _: &str, _: Option<&str>) -> Vec<BlockItem> {
        self.past_turns.clone()
    }
}
