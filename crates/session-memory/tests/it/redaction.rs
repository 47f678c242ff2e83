//! Secrets that a user wrote into a file of memories: no text that is read for output holds them.

use crate::support::{INFO, PROMPT, TOPIC, TestMemories, draft, now};
use session_memory::{
    AgentContext, ConversationOrigin, EditReview, Importance, MemoryChange, MemoryError,
    MemoryScope, MemoryState, MemoryStats, TriggerEvent, export_memories, render_context_sheet,
};
use std::path::PathBuf;

const ID: &str = "mem-20260110-091500";
const PASSWORD: &str = "Hunter2!xyz99";
const TOKEN: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// A file whose parts all hold a secret: one keyword was copied from the body.
fn file_text() -> String {
    format!(
        "---\nid: {ID}\ntopic: The lantern takes {TOKEN}\nimportance: high\ntags: [lamp, \"password={PASSWORD}\"]\n\
         keywords: [lantern, \"{PASSWORD}\"]\ncues:\n- \"how does \\x67hp_{} work?\"\nwhen:\n  errors: [\"no password={PASSWORD} here\"]\n\
         created: 2026-01-10T09:15:00Z\nsource: {{origin: \"\\x67hp_{}\"}}\nmine: {TOKEN}\n---\n\n- The lantern has password={PASSWORD}\n",
        &TOKEN[4..],
        &TOKEN[4..]
    )
}

/// Writes the file by hand, among the user's own memories.
fn write_by_hand(world: &TestMemories) -> PathBuf {
    let directory = &world.store.directories()[1];
    assert_eq!(directory.scope, MemoryScope::Global);
    let path = directory.path.join(format!("active/{ID}.md"));
    world.write(&path, file_text());
    path
}

#[track_caller]
fn assert_redacted(text: &str, what: &str) {
    for secret in [PASSWORD, &TOKEN[4..]] {
        assert!(!text.contains(secret), "{what} holds {secret}: {text}");
    }
}

#[test]
fn a_secret_in_a_file_is_in_no_memory_that_is_read_for_output() {
    let world = TestMemories::new();
    write_by_hand(&world);
    let found = world.store.find(ID).unwrap();
    let listed = world.store.list(&[MemoryState::Active]).memories;
    for memory in [&found, &listed[0]] {
        assert_redacted(&format!("{:?}", memory.front), "the frontmatter");
        assert_redacted(&memory.body, "the body");
        assert_redacted(memory.text(), "the text");
        assert_eq!(memory.raw_text, file_text());
        assert!(memory.text().contains("mine: [redacted:github-token]"));
        assert_eq!(memory.front.keywords, ["lantern"]);
        assert_eq!(
            memory.key_info(),
            ["The lantern has password=[redacted:password]"]
        );
    }
    let export = export_memories(&world.store, &listed);
    assert_redacted(&serde_json::to_string(&export).unwrap(), "the export");
    assert_redacted(&render_context_sheet(&listed), "the context sheet");
    let stats = MemoryStats::read(&world.store, 15);
    assert_eq!(stats.keywords, ["lantern"]);
    assert_eq!(world.store.trusted_keywords(&[], usize::MAX), ["lantern"]);
    assert_eq!(world.search("lantern").len(), 1);
}

#[test]
fn a_key_that_cannot_be_redacted_is_left_out() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    world.write(&path, file_text().replace("mine: ", "mine: &"));
    let memory = world.store.find(ID).unwrap();
    assert_redacted(memory.text(), "the text");
    assert!(memory.text().contains("topic:") && !memory.text().contains("mine"));
}

#[test]
fn a_secret_in_a_file_is_in_no_view() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    world.save_global("Bell", "it rings at noon");
    let root = path.ancestors().nth(2).unwrap();
    let index = fs_err::read_to_string(root.join("index.md")).unwrap();
    let day = fs_err::read_to_string(root.join("daily/2026-01-10.md")).unwrap();
    assert!(index.contains("lantern") && day.contains("lantern"));
    assert_redacted(&(index + &day), "a view");
}

#[test]
fn a_secret_in_a_conversation_is_not_read() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    let raw = path.ancestors().nth(2).unwrap().join("raw");
    world.write(&raw.join(format!("{ID}.md")), format!("User: {TOKEN}?"));
    let memory = world.store.find(ID).unwrap();
    let conversation = world.store.read_conversation(&memory).unwrap().unwrap();
    assert_eq!(conversation.text, "User: [redacted:github-token]?");
    assert_eq!(conversation.origin, ConversationOrigin::Own);
}

#[test]
fn what_a_damaged_file_is_reported_for_holds_no_secret() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    let text = file_text().replace("importance: high", &format!("importance: {TOKEN}"));
    world.write(&path, text);
    let listed = world.store.list(&[MemoryState::Active]);
    assert!(listed.damaged[0].reason.contains("redacted"), "{listed:?}");
    assert_redacted(&listed.damaged[0].to_string(), "the damage");
    let error = world.store.find(ID).unwrap_err();
    assert!(matches!(&error, MemoryError::Damaged(_)), "{error}");
    assert_redacted(&error.to_string(), "the error");
    let change = MemoryChange {
        tags: Some(vec!["z".into()]),
        ..MemoryChange::default()
    };
    let error = world.store.change(ID, &change, &now()).unwrap_err();
    assert_redacted(&error.to_string(), "the error of a change");
    let bell = world.save_global("Bell", "it rings at noon");
    let text = format!(
        "---\nid: {}\ntopic: Bell\ncreated: {TOKEN}\n---\n",
        bell.id()
    );
    let replaced = world.store.replace(&bell, &text, EditReview::Seen, &now());
    assert_redacted(&replaced.unwrap_err().to_string(), "the error of an edit");
}

#[test]
fn a_change_redacts_the_text_that_it_keeps() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    for change in [
        MemoryChange {
            cues: Some(vec!["why is it dark?".into()]),
            ..MemoryChange::default()
        },
        MemoryChange {
            tags: Some(vec!["z".into()]),
            ..MemoryChange::default()
        },
    ] {
        world.write(&path, file_text());
        let changed = world.store.change(ID, &change, &now()).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        assert_redacted(&text, "the file");
        assert_eq!(changed.raw_text, text);
        assert!(text.contains("- The lantern has password=[redacted:password]"));
        assert!(text.contains("mine: [redacted:github-token]"), "{text}");
    }
}

#[test]
fn the_trust_of_a_memory_is_that_of_its_file() {
    let world = TestMemories::new();
    let own = world.save_draft(&draft("Lantern", "it is lit at dusk"));
    fs_err::write(&own.path, file_text().replace(ID, own.id())).unwrap();
    let changed = world.store.find(own.id()).unwrap();
    assert!(!changed.trust.is_trusted());
    world.store.trust(&[changed]).unwrap();
    let trusted = world.store.find(own.id()).unwrap();
    assert!(trusted.trust.is_trusted());
    assert_redacted(trusted.text(), "the text");
}

#[test]
fn no_half_of_a_secret_is_injected() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    let limit = world.settings.limits.item_chars;
    let event = TriggerEvent {
        commands: vec!["light the lantern".into()],
        may_be_denied: true,
        ..TriggerEvent::default()
    };
    for before in (limit - 120..limit).step_by(8) {
        let text = format!(
            "---\nid: {ID}\ntopic: {TOPIC}\nwhen:\n  commands: [\"light *\"]\ncreated: {}\n---\n\n- {INFO}{}{TOKEN}\n",
            now().timestamp(),
            " oil".repeat((before - TOPIC.len() - INFO.len()) / 4) + " ",
        );
        world.write(&path, text);
        let by_prompt = world.decide(PROMPT, None).decision.block_or_reason.ok();
        let by_call = world
            .injector()
            .explain_event(&event, None, None)
            .block_or_reason
            .ok();
        for block in [by_prompt, by_call] {
            let text = block.unwrap().text;
            assert!(text.contains(TOPIC) && !text.contains("ghp_"), "{text}");
        }
    }
}

#[test]
fn no_half_of_a_secret_is_in_an_overview() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    for words in 0..30 {
        let topic = format!("{}{TOKEN}", "oil ".repeat(words));
        let text = format!("---\nid: {ID}\ntopic: {topic}\ncreated: 2026-01-10\n---\n\n- oil\n");
        world.write(&path, text);
        let block = world.injector().begin_session(None, AgentContext::Empty);
        let text = block.unwrap().text;
        assert!(!text.contains("ghp_"), "{text}");
    }
}

/// A key is known by its lines, of which a block makes one.
#[test]
fn no_key_of_several_lines_is_injected() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz";
    let text = format!(
        "---\nid: {ID}\ntopic: {TOPIC}\nwhen:\n  commands: [\"light *\"]\ncreated: {}\n---\n\n{INFO}\n\n     \
         1\t-----BEGIN OPENSSH PRIVATE KEY-----\n     2\t{line}\n     3\t-----END OPENSSH PRIVATE KEY-----\n",
        now().timestamp(),
    );
    world.write(&path, text);
    let event = TriggerEvent {
        commands: vec!["light the lantern".into()],
        may_be_denied: true,
        ..TriggerEvent::default()
    };
    let injector = world.injector();
    let by_call = injector
        .explain_event(&event, None, None)
        .block_or_reason
        .ok();
    let by_prompt = world.decide(PROMPT, None).decision.block_or_reason.ok();
    for block in [by_prompt, by_call] {
        let text = block.unwrap().text;
        assert!(
            text.contains(TOPIC) && !text.contains(&line[..20]),
            "{text}"
        );
    }
}

/// Another memory that is replaced or purged changes it.
#[test]
fn a_key_that_cannot_be_redacted_stops_no_change_without_text() {
    let world = TestMemories::new();
    let path = write_by_hand(&world);
    world.write(&path, file_text().replace("mine: ", "mine: &"));
    let change = MemoryChange {
        importance: Some(Importance::Low),
        ..MemoryChange::default()
    };
    let changed = world.store.change(ID, &change, &now()).unwrap();
    assert_eq!(changed.front.importance, Importance::Low);
    let tagged = MemoryChange {
        tags: Some(vec!["brass".into()]),
        ..MemoryChange::default()
    };
    assert!(world.store.change(ID, &tagged, &now()).is_err());
}
