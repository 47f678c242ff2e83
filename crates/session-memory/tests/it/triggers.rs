//! Memories with triggers: saved, changed, and injected for what an agent does.

use crate::support::{INFO, PROMPT, TOPIC, TestMemories, context_id, draft, now, saved_from};
use session_memory::{
    GateVerdict, InjectionSwitch, Memory, MemoryChange, MemoryDraft, MemoryState, TriggerChange,
    TriggerEvent, TriggeredBlock, Triggers,
};

pub fn triggers() -> Triggers {
    Triggers {
        paths: vec!["db/**".into()],
        commands: vec!["terraform *".into()],
        errors: vec!["PoolTimedOut".into()],
    }
}

pub fn save(world: &TestMemories) -> Memory {
    world.save_draft(&MemoryDraft {
        when: triggers(),
        ..draft(TOPIC, INFO)
    })
}

pub fn reading(path: &str) -> TriggerEvent {
    TriggerEvent {
        paths: vec![path.to_owned()],
        ..TriggerEvent::default()
    }
}

pub fn ids(world: &TestMemories, event: &TriggerEvent, session: &str) -> Vec<String> {
    let given = world
        .injector()
        .inject_for_event(event, &context_id(session));
    given.map_or_else(Vec::new, |given| given.block.ids)
}

#[test]
fn triggers_are_saved_in_the_file_and_changed_one_sort_at_a_time() {
    let world = TestMemories::new();
    let memory = save(&world);
    let text = world.read(&memory);
    insta::assert_snapshot!(
        text[text.find("when:").unwrap()..text.find("created:").unwrap()].trim_end(),
        @r#"
    when:
      paths:
      - db/**
      commands:
      - terraform *
      errors:
      - PoolTimedOut
    "#
    );
    let change = |when: TriggerChange| {
        let change = MemoryChange {
            when,
            ..MemoryChange::default()
        };
        world.store.change(memory.id(), &change, &now())
    };
    let paths = |paths: &[&str]| TriggerChange {
        paths: Some(paths.iter().map(|path| (*path).to_owned()).collect()),
        ..TriggerChange::default()
    };
    let changed = change(paths(&["src/**", ""])).unwrap().front.when;
    let expected = Triggers {
        paths: vec!["src/**".into()],
        ..triggers()
    };
    assert_eq!(changed, expected);
    assert!(
        change(paths(&["["]))
            .unwrap_err()
            .to_string()
            .contains("not a glob")
    );
    let none = TriggerChange {
        commands: Some(vec![]),
        errors: Some(vec![]),
        ..paths(&[])
    };
    let memory = change(none).unwrap();
    assert!(!world.read(&memory).contains("when"));
}

#[test]
fn a_glob_that_is_none_is_not_saved() {
    let world = TestMemories::new();
    let draft = MemoryDraft {
        when: Triggers {
            commands: vec!["a[".into()],
            ..Triggers::default()
        },
        ..draft(TOPIC, INFO)
    };
    assert!(world.store.save(&draft, None, &now()).is_err());
}

#[test]
fn a_memory_is_injected_once_a_session_where_a_trigger_matches() {
    let world = TestMemories::new();
    let memory = save(&world);
    world.save("Fonts", "when db/schema.sql is read");
    assert_eq!(ids(&world, &reading("src/main.rs"), "s1"), [""; 0]);
    let block = world
        .injector()
        .inject_for_event(&reading("db/schema.sql"), &context_id("s1"))
        .unwrap()
        .block;
    let line = format!("[context] {TOPIC}; {INFO} ({})", memory.id());
    assert!(block.text.contains(&line), "{}", block.text);
    assert_eq!(ids(&world, &reading("db/schema.sql"), "s1"), [""; 0]);
    assert_eq!(world.inject(PROMPT, "s1"), [""; 0], "it was injected");
    let command = TriggerEvent {
        commands: vec!["cd x".into(), "terraform apply".into()],
        ..TriggerEvent::default()
    };
    assert_eq!(ids(&world, &command, "s2"), [memory.id()]);
    let error = TriggerEvent {
        errors: vec!["Exit code 1\nPoolTimedOut".into()],
        ..TriggerEvent::default()
    };
    assert_eq!(ids(&world, &error, "s3"), [memory.id()]);
    assert_eq!(world.inject(PROMPT, "s4"), [memory.id()]);
    assert_eq!(ids(&world, &error, "s4"), [""; 0], "a prompt injected it");
}

#[test]
fn a_memory_that_the_agent_read_is_not_injected_unless_it_changes() {
    let world = TestMemories::new();
    let memory = save(&world);
    let shown = [&memory.id()["mem-".len()..], "mem-none"];
    world.injector().record_shown(&shown, &context_id("s1"));
    let reading = reading("db/schema.sql");
    assert_eq!(ids(&world, &reading, "s1"), [""; 0]);
    assert_eq!(ids(&world, &reading, "s2"), [memory.id()]);
    let change = MemoryChange {
        key_info: Some(vec!["the pool has 80 connections".into()]),
        ..MemoryChange::default()
    };
    world.store.change(memory.id(), &change, &now()).unwrap();
    assert_eq!(ids(&world, &reading, "s1"), [memory.id()]);
    world.injector().record_shown(&shown, &context_id("s3"));
    world.injector().forget_shown(&shown, &context_id("s3"));
    assert_eq!(
        ids(&world, &reading, "s3"),
        [memory.id()],
        "it was not read"
    );
}

#[test]
fn a_call_that_fails_to_show_a_memory_forgets_none_that_was_known() {
    let world = TestMemories::new();
    let memory = save(&world);
    let edit = |session: &str| {
        let event = TriggerEvent {
            may_be_denied: true,
            ..reading("db/schema.sql")
        };
        let given = world
            .injector()
            .inject_for_event(&event, &context_id(session));
        given.map(|given| given.is_denial)
    };
    let show = |session: &str, fails: bool| {
        world
            .injector()
            .record_shown(&[memory.id()], &context_id(session));
        if fails {
            world
                .injector()
                .forget_shown(&[memory.id()], &context_id(session));
        }
    };
    assert_eq!(edit("s1"), Some(true));
    show("s1", true);
    assert_eq!(edit("s1"), None, "it was injected");
    show("s2", false);
    show("s2", true);
    assert_eq!(edit("s2"), None, "it was read");
    show("s3", true);
    assert_eq!(edit("s3"), Some(true), "it was not");
}

#[test]
fn a_memory_denies_one_call() {
    let world = TestMemories::new();
    let save_for = |path: &str| {
        world.save_draft(&MemoryDraft {
            when: Triggers {
                paths: vec![path.to_owned()],
                ..Triggers::default()
            },
            ..draft(TOPIC, INFO)
        })
    };
    let gate: Vec<Memory> = (0..12).map(|_| save_for("gate.rs")).collect();
    let edit = || {
        let event = TriggerEvent {
            may_be_denied: true,
            ..reading("gate.rs")
        };
        world.injector().inject_for_event(&event, &context_id("s1"))
    };
    let count = |given: TriggeredBlock| (given.block.ids.len(), given.is_denial);
    assert_eq!(edit().map(count), Some((5, true)));
    assert_eq!(edit().map(count), Some((5, false)), "the rest comes later");
    save_for("gate.rs");
    assert_eq!(edit().map(count), Some((3, true)), "one is new");
    assert_eq!(edit().map(count), None);
    let change = MemoryChange {
        key_info: Some(vec!["the pool has 80 connections".into()]),
        ..MemoryChange::default()
    };
    world.store.change(gate[0].id(), &change, &now()).unwrap();
    assert_eq!(edit().map(count), Some((1, true)), "it changed");
}

#[test]
fn an_error_that_stands_in_a_prompt_triggers() {
    let world = TestMemories::new();
    let memory = save(&world);
    let prompt = "the nightly job says PoolTimedOut since friday";
    let decision = world.decide(prompt, None).decision;
    assert_eq!(decision.block_or_reason.unwrap().ids, [memory.id()]);
    assert_eq!(decision.candidates[0].verdict, GateVerdict::Triggered);
    let pasted = |text: &str| {
        format!(
            "<pasted_content id=\"1\">{}{text}</pasted_content id=\"1\">",
            "a line\n".repeat(90)
        )
    };
    let paste = pasted("error: PoolTimedOut");
    assert_eq!(world.inject(&paste, "s1"), [memory.id()]);
    assert_eq!(world.inject(&format!("{paste}\nwhy?"), "s2"), [memory.id()]);
    assert_eq!(world.inject(prompt, "s2"), [""; 0], "it was injected");
    let notification = format!("<task-notification>{prompt}</task-notification>");
    for none in [notification.as_str(), "draw a ship named PoolTimed"] {
        assert_eq!(world.inject(none, "s3"), [""; 0], "{none}");
    }
}

#[test]
fn an_error_that_is_a_plain_word_or_a_path_is_not_looked_for_in_prompts() {
    let world = TestMemories::new();
    let errors = ["timeout", "Timeout", "ui/dist", "code 137"];
    let errors = errors.map(str::to_owned).to_vec();
    let memory = world.save_draft(&MemoryDraft {
        when: Triggers {
            errors,
            ..Triggers::default()
        },
        ..draft("Fonts", "are below assets")
    });
    assert_eq!(
        world.inject("Timeout of what? the timeout of ui/dist is new", "s1"),
        [""; 0]
    );
    assert_eq!(world.inject("it ended with code 137", "s1"), [memory.id()]);
}

#[test]
fn what_is_switched_off_replaced_or_own_is_not_triggered() {
    let mut world = TestMemories::new();
    let memory = save(&world);
    let event = reading("db/a.sql");
    world
        .state_file("s1")
        .switch_injection(InjectionSwitch::Off)
        .unwrap();
    assert_eq!(ids(&world, &event, "s1"), [""; 0]);
    assert_eq!(ids(&world, &event, "s1/a1"), [""; 0], "its subagent");
    world.settings.enabled = false;
    assert_eq!(ids(&world, &event, "s2"), [""; 0]);
    world.settings.enabled = true;
    let new = world.save_draft(&MemoryDraft {
        when: triggers(),
        source: saved_from("s2"),
        ..draft("New", INFO)
    });
    world
        .store
        .supersede(memory.id(), new.id(), &now())
        .unwrap();
    assert_eq!(ids(&world, &event, "s2"), [""; 0]);
    assert_eq!(ids(&world, &event, "s2/a1"), [new.id()], "its subagent");
    assert_eq!(ids(&world, &event, "s3"), [new.id()]);
    world.move_to(&new, MemoryState::Archive).unwrap();
    assert_eq!(ids(&world, &event, "s4"), [""; 0]);
}

#[test]
fn triggers_written_by_hand_may_be_one_text_or_nothing() {
    let world = TestMemories::new();
    let memory = save(&world);
    let text = world.read(&memory);
    let (head, rest) = text.split_once("when:").unwrap();
    let tail = &rest[rest.find("created:").unwrap()..];
    let read = |when: &str| {
        world.write(&memory.path, format!("{head}{when}{tail}"));
        world
            .store
            .find(memory.id())
            .map(|memory| memory.front.when)
    };
    let one = read("when: {paths: 'db/**'}\n").unwrap();
    assert_eq!(one.paths, ["db/**"]);
    assert!(read("when:\n").unwrap().is_empty());
    assert!(read("when: {files: a}\n").is_err());
}

#[test]
fn a_path_within_the_project_is_kept_from_its_root() {
    let world = TestMemories::new();
    let root = fs_err::canonicalize(world.project("")).unwrap();
    let inside = format!("{}/db/", root.display());
    let memory = world.save_draft(&MemoryDraft {
        when: Triggers {
            paths: vec![inside],
            ..Triggers::default()
        },
        ..draft("Tables", INFO)
    });
    assert_eq!(memory.front.when.paths, ["/db/"]);
    assert_eq!(ids(&world, &reading("db/a.sql"), "s1"), [memory.id()]);
}
