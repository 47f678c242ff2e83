//! The memories of this user and of a directory's project, as they are configured.

use crate::error::MemoriesError;
use jiff::{Timestamp, Zoned};
use session_config::Home;
use session_core::text::clip;
use session_embed::{EmbedError, Embedder};
use session_files::Project;
use session_memory::{
    Injector, InjectorSettings, Memory, MemoryDraft, MemoryEmbedder, MemoryKind, MemoryListing,
    MemoryMatch, MemoryScope, MemoryState, MemoryStore, MovedMemories, NearDuplicate,
    ReplacedSecrets, SessionState, StorageSettingsByScope, Triggers, apply_retention,
    find_duplicates, memory_directories, search_memories,
};
use session_sources::{Caller, sources};
use std::path::Path;

/// The variable that switches injection off.
const SWITCH: &str = "SESSION_SEARCH_INJECT";
/// The longest line of a note on a project's configuration, in bytes.
const NOTE_LINE_BYTES: usize = 300;

/// The memories of a directory, with their settings.
pub struct Memories {
    /// The user's directories, and the configuration for this project.
    pub home: Home,
    /// The project, if the directory belongs to one.
    pub project: Option<Project>,
    /// Notes on the project: its root belongs to another user, or its configuration has a mistake.
    pub notes: Vec<String>,
    /// The store of the memories.
    pub store: MemoryStore,
    /// The settings of retention.
    pub retention: StorageSettingsByScope,
}

/// A memory that was saved, with what followed from it.
#[derive(Debug)]
pub struct SavedMemory {
    /// The memory.
    pub memory: Memory,
    /// Older memories that it repeats, the most similar first.
    pub repeats: Vec<NearDuplicate>,
    /// Memories that were moved because of their age.
    pub moved: MovedMemories,
    /// Triggers that are proposed for it, where it has none.
    pub proposed: Triggers,
    /// The secrets that were replaced in it.
    pub replaced_secrets: ReplacedSecrets,
}

impl SavedMemory {
    /// Returns the command that adds triggers, with those that are proposed; `None` where it has some. A
    /// preference that nothing is proposed for needs none.
    pub fn trigger_command(&self) -> Option<String> {
        let front = &self.memory.front;
        let is_free = front.kind == MemoryKind::Preference && self.proposed.is_empty();
        if !front.when.is_empty() || is_free {
            return None;
        }
        let mut command = format!("session-search memory edit {}", self.memory.id());
        let Triggers {
            paths,
            commands,
            errors,
        } = &self.proposed;
        for (option, texts) in [
            ("--when-path", paths),
            ("--when-command", commands),
            ("--when-error", errors),
        ] {
            for text in texts {
                command.push_str(&format!(
                    " {option} {}",
                    shlex::try_quote(text).unwrap_or_default()
                ));
            }
        }
        if self.proposed.is_empty() {
            command.push_str(" --when-path GLOB --when-command GLOB --when-error TEXT");
        }
        Some(command)
    }
}

impl Memories {
    /// Opens the memories of a directory.
    ///
    /// # Errors
    /// When the configuration has a mistake, or allows no directory of memories.
    pub fn for_folder(folder: &Path) -> Result<Self, MemoriesError> {
        let mut home = Home::unconfigured_in(folder)?;
        let mut notes = Vec::new();
        let project = Project::find(folder, &home.env.home).unwrap_or_else(|unowned| {
            notes.push(unowned.message());
            None
        });
        let layers = home.config_layers(project.as_ref())?;
        let whole = layers.ignored.iter().filter(|i| i.key.is_none());
        notes.extend(whole.map(|ignored| format!("left out: {}", clip_lines(&ignored.reason))));
        home.config = layers.config;
        let retention = StorageSettingsByScope {
            project: home.config.storage,
            global: layers.global,
        };
        let location = home.config.storage.location;
        let places = memory_directories(project.as_ref(), &home.env.home, location)?;
        Ok(Self {
            store: MemoryStore::new(places, home.records())
                .with_redactor(home.config.redactor())
                .with_vector_cache(&home.root),
            home,
            project,
            notes,
            retention,
        })
    }

    /// Returns an error where the configuration switches memories off.
    ///
    /// # Errors
    /// [`MemoriesError::Disabled`].
    pub fn require_enabled(&self) -> Result<(), MemoriesError> {
        match self.home.config.enabled {
            true => Ok(()),
            false => Err(MemoriesError::Disabled),
        }
    }

    /// Opens the model of memories: the best one in the binary, which a prompt need not wait for, or
    /// the table where the user chose it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn model(&self) -> Result<Box<dyn Embedder>, EmbedError> {
        #[cfg(feature = "minilm")]
        if self.home.config.model != session_query::TABLE {
            return session_embed::open_minilm();
        }
        session_embed::open_bundled_table()
    }

    /// Combines a model with the cache of this user's vectors.
    pub fn embedder<'a>(&'a self, model: &'a dyn Embedder) -> MemoryEmbedder<'a> {
        MemoryEmbedder {
            model,
            cache: &self.home.root,
            deadline: None,
        }
    }

    /// Makes an injector with the settings of the configuration and the environment.
    pub fn injector(&self) -> Injector<'_> {
        let config = &self.home.config;
        Injector {
            store: &self.store,
            state: &self.home.root,
            settings: InjectorSettings {
                enabled: config.enabled && config.auto_retrieve && !self.is_switched_off(),
                injection: config.injection,
                retrieval: config.retrieval,
            },
        }
    }

    /// Returns true where the environment switches injection off.
    fn is_switched_off(&self) -> bool {
        let switch = self.home.env.get(SWITCH).unwrap_or_default();
        ["0", "false", "off", "no"].contains(&switch.to_lowercase().as_str())
    }

    /// Embeds the memories whose vectors prompts will need.
    ///
    /// # Errors
    /// When the model fails.
    pub fn prepare(&self, memories: &[Memory]) -> Result<(), MemoriesError> {
        let model = self.model()?;
        Ok(self.embedder(model.as_ref()).embed_missing(memories)?)
    }

    /// Finds the memories that answer a query, best first.
    ///
    /// # Errors
    /// When the model fails.
    pub fn search(
        &self,
        query: &str,
        memories: &[Memory],
    ) -> Result<Vec<MemoryMatch>, MemoriesError> {
        let model = self.model()?;
        let embedder = self.embedder(model.as_ref());
        let settings = &self.home.config.retrieval;
        let now = Timestamp::now();
        Ok(search_memories(query, memories, settings, &embedder, now)?)
    }

    /// Lists memories in some states, of the last `days` or else of `scope_days`, with the damaged files.
    pub fn list(&self, states: &[MemoryState], days: Option<i64>) -> MemoryListing {
        let mut listing = self.store.list(states);
        let mut settings = self.home.config.retrieval;
        settings.scope_days = days.unwrap_or(settings.scope_days);
        let now = Timestamp::now();
        let in_scope = |memory: &Memory| settings.is_in_scope(memory, now);
        listing.memories.retain(in_scope);
        listing
    }

    /// Records a new memory as known to the session that a process is run from, where its agent names one: it
    /// is not given back until the context of the session is cleared. The memory's file does not say so: it
    /// comes from no turn, and may be shared.
    fn record_in_calling_session(&self, memory: &Memory) {
        let ids = [memory.id().to_owned()];
        for source in sources() {
            if let Some(Caller::Session(session)) = source.caller(&self.home.env) {
                // The memory is saved all the same.
                let _ = SessionState::record_injected(&self.home.root, &session, &ids);
            }
        }
    }

    /// Saves a memory, compares it with the others, makes its vectors and applies retention. The user's prompts in
    /// the turns that it comes from stand in for cues.
    ///
    /// # Errors
    /// When the draft is not valid, a file cannot be written, or the model fails.
    pub fn save(
        &self,
        draft: &MemoryDraft,
        is_global: bool,
        now: &Zoned,
    ) -> Result<SavedMemory, MemoriesError> {
        let scope = is_global.then_some(MemoryScope::Global);
        let draft = MemoryDraft {
            prompts: self.source_prompts(draft),
            ..draft.clone()
        };
        let memory = self.store.save(&draft, scope, now)?;
        self.record_in_calling_session(&memory);
        let active = self.store.list(&[MemoryState::Active]).memories;
        let model = self.model()?;
        let embedder = self.embedder(model.as_ref());
        let repeats = find_duplicates(&memory, &active, &embedder)?;
        embedder.embed_missing(std::slice::from_ref(&memory))?;
        let moved = apply_retention(&self.store, &self.retention, now.timestamp())?;
        Ok(SavedMemory {
            proposed: self.propose_triggers(&memory),
            replaced_secrets: self.store.find_secrets(draft.texts()),
            memory,
            repeats,
            moved,
        })
    }
}

/// Cuts each line of a note: a repository chooses its text.
fn clip_lines(text: &str) -> String {
    let lines = text.lines().map(|line| clip(line, NOTE_LINE_BYTES));
    lines.collect::<Vec<_>>().join("\n")
}
