//! Memories at rest: a folder of Markdown files for each state.

use crate::body;
use crate::disk::{self, Lock};
use crate::error::{Damage, MemoryError, Result};
use crate::file::{ENDING, file, is_id, read, stem, unreadable};
use crate::frontmatter as yaml;
use crate::keywords;
use crate::memory::{Draft, Front, Memory, Scope, State};
use crate::moment::Moment;
use crate::place::Place;
use crate::views;
use jiff::Zoned;
use serde::Serialize;
use session_core::text::{clip, one_line};
use std::path::PathBuf;

const RAW: &str = "raw";
/// What is not for a repository: raw conversations, what was deleted, the lock.
const IGNORED: &str = "raw/\ntrash/\n.lock\n.new-*\n.recalled.json\n";
/// Longest topic, in bytes.
const TOPIC: usize = 500;
/// Longest cue, in bytes.
const CUE: usize = 300;

/// The memories of some places. The first place is the one that new ones go to.
#[derive(Debug, Clone)]
pub struct Store {
    places: Vec<Place>,
}

/// What a look at the files found.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// The newest first.
    pub memories: Vec<Memory>,
    /// Files that are no memories.
    pub damaged: Vec<Damage>,
}

/// What is changed in a memory.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Another topic.
    pub topic: Option<String>,
    /// Other key information.
    pub key_info: Option<Vec<String>>,
    /// Other tags.
    pub tags: Option<Vec<String>>,
    /// Other cues.
    pub cues: Option<Vec<String>>,
    /// Another kind.
    pub kind: Option<crate::memory::Kind>,
    /// Another importance.
    pub importance: Option<crate::memory::Importance>,
    /// The memory that replaces it.
    pub superseded_by: Option<String>,
}

impl Change {
    /// True when nothing changes.
    pub fn is_empty(&self) -> bool {
        self.topic.is_none()
            && self.key_info.is_none()
            && self.tags.is_none()
            && self.cues.is_none()
            && self.kind.is_none()
            && self.importance.is_none()
            && self.superseded_by.is_none()
    }
}

impl Store {
    /// The memories of these places, whether their folders exist or not.
    pub fn new(places: Vec<Place>) -> Self {
        Self { places }
    }

    /// The places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Reads the memories that stand so. One file that is damaged costs itself.
    pub fn list(&self, states: &[State]) -> Listing {
        let mut listing = Listing::default();
        for place in &self.places {
            for &state in states {
                let folder = place.folder.join(state.folder());
                let files = disk::listed(&folder, ENDING).unwrap_or_else(|error| {
                    listing.damaged.push(unreadable(&folder, &error));
                    Vec::new()
                });
                for path in files {
                    match read(&path, state, place.scope) {
                        Ok(memory) => listing.memories.push(memory),
                        Err(damage) => listing.damaged.push(damage),
                    }
                }
            }
        }
        let by_age = |m: &Memory| (m.front.created, m.front.id.clone());
        listing
            .memories
            .sort_by_key(|m| std::cmp::Reverse(by_age(m)));
        for memory in &mut listing.memories {
            let by = memory.front.superseded_by.take();
            memory.front.superseded_by = by.filter(|by| self.is_kept(by));
        }
        listing
    }

    /// True for the id of a memory that is active or archived: one that is gone
    /// replaces nothing.
    fn is_kept(&self, id: &str) -> bool {
        let states = [State::Active, State::Archive];
        let mut places = self.places.iter();
        places.any(|place| states.iter().any(|s| file(place, *s, id).exists()))
    }

    /// The one memory that an id, or the beginning of one, names; `mem-` may be
    /// left out.
    ///
    /// # Errors
    /// When there is none, several, or its file is damaged.
    pub fn find(&self, id: &str) -> Result<Memory> {
        let begins = |name: &str| name.starts_with(id) || name.starts_with(&format!("mem-{id}"));
        let is_whole = |name: &str| name == id || name.strip_prefix("mem-") == Some(id);
        let mut found: Vec<(PathBuf, State, Scope)> = Vec::new();
        for place in &self.places {
            for state in State::ALL {
                let files = disk::files(&place.folder.join(state.folder()), ENDING);
                found.extend(files.into_iter().map(|path| (path, state, place.scope)));
            }
        }
        found.retain(|(path, ..)| !id.is_empty() && begins(&stem(path)));
        if is_id(id) || found.iter().any(|(path, ..)| is_whole(&stem(path))) {
            found.retain(|(path, ..)| is_whole(&stem(path)));
            // Copied by hand, or merged: the project's goes first, and the active one.
            found.truncate(1);
        }
        match found.as_slice() {
            [] => Err(MemoryError::Unknown(id.to_owned())),
            [(path, state, scope)] => Ok(read(path, *state, *scope)?),
            several => Err(MemoryError::Ambiguous {
                id: id.to_owned(),
                found: several.iter().map(|(path, ..)| stem(path)).collect(),
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
        let _lock = begin(place)?;
        let front = front(draft, self.free_id(now), now);
        let notes = draft.notes.trim();
        let list = body::list(&draft.key_info);
        let body = match notes.is_empty() {
            true => list,
            false => format!("{list}\n{notes}\n"),
        };
        let text = yaml::file(&front, body.trim_start()).map_err(MemoryError::Refused)?;
        if let Some(raw) = &draft.raw {
            disk::write(&self.raw_path(place, &front.id), raw.as_bytes())?;
        }
        let path = file(place, State::Active, &front.id);
        disk::write(&path, text.as_bytes())?;
        views::rebuild(place);
        Ok(read(&path, State::Active, place.scope)?)
    }

    /// Writes a memory as another program or an export had it: its own id, if
    /// that is free, its times and its state.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn put(&self, memory: &Imported, scope: Option<Scope>, now: &Zoned) -> Result<Memory> {
        let place = self.place(scope)?;
        let _lock = begin(place)?;
        let mut front = memory.front.clone();
        let is_own = !front.id.is_empty() && !self.is_taken(&front.id);
        if !is_own {
            front.id = self.free_id(&front.created.0.to_zoned(now.time_zone().clone()));
        }
        let text = match &memory.text {
            Some(text) if is_own => text.clone(),
            _ => yaml::file(&front, &memory.body).map_err(MemoryError::Refused)?,
        };
        if let Some(raw) = &memory.raw {
            disk::write(&self.raw_path(place, &front.id), raw.as_bytes())?;
        }
        let path = file(place, memory.state, &front.id);
        disk::write(&path, text.as_bytes())?;
        views::rebuild(place);
        Ok(read(&path, memory.state, place.scope)?)
    }

    /// Changes what is said of a memory; everything else in its file stays.
    ///
    /// # Errors
    /// When its file cannot be read or written.
    pub fn change(&self, id: &str, change: &Change, now: &Zoned) -> Result<Memory> {
        let place = self.place_of(&self.find(id)?);
        let _lock = begin(place)?;
        let memory = self.find(id)?; // as it is now that nobody else writes
        let text = changed(&memory, change, now)?;
        disk::write(&memory.path, text.as_bytes())?;
        views::rebuild(place);
        Ok(read(&memory.path, memory.state, memory.scope)?)
    }

    /// Puts a text that a user edited in the place of a memory's file.
    ///
    /// # Errors
    /// When the text is no memory, has another id, or the file has changed since it was read.
    pub fn replace(&self, memory: &Memory, text: &str, now: &Zoned) -> Result<Memory> {
        let place = self.place_of(memory);
        let _lock = begin(place)?;
        let parts = yaml::split(text, &memory.path)?;
        let front = yaml::read(parts.yaml, &memory.path)?;
        if front.id != memory.front.id {
            return Err(MemoryError::Refused(
                "the id of a memory cannot be changed".into(),
            ));
        }
        if disk::read(&memory.path)?.as_deref() != Some(memory.text.as_str()) {
            let what = "the file was changed by somebody else meanwhile";
            return Err(MemoryError::Refused(what.into()));
        }
        let yaml = set(parts.yaml, "updated", &moment(now))?;
        disk::write(&memory.path, yaml::join(&yaml, parts.body).as_bytes())?;
        views::rebuild(place);
        Ok(read(&memory.path, memory.state, memory.scope)?)
    }

    /// Moves a memory to another state. Where it is there already, nothing happens.
    ///
    /// # Errors
    /// When its file cannot be moved.
    pub fn move_to(&self, memory: &Memory, state: State) -> Result<Memory> {
        let place = self.place_of(memory);
        let _lock = begin(place)?;
        let to = file(place, state, memory.id());
        if to != memory.path {
            if to.exists() {
                return Err(MemoryError::Refused(format!(
                    "`{}` is there already and would be lost\nhint: compare it with `{}` and remove one of them",
                    to.display(),
                    memory.path.display()
                )));
            }
            disk::rename(&memory.path, &to)?;
            views::rebuild(place);
        }
        Ok(read(&to, state, memory.scope)?)
    }

    /// Removes a memory for good, and the conversation kept beside it.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn purge(&self, memory: &Memory) -> Result<()> {
        let place = self.place_of(memory);
        let _lock = begin(place)?;
        fs_err::remove_file(&memory.path)?;
        clear_raw(place);
        views::rebuild(place);
        Ok(())
    }

    /// The conversation that a memory was saved from, as it was then.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn raw(&self, memory: &Memory) -> Result<Option<String>> {
        let path = self.raw_path(self.place_of(memory), memory.id());
        Ok(disk::read(&path)?)
    }

    /// Brings the generated views up to date with what was edited by hand, as
    /// far as the folder can be written.
    pub fn refresh_views(&self) {
        for place in &self.places {
            if place.folder.is_dir()
                && views::are_old(place)
                && let Ok(Some(_lock)) = Lock::attempt(&place.folder)
            {
                views::rebuild(place);
            }
        }
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

    fn raw_path(&self, place: &Place, id: &str) -> PathBuf {
        place.folder.join(RAW).join(format!("{id}{ENDING}"))
    }

    fn is_taken(&self, id: &str) -> bool {
        self.places.iter().any(|place| {
            let in_state = |state| file(place, state, id).exists();
            State::ALL.into_iter().any(in_state) || self.raw_path(place, id).exists()
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

/// Takes the right to write in a place, and makes its folder if need be.
fn begin(place: &Place) -> Result<Lock> {
    let lock = Lock::take(&place.folder)?;
    let ignore = place.folder.join(".gitignore");
    if !ignore.exists() {
        disk::write(&ignore, IGNORED.as_bytes())?;
    }
    clear_raw(place);
    Ok(lock)
}

/// Removes conversations whose memory is gone: of one removed by hand, or of a
/// save that was killed.
fn clear_raw(place: &Place) {
    for path in disk::files(&place.folder.join(RAW), ENDING) {
        let id = stem(&path);
        if !State::ALL
            .into_iter()
            .any(|state| file(place, state, &id).exists())
        {
            let _ = fs_err::remove_file(path);
        }
    }
}

fn check(draft: &Draft) -> Result<()> {
    let refused = |what: &str| Err(MemoryError::Refused(what.to_owned()));
    if draft.topic.trim().is_empty() {
        return refused("a memory needs a topic");
    }
    let says = |text: &String| !text.trim().is_empty();
    if !draft.key_info.iter().any(says) && draft.notes.trim().is_empty() {
        return refused("a memory needs something to remember");
    }
    Ok(())
}

fn moment(now: &Zoned) -> Moment {
    Moment(now.timestamp())
}

fn front(draft: &Draft, id: String, now: &Zoned) -> Front {
    let topic = clip(&one_line(&draft.topic), TOPIC).to_owned();
    let tags = draft.tags.iter().map(|tag| clean_tag(tag));
    let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).collect();
    let keywords = match draft.keywords.is_empty() {
        true => keywords::of(&topic, &draft.key_info, &tags),
        false => draft.keywords.clone(),
    };
    Front {
        id,
        topic,
        kind: draft.kind,
        importance: draft.importance,
        tags,
        keywords,
        cues: clean_cues(&draft.cues),
        created: moment(now),
        updated: Some(moment(now)),
        superseded_by: None,
        source: draft.source.clone(),
    }
}

/// A tag without the `#` that begins it.
pub fn clean_tag(tag: &str) -> String {
    tag.trim().trim_start_matches('#').trim().to_owned()
}

/// Cues, each on a line and once.
fn clean_cues(cues: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for cue in cues {
        let cue = clip(&one_line(cue), CUE).trim().to_owned();
        if !cue.is_empty() && !out.contains(&cue) {
            out.push(cue);
        }
    }
    out
}

fn set(text: &str, key: &str, value: &impl Serialize) -> Result<String> {
    yaml::with_key(text, key, Some(value)).map_err(MemoryError::Refused)
}

/// The file's text after a change.
fn changed(memory: &Memory, change: &Change, now: &Zoned) -> Result<String> {
    let parts = yaml::split(&memory.text, &memory.path)?;
    let mut front = parts.yaml.to_owned();
    if let Some(topic) = &change.topic {
        if topic.trim().is_empty() {
            return Err(MemoryError::Refused("a memory needs a topic".to_owned()));
        }
        front = set(&front, "topic", &one_line(topic))?;
    }
    if let Some(tags) = &change.tags {
        let tags: Vec<String> = tags.iter().map(|tag| clean_tag(tag)).collect();
        front = set(&front, "tags", &tags)?;
    }
    if let Some(cues) = &change.cues {
        front = set(&front, "cues", &clean_cues(cues))?;
    }
    if let Some(kind) = &change.kind {
        front = set(&front, "kind", kind)?;
    }
    if let Some(importance) = &change.importance {
        front = set(&front, "importance", importance)?;
    }
    if let Some(by) = &change.superseded_by {
        front = set(&front, "superseded_by", by)?;
    }
    front = set(&front, "updated", &moment(now))?;
    let body = match &change.key_info {
        Some(items) => body::with_items(parts.body, items),
        None => parts.body.to_owned(),
    };
    let read = yaml::read(&front, &memory.path)?;
    if change.topic.is_some() || change.key_info.is_some() || change.tags.is_some() {
        let words = keywords::of(&read.topic, &body::items(&body), &read.tags);
        front = set(&front, "keywords", &words)?;
    }
    Ok(yaml::join(&front, &body))
}
