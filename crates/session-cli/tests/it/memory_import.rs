//! Memories that other programs kept, and an export.

use crate::memory::Project;
use serde_json::Value;

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

fn topics(answer: &Value) -> Vec<&str> {
    let mut topics: Vec<&str> = answer["imported"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["topic"].as_str().unwrap())
        .collect();
    topics.sort_unstable();
    topics
}

#[test]
fn days_of_cursor_memory_are_taken_over_whole_and_once() {
    let project = Project::new();
    let write = |path: &str, text: &str| {
        project.env.write(
            &project
                .env
                .home("shop/.cursor/skills/memory-data")
                .join(path),
            text,
        )
    };
    write("daily/2026-01-29.md", DAY);
    write("index/keywords.json", KEYWORDS);
    let import = ["memory", "import", "--format", "cursor-memory"];
    let answer = project.json(&import);
    assert_eq!(
        topics(&answer),
        [
            "A day whose file is lost",
            "The API moves to FastAPI",
            "记忆功能的设计"
        ]
    );
    let of = |topic: &str| {
        let all = answer["imported"].as_array().unwrap();
        all.iter().find(|m| m["topic"] == topic).unwrap().clone()
    };
    let zh = of("记忆功能的设计");
    assert_eq!(zh["id"], "mem-20260129-103045");
    assert_eq!(zh["key_info"][1], "第二条");
    assert_eq!(zh["tags"], serde_json::json!(["skill", "memory", "design"]));
    assert_eq!(zh["keywords"], serde_json::json!(["记忆", "设计"]));
    let en = of("The API moves to FastAPI");
    assert_eq!(
        en["key_info"],
        serde_json::json!(["Flask goes", "version 0.110"])
    );
    assert!(
        en["content"]
            .as_str()
            .unwrap()
            .contains("## Decisions\n\nAsync everywhere."),
        "{en}"
    );
    let again = project.json(&import);
    assert_eq!((topics(&again).len(), &again["known"]), (0, &3.into()));
    let ran = project
        .run(&["memory", "import", "--format", "cursor-memory", "nowhere"])
        .exits(2);
    assert!(
        ran.stderr().contains("nothing to import in `nowhere`") && ran.stderr().contains("hint: "),
        "{ran}"
    );
}

#[test]
fn folders_of_conversation_memory_are_taken_over_whole() {
    let project = Project::new();
    let write = |path: &str, text: &str| {
        let root = project
            .env
            .home("shop/.claude/data/conversation-memory/memories");
        project.env.write(&root.join(path), text);
    };
    write(
        "active/mem-20260118-190000/summary.md",
        "# Conversation Memory: Index timing\n\n## Metadata\n\n- **Time**: 2026-01-18 19:00:00\n- **Keywords**: index, timing\n- **sessionId**: abc-1\n\n## Summary\n\nThe index was blank.\n\n## Key Decisions\n\n- Generate the summary first\n",
    );
    write(
        "active/mem-20260118-190000/conversation.md",
        "User: why blank?\n",
    );
    write(
        "active/mem-20260118-190000/messages.json",
        "[{\"role\": \"user\"}]",
    );
    write(
        "archive/mem-20260110-080000/summary.md",
        "# 对话记忆：部署流程\n\n## 元信息\n\n- **时间**：2026-01-10 08:00:00\n- **关键词**：部署，流程\n\n## 关键决策\n\n- 用蓝绿部署\n",
    );
    let answer = project.json(&["memory", "import", "--format", "conversation-memory"]);
    assert_eq!(topics(&answer), ["Index timing", "部署流程"]);
    let en = project.json(&["memory", "show", "mem-20260118-190000"]);
    assert_eq!(
        en["key_info"],
        serde_json::json!(["Generate the summary first"])
    );
    assert_eq!(en["keywords"], serde_json::json!(["index", "timing"]));
    assert_eq!(en["source"]["session"], "abc-1");
    assert!(
        en["content"]
            .as_str()
            .unwrap()
            .contains("The index was blank."),
        "{en}"
    );
    let raw = en["raw"].as_str().unwrap();
    assert!(
        raw.contains("why blank?") && raw.contains("\"role\""),
        "{raw}"
    );
    let zh = project.json(&["memory", "show", "mem-20260110-080000"]);
    assert_eq!(
        (&zh["state"], &zh["key_info"][0]),
        (&"archive".into(), &"用蓝绿部署".into())
    );
    assert_eq!(zh["keywords"], serde_json::json!(["部署", "流程"]));
    assert_eq!(
        project.json(&["memory", "import", "--format", "conversation-memory"])["known"],
        2
    );
}

#[test]
fn an_export_comes_back_to_the_byte() {
    let from = Project::new();
    let id = from.save("Lantern", "in the harbour", &["--kind", "decision"]);
    let text = fs_err::read_to_string(from.file(&id))
        .unwrap()
        .replace("kind:", "mine: 1 # kept\nkind:");
    fs_err::write(from.file(&id), &text).unwrap();
    let gone = from.save("Gone", "by", &[]);
    from.run(&["memory", "archive", &gone]).succeeded();
    let to = Project::new();
    let file = to.env.path("memories.json");
    from.run(&["memory", "export", "--to", &file.to_string_lossy()])
        .succeeded();
    to.run(&["memory", "import", &file.to_string_lossy()])
        .succeeded();
    assert_eq!(fs_err::read_to_string(to.file(&id)).unwrap(), text);
    assert!(to.folder(&format!("archive/{gone}.md")).is_file());
    assert_eq!(
        to.json(&["memory", "import", &file.to_string_lossy()])["known"],
        2
    );
    to.run(&["memory", "import", &to.file(&id).to_string_lossy()])
        .exits(2);
}
