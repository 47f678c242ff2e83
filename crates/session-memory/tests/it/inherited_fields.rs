//! The fields that a memory inherits from those that it replaces.

use crate::support::{INFO, TOPIC, TestMemories, draft, now};
use session_memory::{MemoryDraft, MemoryScope, Triggers};

/// Returns a memory with a trigger and a cue.
fn with_trigger(topic: &str) -> MemoryDraft {
    MemoryDraft {
        cues: vec!["the pool runs dry".into()],
        when: Triggers {
            paths: vec!["src/db/".into()],
            ..Triggers::default()
        },
        ..draft(topic, INFO)
    }
}

#[test]
fn a_replacement_inherits_triggers_and_cues_into_its_file() {
    let world = TestMemories::new();
    let old = world.save_draft(&with_trigger(TOPIC));
    let new = world.save("Pool of 60", INFO);
    let inherited = world.store.inherit_fields(&old, new.id(), &now()).unwrap();
    let text = world.read(&new);
    assert!(text.contains("src/db/") && text.contains("the pool runs dry"));
    let new = world.store.find(new.id()).unwrap();
    assert_eq!(inherited.when, new.front.when);
    assert_eq!(inherited.cues, new.front.cues);
    assert!(new.trust.is_trusted());
    let again = world.store.inherit_fields(&old, new.id(), &now()).unwrap();
    assert!(again.is_empty());
}

#[test]
fn a_global_memory_lends_nothing_to_a_project() {
    let world = TestMemories::new();
    let global = Some(MemoryScope::Global);
    let own = world.store.save(&with_trigger(TOPIC), global, &now());
    let own = own.unwrap();
    let new = world.save("Pool of 60", INFO);
    let inherited = world.store.inherit_fields(&own, new.id(), &now()).unwrap();
    assert!(inherited.is_empty());
    let project = world.save_draft(&with_trigger("Pool"));
    let global = world.save_global("Pool anywhere", INFO);
    let inherited = world.store.inherit_fields(&project, global.id(), &now());
    assert_eq!(inherited.unwrap().when.paths, ["src/db/"]);
}

/// A repository would decide when the user's memory is injected.
#[test]
fn what_waits_for_trust_lends_no_triggers() {
    let world = TestMemories::new();
    let old = world.save_draft(&with_trigger(TOPIC));
    world.write(&old.path, world.read(&old).replace("src/db/", "src/"));
    let old = world.store.find(old.id()).unwrap();
    assert!(!old.trust.is_trusted());
    let new = world.save("Pool of 60", INFO);
    let inherited = world.store.inherit_fields(&old, new.id(), &now()).unwrap();
    assert!(inherited.is_empty());
    assert_eq!(world.store.find(new.id()).unwrap().raw_text, new.raw_text);
}
