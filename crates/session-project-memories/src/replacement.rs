//! The replacement of a memory by another one, which inherits its triggers and cues.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use jiff::Zoned;
use session_core::text::clip;
use session_display::{Note, pluralize, sanitize_line};
use session_memory::{InheritedFields, Memory, MemoryDraft, MemoryScope, Triggers};

/// The most triggers that a note names, and the most bytes of each.
const MAX_NAMED: usize = 5;
const MAX_TRIGGER_BYTES: usize = 80;

/// A memory that was superseded.
#[derive(Debug)]
pub struct SupersededMemory {
    /// The memory.
    pub memory: Memory,
    /// The fields that its replacement inherited.
    pub inherited: InheritedFields,
    /// A note where they could not be written into the replacement.
    pub failure: Option<Note>,
}

impl ProjectMemories {
    /// Marks a memory as replaced by another one, which inherits its triggers and cues where it has none.
    ///
    /// # Errors
    /// As [`session_memory::MemoryStore::supersede`].
    pub fn supersede(
        &self,
        old: &str,
        new: &str,
        now: &Zoned,
    ) -> Result<SupersededMemory, ProjectMemoriesError> {
        let memory = self.store.supersede(old, new, now)?;
        let inherited = self.inherit_fields(&memory, new, now);
        let (inherited, failure) = match inherited {
            Ok(inherited) => (inherited, None),
            // It is superseded all the same.
            Err(error) => {
                let id = memory.id();
                let failed = "its triggers and cues are not taken over";
                let note = Note::new(format!("{id} is superseded, but {failed}: {error}"));
                (
                    InheritedFields::default(),
                    Some(note.with_hints(error.hint())),
                )
            }
        };
        Ok(SupersededMemory {
            memory,
            inherited,
            failure,
        })
    }

    fn inherit_fields(
        &self,
        old: &Memory,
        new: &str,
        now: &Zoned,
    ) -> Result<InheritedFields, ProjectMemoriesError> {
        let inherited = self.store.inherit_fields(old, new, now)?;
        if !inherited.cues.is_empty() {
            // Vectors that are missing are computed before the next prompt.
            let _ = self.embed_missing(&[self.store.find(new)?]);
        }
        Ok(inherited)
    }

    /// Adds to a draft the triggers and cues of the memories that it replaces, where it has none of its own. Returns what
    /// was added.
    pub(crate) fn inherit_into_draft(
        &self,
        draft: &mut MemoryDraft,
        replaced: &[Memory],
        scope: Option<MemoryScope>,
    ) -> InheritedFields {
        let first = self.store.directories().first();
        let Some(scope) = scope.or_else(|| first.map(|directory| directory.scope)) else {
            return InheritedFields::default();
        };
        let inherited = InheritedFields::collect(replaced, scope);
        let inherited = inherited.without_own(&draft.when, &draft.cues);
        if !inherited.when.is_empty() {
            draft.when = inherited.when.clone();
        }
        draft.cues.extend_from_slice(&inherited.cues);
        inherited
    }
}

/// Describes what the memory of an id inherited; `None` if it is nothing.
pub fn describe_inherited_fields(id: &str, inherited: &InheritedFields) -> Option<Note> {
    let triggers = describe_triggers(&inherited.when);
    let cues = inherited.cues.len();
    let cues = (cues > 0).then(|| pluralize(cues, "cue"));
    let fields: Vec<String> = triggers.into_iter().chain(cues).collect();
    let note = Note::new(format!("{id} takes over {}", fields.join(" and ")));
    let hint = format!("`session-search memory edit {id}` changes that");
    (!fields.is_empty()).then(|| note.with_hint(hint))
}

fn describe_triggers(when: &Triggers) -> Option<String> {
    let Triggers {
        paths,
        commands,
        errors,
    } = when;
    let all: Vec<&String> = paths.iter().chain(commands).chain(errors).collect();
    let named = all.iter().take(MAX_NAMED);
    let named: Vec<String> = named
        .map(|text| format!("`{}`", sanitize_line(clip(text, MAX_TRIGGER_BYTES))))
        .collect();
    let more = match all.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let noun = if all.len() == 1 {
        "trigger"
    } else {
        "triggers"
    };
    (!all.is_empty()).then(|| format!("the {noun} {}{more}", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_memories::tests::memories;

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn draft(topic: &str, commands: &[&str], cues: &[&str]) -> MemoryDraft {
        MemoryDraft {
            topic: topic.into(),
            key_info: vec!["in the harbour".into()],
            cues: list(cues),
            when: Triggers {
                commands: list(commands),
                ..Triggers::default()
            },
            ..MemoryDraft::default()
        }
    }

    #[test]
    fn a_replacement_without_triggers_and_cues_inherits_them() {
        let home = tempfile::tempdir().unwrap();
        let memories = memories(home.path());
        let save = |draft: &MemoryDraft| memories.save(draft, None, &Zoned::now()).unwrap().memory;
        let old = save(&draft("Lantern", &["light *"], &["it is dark"]));
        let new = save(&draft("Lantern of brass", &[], &[]));
        let supersede = |old: &Memory, new: &Memory| {
            let superseded = memories.supersede(old.id(), new.id(), &Zoned::now());
            superseded.unwrap()
        };
        let superseded = supersede(&old, &new);
        assert_eq!(
            superseded.memory.front.superseded_by.as_deref(),
            Some(new.id())
        );
        assert_eq!(superseded.failure, None);
        let note = describe_inherited_fields(new.id(), &superseded.inherited).unwrap();
        let expected = format!("{} takes over the trigger `light *` and 1 cue", new.id());
        assert_eq!(note.text, expected);
        let now = memories.store.find(new.id()).unwrap();
        assert_eq!(now.front.when.commands, ["light *"]);
        assert_eq!(now.front.cues, ["it is dark"]);

        let own = save(&draft("Lantern of tin", &["glow *"], &["the wick smokes"]));
        let superseded = supersede(&new, &own);
        assert!(superseded.inherited.is_empty());
        assert_eq!(
            describe_inherited_fields(own.id(), &superseded.inherited),
            None
        );
        let kept = memories.store.find(own.id()).unwrap();
        assert_eq!(kept.front.when.commands, ["glow *"]);
        assert_eq!(kept.front.cues, ["the wick smokes"]);
    }

    #[test]
    fn a_memory_that_is_saved_in_the_place_of_several_inherits_from_all() {
        let home = tempfile::tempdir().unwrap();
        let memories = memories(home.path());
        let save = |ids: &[String], draft: &MemoryDraft| {
            let saved = memories.save_in_place_of(ids, draft, None, &Zoned::now());
            saved.unwrap()
        };
        let one = save(&[], &draft("Lantern", &["light *"], &["it is dark"])).memory;
        let two = save(
            &[],
            &draft("Wick", &["trim *"], &["it is dark", "it smokes"]),
        )
        .memory;
        let ids = [&one, &two].map(|memory| memory.id().to_owned());
        let saved = save(&ids, &draft("Lamps", &[], &[]));
        assert_eq!(saved.memory.front.when.commands, ["light *", "trim *"]);
        assert_eq!(saved.memory.front.cues, ["it is dark", "it smokes"]);
        assert_eq!(saved.trigger_command(), None);
        let notes = saved.content_notes();
        let told = notes
            .iter()
            .find(|saved| saved.note.text.contains("takes over"));
        assert!(told.unwrap().has_foreign_words, "{notes:?}");
    }

    #[test]
    fn of_many_triggers_the_first_are_named() {
        let when = Triggers {
            paths: (0..7).map(|n| format!("dir{n}/")).collect(),
            ..Triggers::default()
        };
        assert_eq!(
            describe_triggers(&when).unwrap(),
            "the triggers `dir0/`, `dir1/`, `dir2/`, `dir3/`, `dir4/` and 2 more"
        );
    }
}
