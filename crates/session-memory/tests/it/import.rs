//! Import of other programs' memories, and of an export.

use crate::support::{INFO, PROMPT, TOPIC, TestMemories, days_ago, draft, now};
use serde_json::json;
use session_memory::{
    ImportFormat, ImportInput, ImportReport, Memory, MemoryDraft, MemoryError, MemoryScope,
    MemoryState, StorageLocation, Trust, archive_memories, export_memories, find_unused,
    import_memories,
};
use std::path::Path;

const DAY: &str = "# 2026-01-29 对话记忆

## Session 1 - 10:30:45

### 主题
记忆功能的设计

### 关键信息
- 检索方式：关键词加模型筛选
- 第二条

### 标签
#skill #memory

---

## Session 2 - 11:00:00

### Topic
The API moves to FastAPI

### Key Information
- Flask goes
- version 0.110

### Decisions
Async everywhere.

### Tags
#api

---
";
const KEYWORDS: &str = r##"{"version": "1.0", "entries": [
    {"id": "2026-01-29-001", "date": "2026-01-29", "session": 1, "keywords": ["记忆", "设计"], "summary": "记忆功能的设计", "tags": ["#design"], "line_range": [3, 14]},
    {"id": "2026-01-28-001", "date": "2026-01-28", "session": 1, "keywords": ["lost"], "summary": "A day whose file is lost", "tags": []}
]}"##;

fn import(
    world: &TestMemories,
    format: ImportFormat,
    path: &Path,
    scope: Option<MemoryScope>,
) -> session_memory::Result<ImportReport> {
    let from = ImportInput::Path {
        path,
        home: world.home(),
    };
    import_memories(&world.store, format, from, scope, &now())
}

/// Imports from the format's default path in the project.
fn import_default(
    world: &TestMemories,
    format: ImportFormat,
) -> session_memory::Result<ImportReport> {
    let path = world.project(format.default_path().unwrap());
    import(world, format, &path, None)
}

fn find<'a>(report: &'a ImportReport, topic: &str) -> &'a Memory {
    let mut all = report.imported.iter();
    all.find(|memory| memory.front.topic == topic).unwrap()
}

#[test]
fn days_of_cursor_memory_are_imported_whole_and_once() {
    let world = TestMemories::new();
    let root = world.project(".cursor/skills/memory-data");
    world.write(&root.join("daily/2026-01-29.md"), DAY);
    world.write(&root.join("index/keywords.json"), KEYWORDS);
    let report = import_default(&world, ImportFormat::CursorMemory).unwrap();
    assert_eq!(report.imported.len(), 3);
    let zh = find(&report, "记忆功能的设计");
    assert_eq!(zh.id(), "mem-20260129-103045");
    assert_eq!(zh.key_info()[1], "第二条");
    assert_eq!(zh.front.tags, ["skill", "memory", "design"]);
    assert_eq!(zh.front.keywords, ["记忆", "设计"]);
    let en = find(&report, "The API moves to FastAPI");
    assert_eq!(en.key_info(), ["Flask goes", "version 0.110"]);
    assert!(en.body.contains("## Decisions\n\nAsync everywhere."));
    find(&report, "A day whose file is lost");
    let again = import_default(&world, ImportFormat::CursorMemory).unwrap();
    assert_eq!((again.imported.len(), again.known), (0, 3));
}

#[test]
fn text_of_cursor_memory_beside_its_template_is_kept() {
    let world = TestMemories::new();
    let root = world.project(".cursor/skills/memory-data");
    let day = "# 2026-01-15\n\n## Session 1\n\n### Topic\nPool\n\n### Key Info\nThe pool was raised \
               after the outage.\n- pool is 40\n1. first\n\n### Tags\n#db\ntrailing words\n\n## Session 1\n\n\
               ### Topic\nSecond thing\n\n### Key Info\n- two\n";
    world.write(&root.join("daily/2026-01-15.md"), day);
    let report = import_default(&world, ImportFormat::CursorMemory).unwrap();
    assert_eq!(report.imported.len(), 2);
    let texts: String = report.imported.iter().map(|m| m.raw_text.clone()).collect();
    for part in [
        "The pool was raised after the outage.",
        "- pool is 40",
        "1. first",
        "trailing words",
        "Second thing",
        "- two",
    ] {
        assert!(texts.contains(part), "{part}: {texts}");
    }
    world.write(&root.join("index/keywords.json"), "{broken");
    let error = import_default(&world, ImportFormat::CursorMemory).unwrap_err();
    assert!(error.to_string().contains("keywords.json"), "{error}");
}

#[test]
fn directories_of_conversation_memory_are_imported_whole() {
    let world = TestMemories::new();
    let root = world.project(".claude/data/conversation-memory/memories");
    for (path, text) in [
        (
            "active/mem-20260118-190000/summary.md",
            "# Conversation Memory: Index timing\n\n## Metadata\n\n- **Time**: 2026-01-18 19:00:00\n- **Keywords**: index, timing\n- **sessionId**: abc-1\n\n## Summary\n\nThe index was blank.\n\n## Key Decisions\n\n- Generate the summary first\n",
        ),
        (
            "active/mem-20260118-190000/conversation.md",
            "User: why blank?\n",
        ),
        (
            "active/mem-20260118-190000/messages.json",
            "[{\"role\": \"user\"}]",
        ),
        (
            "archive/mem-20260110-080000/summary.md",
            "# 对话记忆：部署流程\n\n## 元信息\n\n- **时间**：2026-01-10 08:00:00\n- **关键词**：部署，流程\n\n## 关键决策\n\n- 用蓝绿部署\n",
        ),
    ] {
        world.write(&root.join(path), text);
    }
    let report = import_default(&world, ImportFormat::ConversationMemory).unwrap();
    assert_eq!(report.imported.len(), 2);
    let en = find(&report, "Index timing");
    assert_eq!(en.id(), "mem-20260118-190000");
    assert_eq!(en.key_info(), ["Generate the summary first"]);
    assert_eq!(en.front.keywords, ["index", "timing"]);
    assert!(en.was_saved_in("abc-1"));
    let saved_in = |sessions: &[&str]| -> Vec<String> {
        let is_meant = |memory: &Memory| sessions.iter().any(|id| memory.was_saved_in(id));
        let memories = world.store.list_where(is_meant, |_| true);
        memories
            .iter()
            .map(|memory| memory.id().to_owned())
            .collect()
    };
    assert_eq!(saved_in(&["abc-1", "abc-2"]), [en.id()]);
    assert_eq!(saved_in(&["abc-2"]), [""; 0]);
    assert!(en.body.contains("The index was blank."));
    let raw = world.store.read_conversation(en).unwrap().unwrap().text;
    assert!(
        raw.contains("why blank?") && raw.contains("\"role\""),
        "{raw}"
    );
    let zh = find(&report, "部署流程");
    assert_eq!(zh.state, MemoryState::Archive);
    assert_eq!(zh.key_info(), ["用蓝绿部署"]);
    let again = import_default(&world, ImportFormat::ConversationMemory).unwrap();
    assert_eq!((again.imported.len(), again.known), (0, 2));
}

#[test]
fn an_export_is_imported_to_the_byte() {
    let from = TestMemories::new();
    let memory = from.save("Lantern", "in the harbour");
    let text = memory.raw_text.replace("kind:", "mine: 1 # kept\nkind:");
    fs_err::write(&memory.path, &text).unwrap();
    let gone = from.save("Gone", "by");
    archive_memories(&from.store, std::slice::from_ref(&gone), now().timestamp()).unwrap();
    let edited = from.store.find(memory.id()).unwrap();
    from.store.trust(&[edited]).unwrap();
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_value(export_memories(&from.store, &all)).unwrap();
    assert_eq!(document["format"], json!("session-search-memories"));

    let to = TestMemories::new();
    let path = to.home().join("memories.json");
    to.write(&path, document.to_string());
    let format = ImportFormat::SessionSearch;
    let report = import(&to, format, &path, None).unwrap();
    assert_eq!(find(&report, "Lantern").raw_text, text);
    assert_eq!(find(&report, "Gone").state, MemoryState::Archive);
    let again = import(&to, format, &path, None).unwrap();
    assert_eq!((again.imported.len(), again.known), (0, 2));
    assert!(import(&to, format, &memory.path, None).is_err());
}

/// A memory that somebody moves here is in use: it is not archived for the days before.
#[test]
fn an_old_memory_counts_as_used_once_it_is_imported() {
    let from = TestMemories::new();
    let draft = draft("Lantern", "in the harbour");
    from.store.save(&draft, None, &days_ago(40)).unwrap();
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_value(export_memories(&from.store, &all)).unwrap();
    let to = TestMemories::new();
    let path = to.home().join("memories.json");
    to.write(&path, document.to_string());
    import(&to, ImportFormat::SessionSearch, &path, None).unwrap();
    let unused = |world: &TestMemories| {
        find_unused(&world.store, MemoryState::Active, 14, now().timestamp())
    };
    assert_eq!((unused(&from).len(), unused(&to).len()), (1, 0));
}

#[test]
fn a_memory_whose_id_is_taken_is_imported_once_under_another_one() {
    let from = TestMemories::new();
    let old = from.save("Old lantern", "in the harbour");
    let new = from.save("New lantern", "in the tower");
    let old = from.store.supersede(old.id(), new.id(), &now()).unwrap();
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();

    let to = TestMemories::new();
    // Another machine chose the ids, for memories of another time.
    let created = new.front.created.to_string();
    for (id, topic) in [(old.id(), "Taken"), (new.id(), "Taken, too")] {
        let text = new.raw_text.replace("New lantern", topic);
        let text = text.replace(&created, "2026-01-10T09:15:00Z");
        to.write(&to.file(MemoryState::Active, id), text);
    }
    let path = to.home().join("memories.json");
    to.write(&path, document);
    let format = ImportFormat::SessionSearch;
    let report = import(&to, format, &path, None).unwrap();
    let by = find(&report, "New lantern").id();
    assert_ne!(by, new.id());
    let replaced = find(&report, "Old lantern");
    assert_eq!(replaced.front.superseded_by.as_deref(), Some(by));
    let again = import(&to, format, &path, None).unwrap();
    assert_eq!((again.imported.len(), again.known), (0, 2));
}

#[test]
fn an_export_with_an_unknown_state_or_scope_is_refused_and_a_mark_before_it_is_not() {
    let from = TestMemories::new();
    from.save("Lantern", "in the harbour");
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();
    let to = TestMemories::new();
    let path = to.home().join("memories.json");
    let format = ImportFormat::SessionSearch;
    for (known, unknown) in [("\"active\"", "\"activ\""), ("\"project\"", "\"projects\"")] {
        to.write(&path, document.replace(known, unknown));
        let error = import(&to, format, &path, None).unwrap_err().to_string();
        assert!(error.contains(&unknown.replace('"', "`")), "{error}");
    }
    to.write(&path, format!("\u{feff}{document}"));
    let report = import(&to, format, &path, None).unwrap();
    assert_eq!(report.imported.len(), 1);
}

#[test]
fn a_missing_path_is_nothing_to_import() {
    let world = TestMemories::new();
    for format in [ImportFormat::CursorMemory, ImportFormat::ConversationMemory] {
        let error = import(&world, format, &world.project("nowhere"), None).unwrap_err();
        assert_nothing_there(&error, "name the folder");
        let error = import(&world, format, &world.home().join("nowhere"), None).unwrap_err();
        assert_nothing_there(&error, "name the folder");
    }
    let path = world.home().join("nowhere.json");
    let error = import(&world, ImportFormat::SessionSearch, &path, None).unwrap_err();
    assert_nothing_there(&error, "name a file");
}

fn assert_nothing_there(error: &MemoryError, hint: &str) {
    let is_nothing = matches!(error, MemoryError::NothingToImport { .. });
    assert!(is_nothing, "{error}");
    assert!(error.hint().unwrap().starts_with(hint), "{error}");
}

#[test]
fn memories_from_a_repository_are_untrusted_and_stay_in_the_project() {
    let world = TestMemories::new();
    let root = world.project(".claude/data/conversation-memory/memories");
    let summary = format!("# Memory: {TOPIC}\n\n## Key points\n\n- {INFO}\n");
    world.write(&root.join("active/mem-a/summary.md"), &summary);
    let path = world.project(".claude/data/conversation-memory");
    let format = ImportFormat::ConversationMemory;
    let global = Some(MemoryScope::Global);
    assert!(import(&world, format, &path, global).is_err());
    let report = import(&world, format, &path, None).unwrap();
    assert_eq!(report.imported[0].trust, Trust::Waiting);
    assert_eq!(world.inject(PROMPT, "s1"), [""; 0]);
    world.store.trust(&report.imported).unwrap();
    assert_eq!(world.inject(PROMPT, "s1"), [report.imported[0].id()]);
}

#[test]
fn a_global_memory_of_an_export_stays_global() {
    let from = TestMemories::new();
    let local = from.save("Lantern", "in the harbour");
    let global = from.save_global("Tabs", "never tabs");
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();
    let scopes = |location, path: &str, scope| {
        let to = TestMemories::new();
        let path = to.home().join(path);
        to.write(&path, &document);
        let from = ImportInput::Path {
            path: &path,
            home: to.home(),
        };
        let store = to.store_of("shop", location);
        let format = ImportFormat::SessionSearch;
        let report = import_memories(&store, format, from, scope, &now()).unwrap();
        [&local, &global].map(|memory| find(&report, &memory.front.topic).scope)
    };
    use MemoryScope::{Global, Project};
    use StorageLocation::{GlobalOnly, ProjectFirst, ProjectOnly};
    let global = Some(Global);
    assert_eq!(scopes(ProjectFirst, "all.json", None), [Project, Global]);
    assert_eq!(scopes(ProjectFirst, "all.json", global), [Global, Global]);
    assert_eq!(scopes(GlobalOnly, "all.json", global), [Global, Global]);
    // Where there is no other directory, or nothing of it may be believed.
    assert_eq!(scopes(ProjectOnly, "all.json", None), [Project, Project]);
    let in_repository = "shop/all.json";
    assert_eq!(scopes(ProjectFirst, in_repository, None), [Project; 2]);
}

/// It would be injected in all projects.
#[test]
fn a_projects_memory_is_left_out_where_there_is_no_project() {
    let from = TestMemories::new();
    from.save("Lantern", "in the harbour");
    from.save_global("Tabs", "never tabs");
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();
    let to = TestMemories::new();
    let store = to.store_of("shop", StorageLocation::GlobalOnly);
    let import = |scope| {
        let format = ImportFormat::SessionSearch;
        import_memories(&store, format, ImportInput::Text(&document), scope, &now()).unwrap()
    };
    let counts = |report: &ImportReport| {
        let imported = report.imported.len();
        (imported, report.known, report.without_project)
    };
    let report = import(None);
    assert_eq!(counts(&report), (1, 0, 1));
    find(&report, "Tabs");
    assert_eq!(counts(&import(None)), (0, 1, 1));
    let report = import(Some(MemoryScope::Global));
    assert_eq!(counts(&report), (1, 1, 0));
    assert_eq!(counts(&import(None)), (0, 2, 0));
}

#[test]
fn the_text_of_an_export_is_imported_without_a_file() {
    let from = TestMemories::new();
    from.save("Lantern", "in the harbour");
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();
    let to = TestMemories::new();
    let import = |format, text: &str| {
        import_memories(&to.store, format, ImportInput::Text(text), None, &now())
    };
    let report = import(ImportFormat::SessionSearch, &document).unwrap();
    find(&report, "Lantern");
    for format in ImportFormat::ALL {
        let error = import(format, "lantern").unwrap_err().to_string();
        assert!(error.starts_with("nothing to import in `-`: "), "{error}");
    }
}

/// An import that fails in the middle, as one that is killed does, is completed by the next one, which keeps all ids.
#[test]
fn an_import_that_was_interrupted_is_completed() {
    let from = TestMemories::new();
    let plain = from.save("Plain", "x");
    let talk = from.save_draft(&MemoryDraft {
        raw: Some("User: why?".to_owned()),
        ..draft("Talk", "x")
    });
    let last = from.save("Last", "x");
    let all = [plain.clone(), talk.clone(), last.clone()];
    let document = export_memories(&from.store, &all);

    let to = TestMemories::new();
    let path = to.home().join("all.json");
    to.write(&path, serde_json::to_string(&document).unwrap());
    let ignore = to.store.directories()[0].path.join("raw/.gitignore");
    to.write(&ignore, "# somebody else's\n");
    let run = || import(&to, ImportFormat::SessionSearch, &path, None);
    assert!(run().is_err());
    assert_eq!(to.topics(&[MemoryState::Active]), ["Plain"]);
    fs_err::remove_file(&ignore).unwrap();
    let report = run().unwrap();
    assert_eq!((report.known, report.imported.len()), (1, 2));
    for memory in &all {
        assert_eq!(
            to.store.find(memory.id()).unwrap().raw_text,
            memory.raw_text
        );
    }
}

#[test]
fn no_part_of_a_secret_becomes_a_keyword() {
    let world = TestMemories::new();
    let cursor = world.project(".cursor/skills/memory-data/daily/2026-01-29.md");
    let day = "## Session 1\n\n### Topic\nLantern\n\n### Key Info\n- password=Hunter2!xyz99\n";
    world.write(&cursor, day);
    let summary = world
        .project(".claude/data/conversation-memory/memories/active/mem-20260118-190000/summary.md");
    let text = "# Memory: Bell\n\n## Key Points\n\n- password=Hunter2!xyz99\n";
    world.write(&summary, text);
    for (format, topic) in [
        (ImportFormat::CursorMemory, "Lantern"),
        (ImportFormat::ConversationMemory, "Bell"),
    ] {
        let report = import_default(&world, format).unwrap();
        let memory = find(&report, topic);
        assert_eq!(memory.key_info(), ["password=[redacted:password]"]);
        assert_eq!(memory.front.keywords, [topic]);
    }
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_left_out() {
    let world = TestMemories::new();
    let root = world.project(".cursor/skills/memory-data");
    let daily = root.join("daily");
    let odd = daily.join("2026-01-09.md");
    fs_err::create_dir_all(&odd).unwrap();
    let error = import_default(&world, ImportFormat::CursorMemory).unwrap_err();
    let refused = format!("`{}` is not a regular file", odd.display());
    assert_eq!(error.to_string(), refused);
    world.write(&daily.join("2026-01-29.md"), DAY);
    std::os::unix::fs::symlink(world.home(), daily.join("2026-01-10.md")).unwrap();
    let report = import_default(&world, ImportFormat::CursorMemory).unwrap();
    assert_eq!(report.imported.len(), 2);
    assert_eq!(report.skipped[0], refused);
    assert!(report.skipped[1].contains("is a link"), "{report:?}");

    let root = world.project(".claude/data/conversation-memory/memories/active");
    fs_err::create_dir_all(root.join("mem-20260117-190000/summary.md")).unwrap();
    let text = "# Memory: Bell\n\n## Key Points\n\n- it rings\n";
    world.write(&root.join("mem-20260118-190000/summary.md"), text);
    let report = import_default(&world, ImportFormat::ConversationMemory).unwrap();
    assert_eq!((report.imported.len(), report.skipped.len()), (1, 1));
}

#[test]
fn of_imports_at_once_one_imports() {
    let from = TestMemories::new();
    for topic in ["Lantern", "Buoy", "Quay"] {
        from.save(topic, "in the harbour");
    }
    let all = from.store.list(&MemoryState::ALL).memories;
    let document = serde_json::to_string(&export_memories(&from.store, &all)).unwrap();
    let to = TestMemories::new();
    let import = || {
        let text = ImportInput::Text(&document);
        let report = import_memories(&to.store, ImportFormat::SessionSearch, text, None, &now());
        report.unwrap().imported.len()
    };
    let imported: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(import)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(imported, 3);
    assert_eq!(to.store.list(&MemoryState::ALL).memories.len(), 3);
}
