//! The memories of this user and of the project that a folder belongs to.

use crate::args::TimeArgs;
use anyhow::{Result, bail};
use jiff::{Timestamp, Zoned};
use session_config::{ConfigLayers, Home};
use session_core::text::clip;
use session_embed::Embedder;
use session_files::{Project, UnownedRoot};
use session_memory::{
    Keeping, Location, Meaning, Memory, Ranked, Scope, State, Store, places, prepare, rank,
};
use std::path::Path;
use std::time::Instant;

/// Most damaged files that are named: a repository chooses how many there are.
const NAMED: usize = 5;
/// Longest line of a note on a project's configuration, in bytes.
const LINE: usize = 300;

/// The memories, and what is configured of them.
pub struct Memories {
    /// The user's own things, with what counts in this project.
    pub home: Home,
    /// The project, if the folder belongs to one.
    pub project: Option<Project>,
    /// What is to be known of the project and does not count: its root is another's, its
    /// configuration has a mistake.
    pub notes: Vec<String>,
    /// The memories.
    pub store: Store,
    /// How long they are kept.
    pub keeping: Keeping,
}

/// The project of this process's folder.
///
/// # Errors
/// When the folder belongs to none, or to one whose root is not the user's alone.
pub fn project_at_hand(home: &Path) -> Result<Project> {
    match Project::find(&std::env::current_dir()?, home) {
        Ok(Some(project)) => Ok(project),
        Ok(None) => {
            bail!("this folder belongs to no project\nhint: go to a folder below one with `.git`")
        }
        Err(unowned) => bail!(with_hint(&unowned)),
    }
}

/// Says why a root is not believed, and what to do about it.
pub fn with_hint(unowned: &UnownedRoot) -> String {
    format!("{unowned}\nhint: {}", unowned.hint())
}

impl Memories {
    /// Those of the folder that the process is in.
    ///
    /// # Errors
    /// When the configuration has a mistake, or no place is left to keep any.
    pub fn here() -> Result<Self> {
        let memories = Self::of(&std::env::current_dir()?)?;
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

    /// Those of a folder.
    ///
    /// # Errors
    /// As [`Memories::here`].
    pub fn of(folder: &Path) -> Result<Self> {
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
        let keeping = Keeping {
            project: home.config.storage,
            global: layers.global,
        };
        let location = home.config.storage.location;
        let places = places(project.as_ref(), &home.env.home, location)?;
        Ok(Self {
            store: Store::new(places, home.records()),
            home,
            project,
            notes,
            keeping,
        })
    }

    /// Where something is saved that is for all projects, or for this one. What
    /// is global can be kept also where a project keeps its own alone.
    ///
    /// # Errors
    /// None that are known: the global place is always there.
    pub fn target(&self, is_global: bool) -> Result<(Store, Option<Scope>)> {
        if !is_global {
            return Ok((self.store.clone(), None));
        }
        let has_global = self.store.places().iter().any(|p| p.scope == Scope::Global);
        let store = match has_global {
            true => self.store.clone(),
            false => {
                let places = places(None, &self.home.env.home, Location::GlobalOnly)?;
                Store::new(places, self.home.records())
            }
        };
        Ok((store, Some(Scope::Global)))
    }

    /// The model that memories are compared with: the best that is in the
    /// binary, since a prompt does not wait for another; the table for who
    /// chose it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn model(&self) -> Result<Box<dyn Embedder>> {
        #[cfg(feature = "minilm")]
        if self.home.config.model != session_query::TABLE {
            return Ok(session_embed::minilm()?);
        }
        Ok(session_embed::bundled()?)
    }

    /// A model, and where its vectors are kept.
    pub fn meaning<'a>(&'a self, model: &'a dyn Embedder, until: Option<Instant>) -> Meaning<'a> {
        Meaning {
            model,
            cache: &self.home.root,
            until,
        }
    }

    /// Makes the vectors that prompts need of some memories.
    ///
    /// # Errors
    /// When the model fails.
    pub fn prepare(&self, memories: &[Memory]) -> Result<()> {
        let model = self.model()?;
        Ok(prepare(memories, &self.meaning(model.as_ref(), None))?)
    }

    /// Ranks memories. None where the time was up before the model had read all.
    ///
    /// # Errors
    /// When the model fails.
    pub fn rank(
        &self,
        text: &str,
        memories: &[Memory],
        meaning: &Meaning<'_>,
    ) -> Result<Option<Ranked>> {
        let how = &self.home.config.retrieval;
        Ok(rank(text, memories, how, Some(meaning), Timestamp::now())?)
    }

    /// Memories that stand so and were changed last in the time that is asked for, if one is; what
    /// is damaged is named on stderr.
    ///
    /// # Errors
    /// When the time cannot be read, or stderr cannot be written.
    pub fn list_within(&self, states: &[State], time: &TimeArgs) -> Result<Vec<Memory>> {
        let range = time.range(Zoned::now)?;
        let mut memories = self.list(states, Some(-1))?;
        memories.retain(|memory| range.contains(memory.updated().0.as_millisecond()));
        Ok(memories)
    }

    /// Memories that stand so and are as new as `scope_days` asks; what is damaged
    /// is named on stderr.
    ///
    /// # Errors
    /// When stderr cannot be written.
    pub fn list(&self, states: &[State], days: Option<i64>) -> Result<Vec<Memory>> {
        let listing = self.store.list(states);
        for damage in listing.damaged.iter().take(NAMED) {
            crate::command::memory::note(&format!("{damage}; left out"))?;
        }
        if let more @ 1.. = listing.damaged.len().saturating_sub(NAMED) {
            crate::command::memory::note(&format!("{more} more files are left out so"))?;
        }
        let days = days.unwrap_or(self.home.config.retrieval.scope_days);
        let mut memories = listing.memories;
        if let Ok(days) = u32::try_from(days) {
            let now = Timestamp::now();
            memories.retain(|memory| memory.updated().days_to(now) < days.max(1));
        }
        Ok(memories)
    }
}
