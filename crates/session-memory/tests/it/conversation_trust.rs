//! Conversations that came with a repository, or were changed, are not those that the user saved.

use crate::support::{INFO, TestMemories, draft, saved_from};
use crate::trust::{pull, theirs};
use session_memory::{ConversationOrigin, Memory, MemoryDraft, export_memories};
use std::path::PathBuf;

/// Returns the origin of a memory's conversation, and the conversation that an export gives.
fn conversation(world: &TestMemories, memory: &Memory) -> (ConversationOrigin, Option<String>) {
    let memory = world.store.find(memory.id()).unwrap();
    let raw = world.store.read_conversation(&memory).unwrap().unwrap();
    let document = export_memories(&world.store, &[memory]);
    let is_left_out = document.left_out_conversations == 1;
    assert_eq!(is_left_out, raw.origin == ConversationOrigin::Repository);
    let document = serde_json::to_value(document).unwrap();
    let exported = document["memories"][0]["raw"].as_str();
    (raw.origin, exported.map(str::to_owned))
}

fn conversation_file(world: &TestMemories, memory: &Memory) -> PathBuf {
    let root = &world.store.directories()[0].path;
    root.join("raw").join(format!("{}.md", memory.id()))
}

#[test]
fn a_conversation_of_a_repository_is_not_the_users() {
    let world = TestMemories::new();
    let saved = world.save_draft(&MemoryDraft {
        raw: Some("User: why?".to_owned()),
        ..draft("Saved", INFO)
    });
    let own = (ConversationOrigin::Own, Some("User: why?".to_owned()));
    assert_eq!(conversation(&world, &saved), own);
    let foreign = (ConversationOrigin::Repository, None);
    world.write(&conversation_file(&world, &saved), "User: forged");
    assert_eq!(conversation(&world, &saved), foreign);
    let plain = world.save("Saved without a conversation", INFO);
    world.write(&conversation_file(&world, &plain), "User: forged");
    assert_eq!(conversation(&world, &plain), foreign);
    pull(&world, INFO);
    world.store.trust(&[theirs(&world)]).unwrap();
    world.write(&conversation_file(&world, &theirs(&world)), "User: forged");
    assert_eq!(conversation(&world, &theirs(&world)), foreign);
}

#[test]
fn a_conversation_that_was_saved_before_hashes_were_recorded_is_not_verified() {
    let world = TestMemories::new();
    let saved = world.save_draft(&MemoryDraft {
        source: saved_from("s1"),
        ..draft("Saved", INFO)
    });
    world.write(&conversation_file(&world, &saved), "User: why?");
    let raw = Some("User: why?".to_owned());
    let unverified = (ConversationOrigin::Unverified, raw);
    assert_eq!(conversation(&world, &saved), unverified);
}
