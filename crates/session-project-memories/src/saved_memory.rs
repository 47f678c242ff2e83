//! A memory that was saved, and the notes on it.

use crate::broad_triggers::BroadTrigger;
use crate::replacement::describe_inherited_fields;
use session_agents::quote_word;
use session_display::{Note, sanitize_line};
use session_memory::{
    InheritedFields, Memory, MemoryKind, MovedMemories, NearDuplicate, ReplacedSecrets, Triggers,
};

/// Most memories that are named as repeated by one.
const MAX_REPEATED: usize = 3;

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
    /// Sentences on what of the draft is over a limit, and not kept.
    pub cuts: Vec<String>,
    /// The secrets that were replaced in it.
    pub replaced_secrets: ReplacedSecrets,
    /// Its triggers that match much of what there is.
    pub(crate) broad: Vec<BroadTrigger>,
    /// The fields that it inherited from memories that it replaces.
    pub(crate) inherited: InheritedFields,
    /// Triggers that match no file, memories that it replaces, and failures after it was saved.
    pub further_notes: Vec<Note>,
}

/// A note on a saved memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMemoryNote {
    /// The note, with the commands that change what it is about.
    pub note: Note,
    /// True where the text has words of another memory.
    pub has_foreign_words: bool,
}

impl SavedMemory {
    /// Returns all notes for who saved it.
    pub fn notes(&self) -> Vec<SavedMemoryNote> {
        let mut notes = self.content_notes();
        let repeats = self.repeats.iter().take(MAX_REPEATED);
        notes.extend(repeats.map(|old| self.note_repeat(old)));
        notes.extend(self.note_no_triggers());
        notes.extend(self.note_no_cues());
        let moved = describe_moved_memories(&self.moved).into_iter();
        notes.extend(moved.map(SavedMemoryNote::from));
        notes
    }

    /// Returns true if some of its triggers match much of what there is.
    pub fn has_broad_triggers(&self) -> bool {
        !self.broad.is_empty()
    }

    /// Returns the notes that no field of the memory's JSON has. They say what was cut or replaced, which triggers match too
    /// much or no file, which memories are replaced, what is inherited from them, and what failed after the memory was
    /// saved.
    pub fn content_notes(&self) -> Vec<SavedMemoryNote> {
        let texts = self.cuts.iter().cloned();
        let texts = texts.chain(self.replaced_secrets.note());
        let broad = self.broad.iter();
        let broad = broad.map(|trigger| trigger.note(self.memory.id()).into());
        let texts = texts.map(|text| Note::new(text).into());
        let further = self.further_notes.iter().cloned();
        let further = further.map(SavedMemoryNote::from);
        let inherited = describe_inherited_fields(self.memory.id(), &self.inherited);
        // A memory that came with a repository and is trusted may have lent them.
        let inherited = inherited.map(|note| SavedMemoryNote {
            note,
            has_foreign_words: true,
        });
        let notes = texts.chain(broad).chain(further);
        notes.chain(inherited).collect()
    }

    fn note_repeat(&self, old: &NearDuplicate) -> SavedMemoryNote {
        let (id, new) = (&old.id, self.memory.id());
        let topic = sanitize_line(&old.topic);
        let supersede = format!("`session-search memory supersede {id} --by {new}`");
        let note = if old.is_near() {
            let edit = format!("`session-search memory edit {id}` changes that one");
            Note::new(format!("it repeats {id}, {topic}"))
                .with_hint(format!("{edit}, {supersede} replaces it"))
        } else {
            Note::new(format!("{id} has the same topic, {topic}"))
                .with_hint(format!("{supersede}, if it no longer holds"))
        };
        SavedMemoryNote {
            note,
            has_foreign_words: true,
        }
    }

    fn note_no_triggers(&self) -> Option<SavedMemoryNote> {
        let command = self.trigger_command()?;
        let has_source = self.memory.front.source.is_some();
        let source = match (self.proposed.is_empty(), has_source) {
            (true, _) => "",
            (false, true) => " from the turns that it comes from",
            (false, false) => " from the names in it",
        };
        let note = Note::new("it has no triggers");
        Some(
            note.with_hint(format!("`{command}` adds triggers{source}"))
                .into(),
        )
    }

    fn note_no_cues(&self) -> Option<SavedMemoryNote> {
        let command = self.cue_command()?;
        let hint = format!("`{command}` adds cues, the prompts that it helps: three to six");
        Some(Note::new("it has no cues").with_hint(hint).into())
    }

    /// Returns the command that adds cues; `None` if it has some, or prompts of the turns that it comes from.
    pub fn cue_command(&self) -> Option<String> {
        let front = &self.memory.front;
        let has_none = front.cues.is_empty() && front.prompts.is_empty();
        has_none.then(|| {
            let id = self.memory.id();
            format!("session-search memory edit {id} --cue TEXT")
        })
    }

    /// Returns the command that adds triggers, with those that are proposed; `None` if it has some. A
    /// preference that nothing is proposed for needs none.
    pub fn trigger_command(&self) -> Option<String> {
        let front = &self.memory.front;
        let needs_none = front.kind == MemoryKind::Preference && self.proposed.is_empty();
        if !front.when.is_empty() || needs_none {
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
                command.push_str(&format!(" {option} {}", quote_word(text)));
            }
        }
        if self.proposed.is_empty() {
            command.push_str(" --when-path GLOB --when-command GLOB --when-error TEXT");
        }
        Some(command)
    }
}

impl From<Note> for SavedMemoryNote {
    fn from(note: Note) -> Self {
        Self {
            note,
            has_foreign_words: false,
        }
    }
}

/// Describes the memories that were moved because of their age, each as a note.
pub fn describe_moved_memories(moved: &MovedMemories) -> Vec<Note> {
    let archived = moved.archived.iter().map(|id| {
        Note::new(format!("archived {id}, which nobody touched for long")).with_hint(format!(
            "`session-search memory activate {id}` takes it back, storage.auto_archive = false keeps all"
        ))
    });
    let trashed =
        moved.trashed.iter().map(|id| {
            Note::new(format!(
            "put {id} into the trash, since it was archived for longer than storage.retention_days"
        ))
        .with_hint(format!("`session-search memory activate {id}` takes it back"))
        });
    let skipped = moved.skipped.iter().map(|id| {
        Note::new(format!(
            "left {id} where it is, though nobody touched it for long: there is another file of that name where it would go"
        ))
        .with_hint("compare the two files and remove one of them")
    });
    archived.chain(trashed).chain(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_memories::tests::memories;
    use jiff::Zoned;
    use session_memory::MemoryDraft;

    #[test]
    fn all_that_followed_is_noted() {
        let home = tempfile::tempdir().unwrap();
        let memories = memories(home.path());
        let save = |error: &str| {
            let draft = MemoryDraft {
                topic: "Lantern".into(),
                key_info: vec!["its password=hunter2hunter2".into()],
                cues: vec!["the lantern is dark".to_owned()],
                when: Triggers {
                    errors: vec![error.to_owned()],
                    ..Triggers::default()
                },
                ..MemoryDraft::default()
            };
            memories.save(&draft, None, &Zoned::now()).unwrap()
        };
        let old = save("LanternOut").memory;
        let saved = save("error");
        let notes = saved.notes().into_iter();
        let notes: Vec<String> = notes.map(|saved| saved.note.to_string()).collect();
        let [secret, broad, repeat] = notes.as_slice() else {
            panic!("{notes:?}");
        };
        assert_eq!(secret, "a secret is replaced by a mark: password");
        let start = "`error` matches most errors, so it says little about the one at hand\nhint: ";
        assert!(broad.starts_with(start), "{broad}");
        let start = format!("it repeats {}, Lantern\nhint: ", old.id());
        assert!(repeat.starts_with(&start), "{repeat}");
        assert_eq!(saved.content_notes().len(), 2);
        let mut of_same_topic = saved.repeats[0].clone();
        (of_same_topic.cosine, of_same_topic.overlap) = (0.2, 0.1);
        let told = saved.note_repeat(&of_same_topic).note.to_string();
        let start = format!("{} has the same topic, Lantern\nhint: ", old.id());
        assert!(told.starts_with(&start), "{told}");
    }

    #[test]
    fn what_is_noted_besides_and_a_lack_of_cues_are_told() {
        let home = tempfile::tempdir().unwrap();
        let memories = memories(home.path());
        let draft = MemoryDraft {
            topic: "Lantern".into(),
            key_info: vec!["in the harbour".into()],
            ..MemoryDraft::default()
        };
        let mut saved = memories.save(&draft, None, &Zoned::now()).unwrap();
        let unmatched = Note::new("`srv/` matches no file of the project now");
        saved.further_notes = vec![unmatched.clone()];
        let texts = |notes: Vec<SavedMemoryNote>| -> Vec<String> {
            notes.into_iter().map(|saved| saved.note.text).collect()
        };
        assert_eq!(
            texts(saved.content_notes()),
            std::slice::from_ref(&unmatched.text)
        );
        let expected = [&unmatched.text, "it has no triggers", "it has no cues"];
        assert_eq!(texts(saved.notes()), expected);
        let id = saved.memory.id();
        let command = format!("session-search memory edit {id} --cue TEXT");
        assert_eq!(saved.cue_command(), Some(command));
        saved.memory.front.prompts = vec!["light the lantern".to_owned()];
        assert_eq!(saved.cue_command(), None);
    }
}
