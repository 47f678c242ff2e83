//! Files of memories: saved, found by id, changed, moved, removed.

use crate::support::{INFO, TestMemories, days_ago, draft, now};
use session_memory::{
    EditReview, Importance, Memory, MemoryChange, MemoryDraft, MemoryError, MemoryKind,
    MemoryScope, MemoryState, StorageLocation, write_context_sheet,
};
use std::collections::HashSet;

#[test]
fn a_saved_memory_is_a_markdown_file_with_frontmatter() {
    let world = TestMemories::new();
    let memory = world.save_draft(&MemoryDraft {
        kind: MemoryKind::KnownIssue,
        importance: Importance::High,
        tags: vec!["#db".into()],
        ..draft("Pool: too small", "raise DB_POOL")
    });
    let text = world.read(&memory);
    for part in [
        "id: mem-",
        "topic: \"Pool: too small\"\n",
        "kind: known-issue\n",
        "importance: high\n",
        "- db\n",
        "\n- raise DB_POOL\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("cues"), "{text}");
    assert_eq!(memory.key_info(), ["raise DB_POOL"]);
}

#[test]
fn a_change_keeps_other_keys_comments_and_notes() {
    let world = TestMemories::new();
    let memory = world.save("Pool", "raise DB_POOL");
    let edited = world
        .read(&memory)
        .replace("kind:", "mood: calm # mine\nkind:");
    fs_err::write(&memory.path, edited + "\n## Notes\n\nMore of it.\n").unwrap();
    let change = MemoryChange {
        topic: Some("Pools".into()),
        key_info: Some(vec!["one".into()]),
        ..MemoryChange::default()
    };
    let changed = world.store.change(memory.id(), &change, &now()).unwrap();
    let text = world.read(&changed);
    assert!(text.contains("mood: calm # mine\nkind:"), "{text}");
    assert!(
        text.contains("\n---\n\n- one\n\n## Notes\n\nMore of it.\n"),
        "{text}"
    );
    assert_eq!(changed.front.topic, "Pools");
}

#[cfg(unix)]
#[test]
fn files_and_directories_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let world = TestMemories::new();
    let memory = world.save("a", "b");
    let mode = |path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(memory.path.as_path()), 0o600);
    let active = memory.path.parent().unwrap();
    assert_eq!(mode(active), 0o700);
    assert_eq!(mode(active.parent().unwrap()), 0o700);
}

#[test]
fn a_draft_needs_a_topic_and_content() {
    let world = TestMemories::new();
    for draft in [draft(" ", "info"), draft("topic", " ")] {
        let error = world.store.save(&draft, None, &now()).unwrap_err();
        let is_refused = matches!(error, MemoryError::NoTopic | MemoryError::NoContent);
        assert!(is_refused && error.hint().is_some(), "{error}");
    }
}

#[test]
fn blank_texts_are_kept_nowhere() {
    let world = TestMemories::new();
    let blank = || vec!["one".to_owned(), String::new(), " ".to_owned()];
    let memory = world.save_draft(&MemoryDraft {
        key_info: blank(),
        tags: blank(),
        notes: "## Notes\n\nMore.".to_owned(),
        ..draft("Pool", "")
    });
    assert_eq!(memory.body, "- one\n\n## Notes\n\nMore.\n");
    assert_eq!(memory.front.tags, ["one"]);
    let change = |key_info: &[&str], tags: &[&str]| {
        let texts = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        let change = MemoryChange {
            key_info: texts(key_info),
            tags: texts(tags),
            ..MemoryChange::default()
        };
        world.store.change(memory.id(), &change, &now())
    };
    let changed = change(&["two", ""], &["", "#db"]).unwrap();
    assert_eq!(changed.body, "- two\n\n## Notes\n\nMore.\n");
    assert_eq!(changed.front.tags, ["db"]);
    let cleared = change(&[""], &[""]).unwrap();
    assert_eq!(cleared.body, "## Notes\n\nMore.\n");
    assert_eq!(cleared.front.tags, [""; 0]);
    assert!(!cleared.front.keywords.contains(&String::new()));

    let plain = world.save("Plain", "no notes");
    let change = MemoryChange {
        key_info: Some(vec![" ".into()]),
        ..MemoryChange::default()
    };
    let error = world.store.change(plain.id(), &change, &now()).unwrap_err();
    assert!(matches!(error, MemoryError::NoContent), "{error}");
    assert_eq!(world.read(&plain), plain.raw_text);
}

#[test]
fn a_damaged_file_is_reported_and_the_others_are_listed() {
    let world = TestMemories::new();
    world.save("Pool", "raise DB_POOL");
    let path = world.file(MemoryState::Active, "mem-x");
    world.write(&path, "---\nid: mem-x\ntopic: [a\n---\n");
    let listing = world.store.list(&[MemoryState::Active]);
    assert_eq!(listing.memories.len(), 1);
    assert_eq!(
        (&listing.damaged[0].path, listing.damaged[0].line),
        (&path, Some(3))
    );
}

#[test]
fn a_file_that_git_could_not_merge_is_named_as_such() {
    let world = TestMemories::new();
    let memory = world.save("Pool", "raise DB_POOL");
    let ours = "<<<<<<< HEAD\nkind: todo\n=======\nkind: decision\n>>>>>>> side\nkind:";
    world.write(&memory.path, memory.raw_text.replacen("kind:", ours, 1));
    let damaged = world.store.list(&[MemoryState::Active]).damaged;
    assert_eq!(damaged[0].reason, "it has an unresolved git conflict");
    assert_eq!(damaged[0].line, Some(4));
    let error = world.store.find(memory.id()).unwrap_err();
    let hint = "keep one version and remove git's marks; then `session-search trust`";
    assert_eq!(error.hint().unwrap(), hint);
    // The text below the frontmatter is a memory's with git's marks, too.
    let both = "\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> side\n";
    world.write(&memory.path, format!("{}{both}", memory.raw_text));
    let error = world.store.find(memory.id()).unwrap_err();
    assert_eq!(error.hint().unwrap(), hint);
    // What a memory says of such a conflict is no damage.
    let notes = format!("{}<<<<<<< HEAD\n", memory.raw_text);
    world.write(&memory.path, notes);
    assert!(world.store.find(memory.id()).is_ok());
    let told = world
        .store
        .save(&draft("Merges", &format!("git writes{both}")), None, &now());
    assert!(world.store.find(told.unwrap().id()).is_ok(), "trusted");
}

#[test]
fn each_scope_has_a_directory_of_its_own() {
    let world = TestMemories::new();
    world.save_global("Tabs for makefiles", "never spaces");
    world.save("Tabs for the shop", "never spaces");
    let topics = |project: &str, location| {
        let store = world.store_of(project, location);
        let all = store.list(&[MemoryState::Active]).memories.into_iter();
        all.map(|m| m.front.topic).collect::<Vec<_>>()
    };
    let both = topics("shop", StorageLocation::ProjectFirst);
    assert_eq!(both.len(), 2, "{both:?}");
    let own = topics("shop", StorageLocation::ProjectOnly);
    assert_eq!(own, ["Tabs for the shop"]);
    let global = topics("shop", StorageLocation::GlobalOnly);
    assert_eq!(global, ["Tabs for makefiles"]);
    let elsewhere = topics("", StorageLocation::ProjectFirst);
    assert_eq!(elsewhere, ["Tabs for makefiles"]);
}

#[test]
fn a_memory_of_a_scope_that_is_not_kept_is_refused() {
    let world = TestMemories::new();
    let store = world.store_of("shop", StorageLocation::ProjectOnly);
    let global = Some(MemoryScope::Global);
    let new = draft("Tabs", "never spaces");
    let error = store.save(&new, global, &now()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`storage.location` keeps no global memories"
    );
}

#[test]
fn an_id_is_found_by_a_unique_prefix() {
    let world = TestMemories::new();
    let first = world.store.save(&draft("First", "one"), None, &days_ago(1));
    let first = first.unwrap();
    let second = world.save("Second", "two");
    for id in [first.id(), &first.id()["mem-".len()..], &first.id()[..12]] {
        assert_eq!(world.store.find(id).unwrap().front.topic, "First", "{id}");
    }
    let error = world.store.find("mem-").unwrap_err();
    let MemoryError::Ambiguous { found, .. } = error else {
        panic!("{error}");
    };
    assert!(found.contains(&second.id().to_owned()), "{found:?}");
    assert!(matches!(
        world.store.find("mem-2"),
        Err(MemoryError::Ambiguous { .. })
    ));
    for id in ["", "mem-1999"] {
        assert!(matches!(world.store.find(id), Err(MemoryError::Unknown(_))));
    }
}

#[test]
fn a_complete_id_is_no_prefix_of_a_longer_one() {
    let world = TestMemories::new();
    let memory = world.save("First", "one");
    let longer = format!("{}-2", memory.id());
    fs_err::rename(&memory.path, world.file(MemoryState::Active, &longer)).unwrap();
    let error = world.store.find(memory.id()).unwrap_err();
    assert!(matches!(error, MemoryError::Unknown(_)), "{error}");
    assert_eq!(world.store.find(&longer).unwrap().front.topic, "First");
}

/// A merge of "archived here, edited there" leaves two files.
#[test]
fn of_two_files_with_one_id_the_active_one_is_found_and_none_is_overwritten() {
    let world = TestMemories::new();
    let memory = world.save("First", "one");
    let archived = world.file(MemoryState::Archive, memory.id());
    world.write(&archived, world.read(&memory).replace("First", "Second"));
    let found = world.store.find(memory.id()).unwrap();
    assert_eq!(found.front.topic, "First");
    let error = world.move_to(&found, MemoryState::Archive);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("would be lost"), "{error}");
    world
        .store
        .purge(std::slice::from_ref(&found), &now())
        .unwrap();
    let error = world.store.find(memory.id()).unwrap_err();
    assert!(matches!(error, MemoryError::Unknown(_)), "{error}");
}

#[test]
fn an_edited_text_replaces_a_file_that_is_unchanged() {
    let world = TestMemories::new();
    let memory = world.save("Lantern", "in the harbour");
    let text = memory.raw_text.replace("harbour", "tower");
    let replace = |text: &str| world.store.replace(&memory, text, EditReview::Seen, &now());
    for bad in [
        "no memory",
        &text.replace("topic: Lantern", "topic: ["),
        &text.replace(memory.id(), "mem-other"),
        &text.replace("kind:", "when: {paths: ['app/[id']}\nkind:"),
    ] {
        assert!(replace(bad).is_err(), "{bad}");
        assert_eq!(world.read(&memory), memory.raw_text);
    }
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let own = format!("ticket: \"{token}\" # or {token}\nkind:");
    let secret = text.replace("Lantern", &format!("Lantern {token} # kept")) + token;
    let secret = secret.replacen("kind:", &own, 1);
    let replaced = replace(&secret).unwrap();
    assert!(!replaced.raw_text.contains(token), "{}", replaced.raw_text);
    assert!(replaced.front.topic.starts_with("Lantern "));
    assert!(
        replaced.raw_text.contains("ticket: "),
        "{}",
        replaced.raw_text
    );
    assert_eq!(replaced.key_info(), ["in the tower"]);
    let error = replace(&text).unwrap_err().to_string();
    assert!(error.contains("changed by somebody else"), "{error}");
}

#[test]
fn cues_are_stored_on_one_line_each_and_once() {
    let world = TestMemories::new();
    let cues = [
        "indent  this\nfile",
        " ",
        "indent this file",
        "format: the code",
    ];
    let memory = world.save_draft(&MemoryDraft {
        cues: cues.map(str::to_owned).to_vec(),
        ..draft("Tabs", "never tabs")
    });
    assert_eq!(memory.front.cues, ["indent this file", "format: the code"]);
    let change = MemoryChange {
        cues: Some(vec!["which indent".into()]),
        ..MemoryChange::default()
    };
    let changed = world.store.change(memory.id(), &change, &now()).unwrap();
    assert_eq!(changed.front.cues, ["which indent"]);
    assert_eq!(changed.key_info(), memory.key_info());
    assert_eq!(changed.front.keywords, memory.front.keywords);
}

#[test]
fn cues_written_by_hand_may_be_missing_or_one_text() {
    let world = TestMemories::new();
    let memory = world.save_draft(&MemoryDraft {
        cues: vec!["a".into(), "- b".into()],
        ..draft("Pool", "raise DB_POOL")
    });
    let text = world.read(&memory);
    let (head, rest) = text.split_once("cues:").unwrap();
    let rest = rest.split_once("created:").unwrap().1;
    let read = |cues: &str| {
        fs_err::write(&memory.path, format!("{head}cues:{cues}\ncreated:{rest}")).unwrap();
        world.store.find(memory.id())
    };
    let cues = |cues: &str| read(cues).unwrap().front.cues;
    assert_eq!(cues("\n- a\n- '- b'"), ["a", "- b"]);
    assert_eq!(cues(""), [""; 0]);
    assert_eq!(cues(" null"), [""; 0]);
    assert_eq!(cues(" how to deploy"), ["how to deploy"]);
    assert_eq!(cues("\n- a\n-"), ["a"]);
    let Err(MemoryError::Damaged(damage)) = read("\n- how to: deploy") else {
        panic!("a map is no cue");
    };
    assert_eq!(damage.line, Some(12));
}

#[test]
fn memories_that_are_saved_at_once_are_all_kept() {
    const WRITERS: usize = 4;
    const EACH: usize = 5;
    let world = TestMemories::new();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let world = &world;
            scope.spawn(move || {
                for n in 0..EACH {
                    world.save(&format!("Writer {writer}, {n}"), "info");
                }
            });
        }
    });
    let topics = world.topics(&[MemoryState::Active]);
    assert_eq!(topics.len(), WRITERS * EACH, "{topics:?}");
    let index = world.store.directories()[0].path.join("index.md");
    let index = fs_err::read_to_string(index).unwrap();
    assert_eq!(index.matches("| mem-").count(), WRITERS * EACH);
}

#[test]
fn the_context_sheet_holds_important_memories_and_no_other_file_is_overwritten() {
    let world = TestMemories::new();
    world.save_draft(&MemoryDraft {
        importance: Importance::Low,
        ..draft("Low", "never mind")
    });
    world.save_draft(&MemoryDraft {
        importance: Importance::High,
        kind: MemoryKind::Decision,
        ..draft("Money is an integer", "of <minor> units")
    });
    let all = world.store.list(&[MemoryState::Active]).memories;
    let root = session_files::Dir::open(&world.project("")).unwrap();
    assert!(write_context_sheet(&root, &all).unwrap());
    assert!(!write_context_sheet(&root, &all).unwrap(), "it is the same");
    let sheet = world.project(".claude/session-search-context.md");
    let text = fs_err::read_to_string(&sheet).unwrap();
    let line = "[decision] Money is an integer; of <minor> units (mem-";
    assert!(
        text.contains(line) && !text.contains("never mind"),
        "{text}"
    );
    for number in 0..60 {
        world.save_draft(&MemoryDraft {
            importance: Importance::High,
            ..draft(&format!("Decision {number}"), "as it was said at length")
        });
    }
    let all = world.store.list(&[MemoryState::Active]).memories;
    assert!(write_context_sheet(&root, &all).unwrap());
    let len = fs_err::metadata(&sheet).unwrap().len();
    assert!((2800..=3000).contains(&len), "{len} bytes");
    world.write(&sheet, "# My own notes\n");
    assert!(write_context_sheet(&root, &all).is_err());
    let text = fs_err::read_to_string(&sheet).unwrap();
    assert_eq!(text, "# My own notes\n");
}

#[test]
fn ids_of_one_second_differ_in_all_directories() {
    let world = TestMemories::new();
    let at = now();
    let save = |scope: MemoryScope| {
        let ids = (0..8).map(|n| {
            let draft = draft(&format!("Pier {n} of {scope:?}"), INFO);
            let memory = world.store.save(&draft, Some(scope), &at).unwrap();
            memory.id().to_owned()
        });
        ids.collect::<Vec<String>>()
    };
    let ids: HashSet<String> = std::thread::scope(|threads| {
        let scopes = [MemoryScope::Project, MemoryScope::Global];
        let running = scopes.map(|scope| threads.spawn(move || save(scope)));
        let saved = running.map(|thread| thread.join().unwrap());
        saved.into_iter().flatten().collect()
    });
    assert_eq!(ids.len(), 16);
}

#[test]
fn a_conversation_stays_where_git_takes_its_memory_to_another_branch() {
    let world = TestMemories::new();
    let memory = world.save_draft(&MemoryDraft {
        raw: Some("User: why?".to_owned()),
        ..draft("Pool", INFO)
    });
    let away = world.home().join("other-branch.md");
    fs_err::rename(&memory.path, &away).unwrap();
    world.save("Another", "on this branch");
    let orphaned = world.store.list_orphaned_conversations();
    assert!(orphaned.len() == 1 && orphaned[0].ends_with(memory.path.file_name().unwrap()));
    fs_err::rename(&away, &memory.path).unwrap();
    assert!(world.store.list_orphaned_conversations().is_empty());
    let raw = world.store.read_conversation(&memory).unwrap().unwrap();
    assert_eq!(raw.text, "User: why?");
    world
        .store
        .purge(std::slice::from_ref(&memory), &now())
        .unwrap();
    assert_eq!(world.store.read_conversation(&memory).unwrap(), None);
}

#[test]
fn a_cycle_of_replacements_that_was_written_by_hand_is_named_once() {
    let world = TestMemories::new();
    let all = ["Lantern", "Kestrel", "Quay", "Mast"].map(|topic| world.save(topic, "info"));
    // The first leads into the cycle of the others.
    for (memory, by) in [(0, 1), (1, 2), (2, 3), (3, 1)] {
        let key = format!("superseded_by: {}\ncreated", all[by].id());
        let text = all[memory].raw_text.replacen("created", &key, 1);
        world.write(&all[memory].path, text);
    }
    let damaged = world.store.list(&[MemoryState::Active]).damaged;
    let [cycle] = damaged.as_slice() else {
        panic!("{damaged:?}");
    };
    assert!(
        !cycle.reason.contains(&format!("{},", all[0].id())),
        "{cycle}"
    );
    for memory in &all[1..] {
        assert!(cycle.reason.contains(memory.id()), "{cycle}");
    }
    assert!(cycle.line > Some(1) && cycle.hint.is_some());
}

/// In one project the memory of another one is not seen, but the global one is.
#[test]
fn an_id_of_another_project_is_not_given_to_a_global_memory() {
    let world = TestMemories::new();
    fs_err::create_dir_all(world.home().join("other/.git")).unwrap();
    let other = world.store_of("other", StorageLocation::ProjectFirst);
    let now = now();
    let theirs = other.save(&draft("Theirs", "info"), None, &now).unwrap();
    let scope = Some(MemoryScope::Global);
    let global = world
        .store
        .save(&draft("Mine", "info"), scope, &now)
        .unwrap();
    assert_ne!(theirs.id(), global.id());
    assert_eq!(other.find(global.id()).unwrap().front.topic, "Mine");
}

#[test]
fn memories_of_several_ids_are_found_each_once() {
    let world = TestMemories::new();
    let (one, two) = (
        world.save("Lantern", "x"),
        world.save_global("Kestrel", "x"),
    );
    let ids = [two.id(), one.id(), &two.id()["mem-".len()..]];
    let found = world.store.find_all(&ids).unwrap();
    let found: Vec<&str> = found.iter().map(Memory::id).collect();
    assert_eq!(found, [two.id(), one.id()]);
    assert!(world.store.find_all(&[one.id(), "mem-none"]).is_err());
}

#[test]
fn memories_of_one_second_are_listed_by_their_numbers() {
    let world = TestMemories::new();
    let at = now();
    let save = |n| world.store.save(&draft(&format!("{n}"), "info"), None, &at);
    (1..=12).for_each(|n| assert!(save(n).is_ok()));
    let newest: Vec<String> = (1..=12).rev().map(|n| n.to_string()).collect();
    assert_eq!(world.topics(&[MemoryState::Active]), newest);
}
