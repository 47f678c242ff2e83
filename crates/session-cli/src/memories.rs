//! The memories of this user and of a directory's project, as they are configured.

use crate::args::TimeArgs;
use anyhow::{Result, bail};
use jiff::{Timestamp, Zoned};
use session_config::{ConfigLayers, Home};
use session_core::text::clip;
use session_embed::{EmbedError, Embedder};
use session_files::{Project, UnownedRoot};
use session_memory::{
    Injector, InjectorSettings, Memory, MemoryEmbedder, MemoryMatch, MemoryScope, MemoryState,
    MemoryStore, StorageSettingsByScope, memory_directories, search_memories,
};
use std::path::Path;

/// The most damaged files that are named: a repository chooses how many there are.
const NAMED: usize = 5;
/// The variable that switches injection off.
const SWITCH: &str = "SESSION_SEARCH_INJECT";
/// The longest line of a note on a project's configuration, in bytes.
const LINE: usize = 300;

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

/// Finds the project of the current directory.
///
/// # Errors
/// When the directory belongs to none, or to one whose root is not the user's alone.
pub fn project_at_hand(home: &Path) -> Result<Project> {
    match Project::find(&std::env::current_dir()?, home) {
        Ok(Some(project)) => Ok(project),
        Ok(None) => {
            bail!("this folder belongs to no project\nhint: go to a folder below one with `.git`")
        }
        Err(unowned) => bail!(with_hint(&unowned)),
    }
}

/// Formats the reason why a root is not trusted, with its hint.
pub fn with_hint(unowned: &UnownedRoot) -> String {
    format!("{unowned}\nhint: {}", unowned.hint())
}

impl Memories {
    /// Opens the memories of the current directory.
    ///
    /// # Errors
    /// When the configuration has a mistake, or allows no directory of memories.
    pub fn from_process() -> Result<Self> {
        let memories = Self::for_folder(&std::env::current_dir()?)?;
        for note in &memories.notes {
            crate::command::memory::note(note)?;
        }
        if !memories.home.config.enabled {
            bail!(
                "memories are switched off\nhint: `session-search config` says by whom (`enabled`)"
            );
        }
        Ok(memories)
    }

    /// Opens the memories of a directory.
    ///
    /// # Errors
    /// As [`Memories::from_process`].
    pub fn for_folder(folder: &Path) -> Result<Self> {
        let mut home = Home::unconfigured_in(folder)?;
        let mut notes = Vec::new();
        let project = Project::find(folder, &home.env.home).unwrap_or_else(|unowned| {
            notes.push(with_hint(&unowned));
            None
        });
        let layers = ConfigLayers::read(&home.folders().config, project.as_ref(), |name| {
            home.env.get(name)
        })?;
        let whole = layers.ignored.iter().filter(|i| i.key.is_none());
        let lines = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| clip(line, LINE).to_owned())
                .collect()
        };
        notes.extend(
            whole.map(|ignored| format!("left out: {}", lines(&ignored.reason).join("\n"))),
        );
        home.config = layers.config;
        let retention = StorageSettingsByScope {
            project: home.config.storage,
            global: layers.global,
        };
        let location = home.config.storage.location;
        let places = memory_directories(project.as_ref(), &home.env.home, location)?;
        Ok(Self {
            store: MemoryStore::new(places, home.records()).with_redactor(home.config.redactor()),
            home,
            project,
            notes,
            retention,
        })
    }

    /// Returns the store and the scope in which memories are saved. Global ones are saved also where
    /// the configuration uses the project's directory alone.
    ///
    /// # Errors
    /// As [`memory_directories`].
    pub fn target(&self, is_global: bool) -> Result<(MemoryStore, Option<MemoryScope>)> {
        match is_global {
            false => Ok((self.store.clone(), None)),
            true => {
                let store = self.store.with_global(&self.home.env.home)?;
                Ok((store, Some(MemoryScope::Global)))
            }
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
            return session_embed::minilm();
        }
        session_embed::bundled()
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
    pub fn prepare(&self, memories: &[Memory]) -> Result<()> {
        let model = self.model()?;
        Ok(self.embedder(model.as_ref()).embed_missing(memories)?)
    }

    /// Finds the memories that answer a query, best first.
    ///
    /// # Errors
    /// When the model fails.
    pub fn search(&self, query: &str, memories: &[Memory]) -> Result<Vec<MemoryMatch>> {
        let model = self.model()?;
        let embedder = self.embedder(model.as_ref());
        let settings = &self.home.config.retrieval;
        Ok(search_memories(
            query,
            memories,
            settings,
            &embedder,
            Timestamp::now(),
        )?)
    }

    /// Lists memories in some states that were last changed in a time; damaged files are named on
    /// stderr.
    ///
    /// # Errors
    /// When the time cannot be read, or stderr cannot be written.
    pub fn list_changed_in(&self, states: &[MemoryState], time: &TimeArgs) -> Result<Vec<Memory>> {
        let range = time.range(Zoned::now)?;
        let mut memories = self.list(states, Some(-1))?;
        memories.retain(|memory| range.contains(memory.updated().0.as_millisecond()));
        Ok(memories)
    }

    /// Lists memories in some states, of the last `days` or else of `scope_days`; damaged files are
    /// named on stderr.
    ///
    /// # Errors
    /// When stderr cannot be written.
    pub fn list(&self, states: &[MemoryState], days: Option<i64>) -> Result<Vec<Memory>> {
        let listing = self.store.list(states);
        for damage in listing.damaged.iter().take(NAMED) {
            crate::command::memory::note(&format!("{damage}; left out"))?;
        }
        if let more @ 1.. = listing.damaged.len().saturating_sub(NAMED) {
            crate::command::memory::note(&format!("{more} more files are left out so"))?;
        }
        let mut settings = self.home.config.retrieval;
        settings.scope_days = days.unwrap_or(settings.scope_days);
        let now = Timestamp::now();
        let mut memories = listing.memories;
        memories.retain(|memory| settings.is_in_scope(memory, now));
        Ok(memories)
    }
}
