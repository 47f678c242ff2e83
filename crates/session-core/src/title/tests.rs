use super::*;
use crate::session::{ToolCall, Turn, TurnPart};
use proptest::prelude::*;

const TEMPLATE: &str = "You review one file of the harbour control program for mistakes.";

fn line(text: &str) -> OpeningLine<'_> {
    OpeningLine {
        text,
        first_line: 0,
    }
}

#[track_caller]
fn differs(openings: &[&str], expected: &[Option<&str>]) {
    let lines: Vec<OpeningLine<'_>> = openings.iter().map(|text| line(text)).collect();
    let rests = split_templates(&lines).into_iter();
    let rests: Vec<Option<&str>> = rests.map(|split| split.map(|split| split.rest)).collect();
    assert_eq!(rests, expected);
}

#[test]
fn what_follows_a_template_is_what_differs() {
    let [a, b, c] = ["Lamps: src/lamp.rs", "src/gate.rs", "src/gauge.rs"]
        .map(|task| format!("{TEMPLATE} {task}"));
    differs(
        &[&a, "Oil the gate", &b, &c],
        &[
            Some("Lamps: src/lamp.rs"),
            None,
            Some("src/gate.rs"),
            Some("src/gauge.rs"),
        ],
    );
}

#[test]
fn a_prompt_that_is_typed_again_has_no_template() {
    let again = format!("{TEMPLATE} Please be careful");
    differs(&[TEMPLATE, &again], &[None, None]);
    differs(&[TEMPLATE, TEMPLATE, TEMPLATE, &again], &[None; 4]);
    let long = TEMPLATE.repeat(2);
    let [a, b] = ["lamp", "gate"].map(|task| format!("{long} {task}"));
    differs(&[&a, &b], &[Some("lamp"), Some("gate")]);
}

#[test]
fn a_template_that_is_not_filled_keeps_its_words() {
    let [a, b] = ["lamp", "gate"].map(|task| format!("{TEMPLATE}\u{20}{task}"));
    let bare = format!("{TEMPLATE} …");
    differs(
        &[&a, TEMPLATE, &b, &bare],
        &[Some("lamp"), None, Some("gate"), None],
    );
}

#[test]
fn a_template_within_a_template_is_removed() {
    let review = "Your task is to review the change that is named here with care:";
    let tasks = ["lamp", "gate", "gauge"].map(|task| format!("{TEMPLATE} {review} {task}"));
    let other = format!("{TEMPLATE} Write the release notes");
    differs(
        &[&tasks[0], &other, &tasks[1], &tasks[2]],
        &[
            Some("lamp"),
            Some("Write the release notes"),
            Some("gate"),
            Some("gauge"),
        ],
    );
}

#[test]
fn a_word_is_not_cut_unless_its_script_has_no_spaces() {
    let [a, b, c] = ["rev1", "rev2", "rev34"].map(|rev| format!("{TEMPLATE} {rev}"));
    differs(&[&a, &b, &c], &[Some("rev1"), Some("rev2"), Some("rev34")]);
    let template = "请检查港口控制程序的这一部分是否有错误".repeat(3);
    let [a, b, c] = ["灯塔", "灯光", "大门"].map(|part| format!("{template}{part}"));
    differs(&[&a, &b, &c], &[Some("灯塔"), Some("灯光"), Some("大门")]);
    let word = "a-name-without-a-space-that-is-longer-than-forty-characters";
    let [a, b, c] = ["a", "b", "c"].map(|end| format!("{word}-{end}"));
    differs(&[&a, &b, &c], &[None; 3]);
}

#[test]
fn a_long_path_is_cut_after_a_folder() {
    let path = "/home/ann/a-project-with-a-name-that-is-longer-than-forty/src";
    let [a, b, c] = ["/lamp.rs", "/gate.rs", " whole"].map(|end| format!("{path}{end}"));
    differs(
        &[&a, &b, &c],
        &[Some("src/lamp.rs"), Some("src/gate.rs"), Some("src whole")],
    );
    let [a, b, c] = ["lamp", "gate", "gauge"].map(|end| format!("{TEMPLATE} {path}/{end}.rs"));
    differs(
        &[&a, &b, &c],
        &[Some("lamp.rs"), Some("gate.rs"), Some("gauge.rs")],
    );
}

#[test]
fn what_follows_what_differs_in_several_openings_is_of_the_template() {
    let tail = "Tick each task off when it is done, and note what was found beside it.";
    let [a, b, c, d] = [
        "1 lamp.md",
        "2 gate.md",
        "3 gauge.md",
        "4 the boiler needs oil",
    ]
    .map(|task| format!("{TEMPLATE} {task}"));
    let [a, b, c] = [a, b, c].map(|task| format!("{task} {tail}"));
    differs(
        &[&a, &b, &c, &d],
        &[
            Some("1 lamp.md"),
            Some("2 gate.md"),
            Some("3 gauge.md"),
            Some("4 the boiler needs oil"),
        ],
    );
    let whole = format!("2 gate.md {tail}");
    differs(
        &[&a, &a, &b, &d],
        &[
            Some(&*format!("1 lamp.md {tail}")),
            Some(&*format!("1 lamp.md {tail}")),
            Some(&*whole),
            Some("4 the boiler needs oil"),
        ],
    );
    let [a, b, c] = [&a, &b, &c].map(|prompt| &**prompt);
    let ended = [
        Some("… 1 lamp.md…"),
        Some("… 2 gate.md…"),
        Some("… 3 gauge.md…"),
    ];
    check_titles(&[a, b, c], &ended);
}

#[test]
fn a_first_line_that_several_prompts_share_is_a_template_at_any_length() {
    let [a, b, c] = ["Oil the gate", "# Hang the lamp", "Oil the pump"]
        .map(|task| format!("[[ ## query ## ]]\n{task}"));
    check_titles(&[&a, &b], &[None, None]);
    check_titles(
        &[&a, &b, &c, "[[ ## query ## ]] in one line"],
        &[
            Some("… Oil the gate"),
            Some("… Hang the lamp"),
            Some("… Oil the pump"),
            None,
        ],
    );
    let [a, b, c] = ["gate", "lamp", "pump"].map(|part| format!("Oil it\nThe {part}"));
    check_titles(
        &[&a, &b, &c, "Oil it", "---\na", "---\nb", "---\nc"],
        &[
            Some("… The gate"),
            Some("… The lamp"),
            Some("… The pump"),
            None,
            None,
            None,
            None,
        ],
    );
}

#[test]
fn a_template_within_what_follows_a_short_first_line_is_removed() {
    let [a, b, c] = ["gate", "lamp", "pump"].map(|part| format!("Hello\n{TEMPLATE} {part}"));
    check_titles(
        &[&a, &b, &c, "Hello\nOil the gate"],
        &[
            Some("… gate"),
            Some("… lamp"),
            Some("… pump"),
            Some("… Oil the gate"),
        ],
    );
}

#[test]
fn a_heading_is_a_title_without_its_mark() {
    for (prompt, title) in [
        (
            "# Task: Oil the gate\n\nIt creaks.",
            "Task: Oil the gate It creaks.",
        ),
        ("\n### Oil", "Oil"),
        ("#7340 creaks", "#7340 creaks"),
    ] {
        assert_eq!(prompt_title(prompt), title);
    }
}

#[test]
fn a_title_may_say_only_what_the_template_says() {
    let template = "Your name is Dori. You are executing tasks from a Playbook of Maestro 2026.";
    let prompts = ["lamp.md", "gate.md", "gauge.md"].map(|file| format!("{template} {file}"));
    let openings = prompts.each_ref().map(|prompt| PromptOpening::new(prompt));
    let titles = template_titles(&openings);
    let lamp = titles[0].as_ref().unwrap();
    for (given, expected) in [
        ("Dori playbook task execution", true),
        ("Maestro's Playbook task guide", true),
        ("Dori playbook task: lamp.md", false),
        ("Oil the gate", false),
        ("Playbook 2027", false),
    ] {
        assert_eq!(lamp.is_of_template(given), expected, "{given}");
    }
}

#[test]
fn an_opening_is_one_line() {
    let short = PromptOpening::new(" Oil  the\n  gate");
    assert_eq!(
        (&*short.task, short.template_key()),
        ("Oil the gate", Some("Oil the"))
    );
    assert_eq!(PromptOpening::new("Oil the gate\n").template_key(), None);
    let long = PromptOpening::new(&"oil the  gate ".repeat(4000));
    assert!(long.bytes() <= OPENING_BYTES);
    assert_eq!(
        long.template_key(),
        Some("oil the gate oil the gate oil the gate o")
    );
}

#[test]
fn a_long_rest_is_cut_after_a_word() {
    let title = |rest: &str| {
        PromptOpening::default().remainder_title(TemplateSplit {
            before: "",
            rest,
            after: "",
        })
    };
    assert_eq!(title("src/lamp.rs"), "… src/lamp.rs");
    let title = title(&"lantern ".repeat(40));
    assert_eq!(title, format!("… {}…", "lantern ".repeat(14).trim_end()));
}

const ISSUES: &str = "https://github.com/ann/harbour-control-program/issues";

fn check_titles(prompts: &[&str], expected: &[Option<&str>]) {
    let openings: Vec<PromptOpening> = prompts.iter().map(|p| PromptOpening::new(p)).collect();
    let titles = template_titles(&openings);
    assert_eq!(
        titles
            .iter()
            .map(|title| title.as_ref().map(|title| &*title.title))
            .collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn an_address_is_no_template() {
    let tasks = [
        "oil the gate",
        "why is the lamp dark?",
        "and look at the pump",
    ];
    let behind = [7340, 7341, 7342].map(|issue| format!("{ISSUES}/{issue}"));
    for form in [
        "{issue} {task}",
        "{task} {issue}",
        "Look at {issue} and {task}",
    ] {
        let prompts: Vec<String> = behind
            .iter()
            .zip(tasks)
            .map(|(issue, task)| form.replace("{issue}", issue).replace("{task}", task))
            .collect();
        let prompts: Vec<&str> = prompts.iter().map(String::as_str).collect();
        check_titles(&prompts, &[None; 3]);
    }
}

#[test]
fn a_template_behind_an_address_is_removed_and_the_address_kept() {
    let prompts = [("lamp", 1), ("gate", 1), ("gauge", 2)]
        .map(|(part, issue)| format!("{ISSUES}/{issue}#note-9\n{TEMPLATE} {part}"));
    check_titles(
        &prompts.each_ref().map(String::as_str),
        &[
            Some("issues/1 … lamp"),
            Some("issues/1 … gate"),
            Some("issues/2 … gauge"),
        ],
    );
}

#[test]
fn a_prompt_with_an_address_keeps_its_task_in_the_title() {
    let title = |task: &str| prompt_title(&format!("{ISSUES}/7340#note-508{task}"));
    assert_eq!(title(" Find the cause"), "issues/7340 Find the cause");
    let long = title(&format!("\n\n{TEMPLATE}").repeat(3));
    assert!(
        long.starts_with(&format!("issues/7340 {TEMPLATE}")),
        "{long}"
    );
    assert_eq!(title(""), format!("{ISSUES}/7340#note-508"));
}

fn worked(calls: &[(&str, Option<&str>, &[&str])]) -> TurnContent {
    let part = |(name, command, files): &(&str, Option<&str>, &[&str])| {
        TurnPart::Call(ToolCall {
            name: (*name).to_owned(),
            command: command.map(str::to_owned),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ..ToolCall::default()
        })
    };
    TurnContent::from_turn(&Turn {
        parts: calls.iter().map(part).collect(),
        ..Turn::default()
    })
}

#[test]
fn work_names_a_session() {
    let check = |turns: &[TurnContent], expected: Option<&str>| {
        assert_eq!(work_title(turns.iter()).as_deref(), expected);
    };
    let read = worked(&[("Read", None, &["/a/lamp.rs"])]);
    let ran = worked(&[("Bash", Some("make  lamp\nmake gate"), &[])]);
    let edited = worked(&[("Edit", None, &["/a/lamp.rs", "/b/lamp.rs", "/a/gate.rs"])]);
    let many = worked(&[("Write", None, &["a", "b", "c", "d", "e"])]);
    check(&[], None);
    check(&[TurnContent::default()], None);
    check(std::slice::from_ref(&read), Some("read lamp.rs"));
    check(
        &[read.clone(), ran.clone()],
        Some("ran make lamp make gate"),
    );
    check(&[read, ran, edited], Some("edited lamp.rs, gate.rs"));
    check(
        std::slice::from_ref(&many),
        Some("edited a, b, c and 2 more"),
    );
    let committed = worked(&[("Bash", Some("git commit -m 'Hang the lamp'"), &[])]);
    check(&[many, committed], Some("Hang the lamp"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn what_differs_is_of_each_opening(
        heads in prop::collection::vec("[ab字 ]{0,60}", 1..3),
        tails in prop::collection::vec(("[ab字é :]{0,50}", 0usize..3), 0..8),
    ) {
        let openings: Vec<String> = tails.iter().map(|(tail, head)| collapse_whitespace(&format!("{} {tail}", heads[head % heads.len()]))).collect();
        let openings: Vec<&str> = openings.iter().map(String::as_str).collect();
        let lines: Vec<OpeningLine<'_>> = openings.iter().map(|text| line(text)).collect();
        for (opening, split) in openings.iter().zip(split_templates(&lines)) {
            let Some(split) = split else { continue };
            prop_assert!(opening.starts_with(split.before) && opening.ends_with(split.after));
            prop_assert!(opening.contains(split.rest) && split.rest.len() < opening.len());
            prop_assert!(PromptOpening::default().remainder_title(split).len() <= TITLE_BYTES);
        }
    }
}
