//! Memories at rest: a folder of Markdown files for each state.

use crate::body;
use crate::change::{Change, changed, set};
use crate::draft::{check, front, moment};
use crate::error::{Damage, MemoryError, Result};
use crate::file::{ids, is_id, is_valid_id, read, read_trusted, relative, unreadable};
use crate::frontmatter as yaml;
use crate::memory::{Draft, Front, Memory, Scope, State};
use crate::place::Place;
use crate::record::{FolderRecord, KnownBy, Records};
use crate::trust::Trust;
use crate::views;
use crate::writing::{RAW_LIMIT, Writing, conversation};
use jiff::Zoned;
use session_files::Dir;
use std::path::PathBuf;

/// Most bytes of memories of a folder that wait for trust and are read all the same.
const WAITING_LIMIT: u64 = 4 << 20;
/// Most bytes of memories that are read while a prompt waits.
const PROMPT_LIMIT: usize = 3 << 20;

/// The memories of some places. The first place is the one that new ones go to.
#[derive(Debug, Clone)]
pub struct Store {
    places: Vec<Place>,
    records: Records,
}

/// What a look at the files found.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The newest first.
    pub memories: Vec<Memory>,
    /// Files that are no memories.
    pub damaged: Vec<Damage>,
}

/// A memory that comes from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Its frontmatter; an empty id is chosen.
    pub front: Front,
    /// Its body.
    pub body: String,
    /// Its whole file, where it was one before: kept to the byte under its own id.
    pub text: Option<String>,
    /// The conversation that it was saved from.
    pub raw: Option<String>,
    /// How it stands.
    pub state: State,
}

/// A place whose folder is there, opened, and what is known of it.
struct Opened<'a> {
    place: &'a Place,
    dir: Dir,
    record: FolderRecord,
}

impl Opened<'_> {
    fn has(&self, state: State, id: &str) -> bool {
        self.dir.exists(&relative(state, id))
    }

    fn ids(&self, state: State) -> (Vec<String>, Vec<Damage>) {
        ids(&self.dir, &self.record, state)
    }

    /// Reads memories; of those that wait so many bytes in all, since a repository chooses how many
    /// and how large they are.
    fn read_all(&self, state: State, ids: &[String], listing: &mut Listing) {
        let (mut room, mut left_out) = (WAITING_LIMIT, 0);
        for id in ids {
            let bytes = self.dir.length(&relative(state, id)).unwrap_or(0);
            let is_known = self.place.scope == Scope::Global || self.record.knows_length(id, bytes);
            match room.checked_sub(bytes) {
                _ if is_known => {}
                Some(left) => room = left,
                None => {
                    left_out += 1;
                    continue;
                }
            }
            match self.read(state, id) {
                Ok(memory) => listing.memories.extend(memory),
                Err(damage) => listing.damaged.push(damage),
            }
        }
        if left_out > 0 {
            let folder = self.place.folder.join(state.folder());
            let reason = format!(
                "{left_out} memories that nobody trusts are left out: they are too large together"
            );
            listing.damaged.push(unreadable(&folder, &reason));
        }
    }

    fn read(&self, state: State, id: &str) -> std::result::Result<Option<Memory>, Damage> {
        read(self.place, &self.dir, &self.record, state, id)
    }
}

impl Store {
    /// The memories of these places, whether their folders exist or not, and what is known of
    /// them.
    pub fn new(places: Vec<Place>, records: Records) -> Self {
        Self { places, records }
    }

    /// The places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// What this machine knows of the places.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The same with one place alone.
    pub(crate) fn alone(&self, place: &Place) -> Self {
        Self::new(vec![place.clone()], self.records.clone())
    }

    /// Reads the memories that stand so. One file that is damaged costs itself.
    pub fn list(&self, states: &[State]) -> Listing {
        let mut listing = Listing::default();
        let opened = self.opened(&mut listing.damaged);
        for place in &opened {
            for &state in states {
                let (ids, damaged) = place.ids(state);
                listing.damaged.extend(damaged);
                place.read_all(state, &ids, &mut listing);
            }
        }
        sort(&mut listing.memories);
        drop_replacements(&mut listing.memories, &opened);
        listing
    }

    /// Reads the active memories that may be put before a prompt. Of a project those files alone
    /// are opened whose content was known under that name, so that what came with a repository
    /// costs a prompt nothing; and no more in all than a prompt can wait for.
    pub fn list_trusted(&self) -> Vec<Memory> {
        let opened = self.opened(&mut Vec::new());
        let mut memories = Vec::new();
        let mut room = PROMPT_LIMIT;
        // The user's own first: a repository cannot use up their room.
        let own_first = |scope| opened.iter().filter(move |o| o.place.scope == scope);
        for place in own_first(Scope::Global).chain(own_first(Scope::Project)) {
            let ids = match place.place.scope {
                Scope::Global => place.ids(State::Active).0,
                Scope::Project => place.record.ids().map(str::to_owned).collect(),
            };
            for id in ids {
                let memory = read_trusted(place.place, &place.dir, &place.record, &id);
                let fits = memory.filter(|memory| memory.text.len() <= room);
                room -= fits.as_ref().map_or(0, |memory| memory.text.len());
                memories.extend(fits);
            }
        }
        sort(&mut memories);
        drop_replacements(&mut memories, &opened);
        memories
    }

    /// The one memory that an id, or the beginning of one, names; `mem-` may be
    /// left out.
    ///
    /// # Errors
    /// When there is none, several, or its file is damaged.
    pub fn find(&self, id: &str) -> Result<Memory> {
        let begins = |name: &str| name.starts_with(id) || name.starts_with(&format!("mem-{id}"));
        let is_whole = |name: &str| name == id || name.strip_prefix("mem-") == Some(id);
        let opened = self.opened(&mut Vec::new());
        let mut found: Vec<(&Opened<'_>, State, String)> = Vec::new();
        for place in &opened {
            for state in State::ALL {
                let all = place.ids(state).0.into_iter();
                found.extend(all.map(|id| (place, state, id)));
            }
        }
        found.retain(|(.., name)| !id.is_empty() && begins(name));
        let (whole, longer): (Vec<_>, Vec<_>) = found.iter().partition(|(.., n)| is_whole(n));
        // A repository that calls a file as the beginning of the user's ids takes their place not.
        let is_captured =
            || !whole.iter().any(|f| is_given(f)) && longer.iter().any(|f| is_given(f));
        if is_id(id) || (!whole.is_empty() && !is_captured()) {
            found.retain(|(.., name)| is_whole(name));
            keep_best(&mut found);
        }
        let unknown = || MemoryError::Unknown(id.to_owned());
        match found.as_slice() {
            [] => Err(unknown()),
            [(place, state, name)] => place.read(*state, name)?.ok_or_else(unknown),
            several => Err(MemoryError::Ambiguous {
                id: id.to_owned(),
                found: several.iter().map(|(.., name)| name.clone()).collect(),
            }),
        }
    }

    /// Saves a new memory in the first place, or in the global one.
    ///
    /// # Errors
    /// When it says nothing, or the folder cannot be written.
    pub fn save(&self, draft: &Draft, scope: Option<Scope>, now: &Zoned) -> Result<Memory> {
        check(draft)?;
        let place = self.place(scope)?;
        let writing = Writing::begin(place, &self.records)?;
        let front = front(draft, self.free_id(now), now);
        let notes = draft.notes.trim();
        let list = body::list(&draft.key_info);
        let body = match notes.is_empty() {
            true => list,
            false => format!("{list}\n{notes}\n"),
        };
        let text = yaml::file(&front, body.trim_start()).map_err(MemoryError::Refused)?;
        if let Some(raw) = &draft.raw {
            writing.write_conversation(&front.id, raw)?;
        }
        writing.write_memory(State::Active, &front.id, &text, Some(KnownBy::User))?;
        writing.finish();
        self.read_again(place, State::Active, &front.id)
    }

    /// Writes a memory as another program or an export had it: its own id, if
    /// that is free, its times and its state. It is the user's own unless it came with a
    /// repository.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn put(
        &self,
        memory: &Imported,
        scope: Option<Scope>,
        trust: Trust,
        now: &Zoned,
    ) -> Result<Memory> {
        let place = self.place(scope)?;
        let writing = Writing::begin(place, &self.records)?;
        let mut front = memory.front.clone();
        let is_own = is_valid_id(&front.id) && !self.is_taken(&front.id);
        if !is_own {
            front.id = self.free_id(&front.created.0.to_zoned(now.time_zone().clone()));
        }
        let text = match &memory.text {
            Some(text) if is_own => text.clone(),
            _ => yaml::file(&front, &memory.body).map_err(MemoryError::Refused)?,
        };
        if let Some(raw) = &memory.raw {
            writing.write_conversation(&front.id, raw)?;
        }
        let known = trust.is_given().then_some(KnownBy::User);
        writing.write_memory(memory.state, &front.id, &text, known)?;
        writing.finish();
        self.read_again(place, memory.state, &front.id)
    }

    /// Changes what is said of a memory; everything else in its file stays. What came with a
    /// repository and was not trusted stays so: the rest of it nobody has looked at.
    ///
    /// # Errors
    /// When its file cannot be read or written.
    pub fn change(&self, id: &str, change: &Change, now: &Zoned) -> Result<Memory> {
        let place = self.place_of(&self.find(id)?);
        let writing = Writing::begin(place, &self.records)?;
        let memory = self.find(id)?; // as it is now that nobody else writes
        let text = changed(&memory, change, now)?;
        writing.write_memory(memory.state, memory.id(), &text, known_by(memory.trust))?;
        writing.finish();
        self.read_again(place, memory.state, memory.id())
    }

    /// Puts a text that was edited in the place of a memory's file. It is the user's then where they
    /// have seen it; else it waits as before.
    ///
    /// # Errors
    /// When the text is no memory, has another id, or the file has changed since it was read.
    pub fn replace(
        &self,
        memory: &Memory,
        text: &str,
        is_seen: bool,
        now: &Zoned,
    ) -> Result<Memory> {
        let place = self.place_of(memory);
        let writing = Writing::begin(place, &self.records)?;
        let parts = yaml::split(text, &memory.path)?;
        let front = yaml::read(parts.yaml, &memory.path)?;
        if front.id != memory.front.id {
            return Err(MemoryError::Refused(
                "the id of a memory cannot be changed".into(),
            ));
        }
        let there = self.read_again(place, memory.state, memory.id());
        if there.map(|there| there.text).ok().as_deref() != Some(memory.text.as_str()) {
            let what = "the file was changed by somebody else meanwhile";
            return Err(MemoryError::Refused(what.into()));
        }
        let yaml = set(parts.yaml, "updated", &moment(now))?;
        let text = yaml::join(&yaml, parts.body);
        let known = match is_seen {
            true => Some(KnownBy::User),
            false => known_by(memory.trust),
        };
        writing.write_memory(memory.state, memory.id(), &text, known)?;
        writing.finish();
        self.read_again(place, memory.state, memory.id())
    }

    /// Moves a memory to another state. Where it is there already, nothing happens. What is put into
    /// the trash is known no longer, until the user takes it back.
    ///
    /// # Errors
    /// When its file cannot be moved.
    pub fn move_to(&self, memory: &Memory, state: State) -> Result<Memory> {
        let place = self.place_of(memory);
        let writing = Writing::begin(place, &self.records)?;
        if state != memory.state {
            // First, so that whatever fails then, nothing is trusted that was to go.
            self.records.update(place, |record| match state {
                State::Trash => record.delete(memory.id()),
                State::Active | State::Archive => record.restore(memory.id(), &memory.text),
            })?;
            writing.rename(memory.id(), memory.state, state)?;
            writing.finish();
        }
        self.read_again(place, state, memory.id())
    }

    /// Removes a memory for good, and the conversation kept beside it.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn purge(&self, memory: &Memory) -> Result<()> {
        let place = self.place_of(memory);
        let writing = Writing::begin(place, &self.records)?;
        self.records
            .update(place, |record| record.forget(memory.id()))?;
        writing.remove(memory.state, memory.id())?;
        writing.finish();
        Ok(())
    }

    /// Trusts memories of a repository, as they are.
    ///
    /// # Errors
    /// When that cannot be noted.
    pub fn trust(&self, memories: &[Memory]) -> Result<()> {
        for memory in memories {
            let learn = |record: &mut FolderRecord| {
                record.learn(memory.id(), &memory.text, KnownBy::Trust);
            };
            self.records.update(self.place_of(memory), learn)?;
        }
        Ok(())
    }

    /// Takes back what was trusted of the project: some memories, or all that came with the
    /// repository. Returns how many that concerns.
    ///
    /// # Errors
    /// When that cannot be noted, or there is no project.
    pub fn revoke(&self, ids: Option<&[String]>) -> Result<usize> {
        let place = self.place(Some(Scope::Project))?;
        self.records.update(place, |record| record.revoke(ids))
    }

    /// The conversation that a memory was saved from, as it was then.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn raw(&self, memory: &Memory) -> Result<Option<String>> {
        let Some(dir) = self.place_of(memory).open()? else {
            return Ok(None);
        };
        Ok(dir.read_text(&conversation(memory.id()), RAW_LIMIT)?)
    }

    /// Generated files that differ from the memories and that this program does not know: they
    /// are left as they are.
    pub fn foreign_views(&self) -> Vec<PathBuf> {
        let foreign = |place: &Place| views::foreign(place, &self.records);
        self.places.iter().flat_map(foreign).collect()
    }

    fn opened(&self, damaged: &mut Vec<Damage>) -> Vec<Opened<'_>> {
        let mut all = Vec::new();
        for place in &self.places {
            match place.open() {
                Ok(None) => {}
                Ok(Some(dir)) => all.push(Opened {
                    place,
                    dir,
                    record: self.records.read(place),
                }),
                Err(error) => damaged.push(unreadable(&place.folder, &error)),
            }
        }
        all
    }

    fn read_again(&self, place: &Place, state: State, id: &str) -> Result<Memory> {
        let unknown = || MemoryError::Unknown(id.to_owned());
        let dir = place.open()?.ok_or_else(unknown)?;
        let record = self.records.read(place);
        read(place, &dir, &record, state, id)?.ok_or_else(unknown)
    }

    fn place(&self, scope: Option<Scope>) -> Result<&Place> {
        let wanted = |place: &&Place| scope.is_none_or(|scope| scope == place.scope);
        let place = self.places.iter().find(wanted);
        place.ok_or_else(|| {
            MemoryError::Refused("storage.location keeps no memories there".to_owned())
        })
    }

    fn place_of(&self, memory: &Memory) -> &Place {
        let own = self.places.iter().find(|p| p.scope == memory.scope);
        own.unwrap_or(&self.places[0])
    }

    fn is_taken(&self, id: &str) -> bool {
        self.opened(&mut Vec::new()).iter().any(|place| {
            State::ALL.into_iter().any(|state| place.has(state, id))
                || place.dir.exists(&conversation(id))
        })
    }

    fn free_id(&self, now: &Zoned) -> String {
        let base = format!("mem-{}", now.strftime("%Y%m%d-%H%M%S"));
        let named = |n: usize| match n {
            1 => base.clone(),
            n => format!("{base}-{n}"),
        };
        let free = (1..).map(named).find(|id| !self.is_taken(id));
        free.unwrap_or(base.clone())
    }
}

/// Keeps one of several files with one id, copied by hand or merged: what is trusted goes first, so
/// that a repository takes no place of the user's; then the project's, then the active one.
fn keep_best(found: &mut Vec<(&Opened<'_>, State, String)>) {
    if found.len() > 1 {
        let best = found.iter().position(is_given).unwrap_or(0);
        found.swap(0, best);
        found.truncate(1);
    }
}

fn is_given((place, state, name): &(&Opened<'_>, State, String)) -> bool {
    let memory = place.read(*state, name).ok().flatten();
    memory.is_some_and(|memory| memory.trust.is_given())
}

/// Whose the content is after a change of a memory that was trusted so.
fn known_by(trust: Trust) -> Option<KnownBy> {
    match trust {
        Trust::Own => Some(KnownBy::User),
        Trust::Trusted => Some(KnownBy::Trust),
        Trust::Waiting | Trust::Changed => None,
    }
}

/// The newest first.
fn sort(memories: &mut [Memory]) {
    let by_age = |m: &Memory| (m.front.created, m.front.id.clone());
    memories.sort_by_key(|m| std::cmp::Reverse(by_age(m)));
}

/// Takes the replacements away that are neither active nor archived: what is gone replaces
/// nothing.
fn drop_replacements(memories: &mut [Memory], opened: &[Opened<'_>]) {
    let is_kept = |id: &String| {
        let states = [State::Active, State::Archive];
        let has = |place: &Opened<'_>| states.iter().any(|state| place.has(*state, id));
        is_valid_id(id) && opened.iter().any(has)
    };
    for memory in memories {
        let by = memory.front.superseded_by.take();
        memory.front.superseded_by = by.filter(is_kept);
    }
}
