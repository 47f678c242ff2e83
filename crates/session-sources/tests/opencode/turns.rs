//! Which messages open a turn, and what becomes of the others.

use crate::fixture::{
    Conversation, Home, assistant, bash, insert, read, session, show, text, tool, turns, user,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use session_core::ReadDetail::{Full, Index};
use session_core::{TEXT_LIMIT, TokenTotals, TurnContent, TurnSpan};

fn one(parts: Vec<Value>) -> Conversation {
    session("ses_a", vec![user(parts), assistant(vec![text("Done.")])])
}

#[test]
fn a_prompt_opens_a_turn_and_every_step_answers_it() {
    let conversation = session(
        "ses_a",
        vec![
            user(vec![
                text("Why does the server not start?"),
                text("It did yesterday."),
            ]),
            assistant(vec![
                json!({"type": "step-start"}),
                bash("lsof -i :8080", "node 4711\n", 0),
            ]),
            assistant(vec![
                text("Process 4711 holds port 8080."),
                json!({"type": "step-finish"}),
            ]),
            user(vec![text("Kill it.")]),
            assistant(vec![text("Killed.")]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @r#"
    0 typed: Why does the server not start?

    It did yesterday.
      {"id":"call_1","name":"Bash","command":"lsof -i :8080","failed":false}
      text: Process 4711 holds port 8080.
    1 typed: Kill it.
      text: Killed.
    "#);
}

#[test]
fn a_turn_is_tallied() {
    let step = |cached: u64, parts: Vec<Value>| {
        let mut message = assistant(parts);
        message.data["modelID"] = json!("sonnet");
        message.data["tokens"] = json!({"input": 20, "output": 10, "reasoning": 5, "cache": {"read": cached, "write": 3}});
        message
    };
    let opened = "https://github.com/ann/app/pull/7\n";
    let by_tool = |name: &str, address: &str| {
        tool(
            name,
            json!({"status": "completed", "input": {}, "output": address}),
        )
    };
    let messages = vec![
        user(vec![text("Open a pull request")]),
        step(100, vec![bash("make test", "1 failed", 2)]),
        step(
            200,
            vec![
                bash("gh pr create", opened, 0),
                bash("gh pr list", "https://github.com/ann/app/pull/6", 0),
                by_tool(
                    "github_create_pull_request",
                    "https://github.com/ann/app/pull/8",
                ),
                by_tool(
                    "github_get_pull_request",
                    "https://github.com/ann/app/pull/6",
                ),
            ],
        ),
    ];
    let home = Home::new();
    insert(&home.connect(), &session("ses_a", messages));
    let found = read(&home.database());
    let content = TurnContent::from_turn(&found.turns[0].turn);
    let runs: Vec<_> = content
        .command_runs()
        .map(|run| (run.command, run.status.is_failed()))
        .collect();
    assert_eq!(
        runs,
        [
            ("make test", true),
            ("gh pr create", false),
            ("gh pr list", false)
        ]
    );
    assert_eq!(content.turn_stats.models, ["sonnet"]);
    assert_eq!(
        content.turn_stats.tokens,
        TokenTotals {
            input: 46,
            cached: 300,
            output: 30
        }
    );
    let all_opened = [opened.trim(), "https://github.com/ann/app/pull/8"];
    assert_eq!(content.turn_stats.pull_requests, all_opened);
}

#[test]
fn turns_know_their_place_and_time() {
    let home = Home::new();
    let parts = || vec![text("words")];
    let messages = vec![
        user(parts()),
        assistant(parts()),
        assistant(parts()),
        user(parts()),
    ];
    insert(&home.connect(), &session("ses_a", messages));
    let found = read(&home.database());
    let turns: Vec<_> = found
        .turns
        .iter()
        .map(|collected| &collected.turn)
        .collect();
    let [first, second] = turns.as_slice() else {
        panic!("{turns:?}")
    };
    assert_eq!(first.span, TurnSpan { start: 0, end: 3 });
    assert_eq!(second.span, TurnSpan { start: 3, end: 4 });
    assert_eq!(first.origin.as_deref(), Some("msg_a_00"));
    assert_eq!(first.leaf.as_deref(), Some("msg_a_02"));
    assert_eq!((first.started_ms, first.ended_ms), (Some(1000), Some(3500)));
    assert_eq!(
        (second.started_ms, second.ended_ms),
        (Some(4000), Some(4500))
    );
    assert!(!first.continues && !second.continues);
}

#[test]
fn what_the_program_put_into_a_message_is_no_prompt() {
    let aside = json!({"type": "text", "text": "Called the Read tool.", "synthetic": true});
    let ignored = json!({"type": "text", "text": "Only for your eyes.", "ignored": true});
    let conversation = session(
        "ses_a",
        vec![
            user(vec![text("Look at @main.rs"), aside.clone(), ignored]),
            assistant(vec![text("Looked.")]),
            user(vec![aside]),
            assistant(vec![text("Went on.")]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @"
    0 typed: Look at @main.rs
      text: Looked.
      text: Went on.
    ");
    assert_snapshot!(turns(&conversation, Full), @"
    0 typed: Look at @main.rs
      notice: Called the Read tool.
      notice: Only for your eyes.
      text: Looked.
      notice: Called the Read tool.
      text: Went on.
    ");
}

#[test]
fn a_compaction_opens_no_turn_and_its_summary_is_only_shown() {
    let conversation = session(
        "ses_a",
        vec![
            user(vec![text("Fix the port.")]),
            user(vec![
                json!({"type": "compaction", "auto": true}),
                text("Compact, please."),
            ]),
            assistant(vec![text("The user wanted the port fixed.")]).with("summary", json!(true)),
            assistant(vec![text("Fixed.")]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @"
    0 typed: Fix the port.
      text: Fixed.
    ");
    assert_snapshot!(turns(&conversation, Full), @"
    0 typed: Fix the port.
      notice: Compact, please.
      summary: The user wanted the port fixed.
      text: Fixed.
    ");
}

#[test]
fn reasoning_is_only_shown_and_errors_are_found() {
    let error = json!({"name": "MessageAbortedError", "data": {"message": "Aborted"}});
    let conversation = session(
        "ses_a",
        vec![
            user(vec![text("Go on.")]),
            assistant(vec![
                json!({"type": "reasoning", "text": "What next?"}),
                json!({"type": "reasoning", "text": ""}),
                text("I shall"),
            ])
            .with("error", error),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @"
    0 typed: Go on.
      text: I shall
      error: MessageAbortedError: Aborted
    ");
    assert_snapshot!(turns(&conversation, Full), @"
    0 typed: Go on.
      thinking: What next?
      text: I shall
      error: MessageAbortedError: Aborted
    ");
}

#[test]
fn a_model_writes_the_prompts_of_a_subagent() {
    let mut conversation = one(vec![text("Find the tests.")]);
    conversation.parent = Some("ses_parent".to_owned());
    assert_snapshot!(turns(&conversation, Index), @"
    0 model: Find the tests.
      text: Done.
    ");
}

fn subtask(command: Option<&str>, prompt: &str) -> Value {
    json!({"type": "subtask", "prompt": prompt, "description": "review changes",
        "agent": "general", "command": command})
}

/// OpenCode's own template with the arguments in it.
fn review(arguments: &str) -> String {
    let template = "You are a code reviewer. Your job is to review code changes and say what is wrong.\n\n---\n\n\
        Input: $ARGUMENTS\n\n---\n\n## Determining What to Review\n\nRun `git diff $ARGUMENTS...HEAD`\n\n---\n\nEnd.";
    template.replace("$ARGUMENTS", arguments)
}

#[test]
fn commands_open_turns_with_what_was_typed() {
    let opened = |parts: Vec<Value>| {
        let turns = turns(&one(parts), Index);
        turns.lines().next().unwrap_or_default().to_owned()
    };
    let of_own = |arguments| opened(vec![subtask(Some("review"), &review(arguments))]);
    assert_snapshot!(of_own("the boiler\nand the pump"), @"0 command: /review the boiler");
    assert_snapshot!(of_own(""), @"0 command: /review");
    // Any other template: the arguments are somewhere in it.
    let others = "Look closely at the kiwi.";
    assert_snapshot!(opened(vec![subtask(Some("look"), others)]), @"0 command: /look Look closely at the kiwi.");
    assert_snapshot!(opened(vec![subtask(None, others)]), @"0 typed: Look closely at the kiwi.");
    // Without a subtask a command is a text like any other.
    assert_snapshot!(opened(vec![text(&review("main"))]), @"0 command: /review main");
    let init = "Create or update `AGENTS.md` for this repository.\n\nBe short.\n\n\
        User-provided focus or constraints (honor these):\nin English\n\n## How to investigate\n\nRead.";
    assert_snapshot!(opened(vec![text(init)]), @"0 command: /init in English");
    assert_snapshot!(opened(vec![text("You are a code reviewer. Your job is to review code changes")]), @"0 typed: You are a code reviewer. Your job is to review code changes");
}

#[test]
fn a_shell_command_opens_a_turn() {
    let marker = "The following tool was executed by the user";
    let marker = json!({"type": "text", "text": marker, "synthetic": true});
    let conversation = session(
        "ses_a",
        vec![
            user(vec![marker]),
            assistant(vec![bash("git status", "clean", 0)]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @r#"
    0 command: !git status
      {"id":"call_1","name":"Bash","command":"git status","failed":false}
    "#);
}

#[test]
fn what_was_typed_ends_before_attached_files() {
    let file = json!({"type": "file", "mime": "image/png", "filename": "screen.png", "url": "data:image/png;base64,AAAA"});
    let home = Home::new();
    insert(&home.connect(), &one(vec![text("What is this?"), file]));
    let found = read(&home.database());
    let turn = &found.turns[0].turn;
    assert_eq!(turn.prompt, "What is this?\n\n@screen.png");
    assert_eq!(turn.typed_prompt(), "What is this?");
}

#[test]
fn attached_files_are_named() {
    let named = json!({"type": "file", "mime": "image/png", "filename": "screen.png", "url": "data:image/png;base64,AAAA"});
    let linked = json!({"type": "file", "mime": "text/plain", "url": "file:///home/ann/app/a.rs"});
    let pasted = json!({"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"});
    assert_snapshot!(turns(&one(vec![named.clone(), linked]), Index), @"
    0 typed: @screen.png @/home/ann/app/a.rs
      text: Done.
    ");
    let asked = |words: &str| {
        turns(
            &one(vec![text(words), named.clone(), pasted.clone()]),
            Index,
        )
    };
    assert_snapshot!(asked("What is this?"), @"
    0 typed: What is this?

    @screen.png
      text: Done.
    ");
    assert_snapshot!(asked("What is @screen.png?"), @"
    0 typed: What is @screen.png?
      text: Done.
    ");
    assert_snapshot!(turns(&one(vec![pasted]), Index), @"
    0 none: 
      text: Done.
    ");
}

#[test]
fn changed_files_are_named_once() {
    let edit = tool(
        "edit",
        json!({"status": "completed", "input": {"filePath": "src/main.rs"}}),
    );
    let patch = json!({"type": "patch", "hash": "1", "files":
        ["/home/ann/app/src/main.rs", "/home/ann/app/src/domain.rs", "/home/ann/app/Cargo.lock"]});
    let conversation = session(
        "ses_a",
        vec![
            user(vec![text("Add a crate.")]),
            assistant(vec![edit, patch.clone(), patch]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @r#"
    0 typed: Add a crate.
      {"id":"call_1","name":"Edit","files":["/home/ann/app/src/main.rs"],"failed":false}
      {"id":"","name":"Patch","files":["/home/ann/app/src/domain.rs","/home/ann/app/Cargo.lock"],"failed":false}
    "#);
    let home = Home::new();
    insert(&home.connect(), &conversation);
    let found = read(&home.database());
    let shown = show(&home.database(), &found);
    let content = TurnContent::from_turn(&shown[0]);
    assert_eq!(content, TurnContent::from_turn(&found.turns[0].turn));
    assert_eq!((content.tools.len(), content.files.len()), (1, 3));
}

#[test]
fn questions_to_the_user_and_their_answers_are_said() {
    let ask = |state: Value| {
        let mut question = tool("question", state);
        question["state"]["input"] = json!({"questions": [
            {"question": "Which database?", "header": "DB", "options": [{"label": "SQLite"}]},
            {"question": "Which ports?", "header": "Ports", "multiple": true}]});
        let messages = vec![user(vec![text("Set it up.")]), assistant(vec![question])];
        let home = Home::new();
        insert(&home.connect(), &session("ses_a", messages));
        let found = read(&home.database());
        let content = TurnContent::from_turn(&found.turns[0].turn);
        let shown = show(&home.database(), &found);
        assert_eq!(content, TurnContent::from_turn(&shown[0]));
        (content.prompt, content.answer)
    };
    let answers = json!({"answers": [["SQLite"], ["80", "one of my own"]]});
    let (prompt, answer) = ask(json!({"status": "completed", "output": "", "metadata": answers}));
    assert_eq!(prompt, "Set it up.\n\nSQLite\n80, one of my own");
    assert_eq!(answer, "Which database?\nWhich ports?");
    let dismissed = ask(json!({"status": "error", "error": "The user dismissed this question"}));
    assert_eq!(dismissed, ("Set it up.".to_owned(), answer));
}

#[test]
fn a_file_that_a_command_changed_is_named_where_it_was_only_read_before() {
    let call = |name: &str, status: &str, file: &str| {
        tool(name, json!({"status": status, "input": {"filePath": file}}))
    };
    let patch =
        json!({"type": "patch", "files": ["/srv/read.rs", "/srv/failed.rs", "/srv/edited.rs"]});
    let steps = vec![
        call("read", "completed", "/srv/read.rs"),
        call("edit", "error", "/srv/failed.rs"),
        call("edit", "completed", "/srv/edited.rs"),
        patch,
    ];
    let conversation = session("ses_a", vec![user(vec![text("Go.")]), assistant(steps)]);
    let turns = turns(&conversation, Index);
    assert_snapshot!(turns.lines().last().unwrap(), @r#"  {"id":"","name":"Patch","files":["/srv/read.rs","/srv/failed.rs"],"failed":false}"#);
}

#[test]
fn an_answer_without_a_prompt_is_kept() {
    let conversation = session("ses_a", vec![assistant(vec![text("Hello.")])]);
    assert_snapshot!(turns(&conversation, Index), @"
    0 none: 
      text: Hello.
    ");
}

#[test]
fn reminders_are_no_words_of_the_user() {
    let reminded = "Fix it.\n<system-reminder>Plan mode.</system-reminder>\nSoon.\n<system-reminder>\nx</system-reminder>";
    let alone = "<system-reminder>Plan mode.</system-reminder>";
    let open = "What does <system-reminder> mean?";
    let conversation = session(
        "ses_a",
        vec![
            user(vec![text(reminded)]),
            user(vec![text(alone)]),
            user(vec![text(open)]),
        ],
    );
    assert_snapshot!(turns(&conversation, Index), @"
    0 typed: Fix it.
    Soon.
    1 typed: What does <system-reminder> mean?
    ");
}

#[test]
fn long_prompts_are_cut_at_a_character() {
    let home = Home::new();
    let long = format!("a{}", "ä\n\u{1F600}".repeat(TEXT_LIMIT / 4));
    insert(
        &home.connect(),
        &session("ses_a", vec![user(vec![text(&long)])]),
    );
    let found = read(&home.database());
    let prompt = &found.turns[0].turn.prompt;
    assert!(long.starts_with(prompt.as_str()));
    assert!(
        (TEXT_LIMIT - 8..=TEXT_LIMIT).contains(&prompt.len()),
        "{}",
        prompt.len()
    );
}

#[test]
fn long_messages_are_read_as_short_ones() {
    let output = "All is well. ".repeat(30_000);
    let output = output.as_str();
    let calls = |of| (0..4).map(move |n| bash(&format!("make part{of}{n}"), output, 0));
    let talk = (0..4).flat_map(|n| {
        let question = format!("Now build part {n} of it.");
        let answer = std::iter::once(text("Done.")).chain(calls(n));
        [user(vec![text(&question)]), assistant(answer.collect())]
    });
    let turns = turns(&session("ses_a", talk.collect()), Index);
    let prompts = turns.lines().filter(|line| line.contains("typed"));
    assert_eq!(
        prompts.collect::<Vec<_>>(),
        (0..4)
            .map(|n| format!("{n} typed: Now build part {n} of it."))
            .collect::<Vec<_>>()
    );
    assert_eq!(turns.matches("make part").count(), 16);
}
