//! The parts of a tool call that are shown, in whatever format.

use serde_json::Value;
use session_core::diff::{DiffLine, diff_lines};
use session_core::{CallStatus, ToolCall, safe_json};
use std::borrow::Cow;
use std::path::Path;

/// An input of a call that nothing else shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallInput<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text, or its JSON.
    pub text: Cow<'a, str>,
}

/// A call in the parts that are shown of it. All texts are as the session has them, safe for nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct CallView<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// How it ended.
    pub status: CallStatus,
    /// Its subject, or else the first of its inputs.
    pub subject: Option<&'a str>,
    /// The edits that it makes, each as a diff.
    pub edits: Vec<Vec<DiffLine<'a>>>,
    /// Inputs that are neither the subject, nor a command, a file or an edit.
    pub inputs: Vec<CallInput<'a>>,
    /// Its output, with a note in the place of a long input that it repeats.
    pub output: Option<Cow<'a, str>>,
}

/// Lines of context around a change.
const CONTEXT_LINES: usize = 3;
/// Fewest bytes of an input that is not shown again within the output.
const REPEATED_BYTES: usize = 200;
/// Inputs that the edits show.
const EDIT_INPUTS: [&str; 6] = [
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "edits",
    "replace_all",
];
/// Inputs that the command and the files show.
const SUBJECT_INPUTS: [&str; 6] = [
    "command",
    "file_path",
    "filePath",
    "notebook_path",
    "notebookPath",
    "path",
];

impl<'a> CallView<'a> {
    /// Makes the view of a call.
    pub fn new(call: &'a ToolCall) -> Self {
        let edits = find_edits(call);
        let inputs = find_inputs(call, !edits.is_empty());
        let first = || {
            let mut inputs = inputs.iter();
            inputs.find_map(|input| call.input.get(input.name)?.as_str())
        };
        Self {
            call,
            status: call.status,
            subject: call.subject().or_else(first),
            edits,
            output: call
                .output
                .as_deref()
                .map(|output| split_answers(cut_repeated_input(output, &inputs), call)),
            inputs,
        }
    }

    /// Returns the input whose text the subject repeats, line by line: a plan that the user was asked to approve.
    pub fn find_repeated_input(&self) -> Option<&CallInput<'a>> {
        let subject = self.subject.filter(|subject| subject.contains('\n'))?;
        self.inputs
            .iter()
            .find(|input| begins_with_words(&input.text, subject))
    }
}

/// Returns true if a text begins with these words, whatever space is between them; the last one may be cut.
fn begins_with_words(text: &str, words: &str) -> bool {
    let mut found = text.split_whitespace();
    let mut words = words.split_whitespace();
    words.all(|word| found.next().is_some_and(|other| other.starts_with(word)))
}

/// Puts a note in the place of a long input that an output repeats, as the approval of a plan does.
fn cut_repeated_input<'a>(output: &'a str, inputs: &[CallInput<'_>]) -> Cow<'a, str> {
    let repeated = inputs.iter().find(|input| {
        let text = input.text.trim();
        text.len() >= REPEATED_BYTES && output.contains(text)
    });
    match repeated {
        None => output.into(),
        Some(input) => {
            let note = format!("[{}, as above]", input.name);
            output.replace(input.text.trim(), &note).into()
        }
    }
}

/// Returns the questions that a call puts to the user.
fn find_questions(input: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let asked = input.get("questions").and_then(Value::as_array);
    let asked = asked.into_iter().flatten();
    asked.filter_map(|asked| Some((asked.get("question")?.as_str()?, asked)))
}

/// Puts each answer of a dialog on a line of its own: Claude Code writes `"question"="answer", "question"="answer"`.
fn split_answers<'a>(output: Cow<'a, str>, call: &ToolCall) -> Cow<'a, str> {
    find_questions(&call.input).fold(output, |output, (question, _)| {
        let answer = format!("\"{question}\"=");
        let same_line = format!(" {answer}");
        if output.contains(&same_line) {
            output.replace(&same_line, &format!("\n{answer}")).into()
        } else {
            output
        }
    })
}

/// Formats the questions of a dialog with the options of each; `None` if they are none.
fn format_questions(input: &Value) -> Option<String> {
    let text = |value: &Value, name| value.get(name)?.as_str().map(str::to_owned);
    let format_option = |option: &Value| match (text(option, "label"), text(option, "description"))
    {
        (Some(label), Some(description)) => Some(format!("- {label}: {description}")),
        (label, _) => Some(format!("- {}", label?)),
    };
    let questions = find_questions(input).map(|(question, asked)| {
        let options = asked.get("options").and_then(Value::as_array);
        let options = options.into_iter().flatten().filter_map(format_option);
        std::iter::once(question.to_owned())
            .chain(options)
            .collect::<Vec<_>>()
            .join("\n")
    });
    let questions: Vec<String> = questions.collect();
    (!questions.is_empty()).then(|| questions.join("\n\n"))
}

/// Returns an input by either of its names.
fn find_text_field<'a>(input: &'a Value, names: [&str; 2]) -> Option<&'a str> {
    names.into_iter().find_map(|name| input.get(name)?.as_str())
}

/// Returns the edits of a call: of one string, of several, of a whole file, or by a patch.
fn find_edits(call: &ToolCall) -> Vec<Vec<DiffLine<'_>>> {
    let input = &call.input;
    let several = input.get("edits").and_then(Value::as_array);
    let mut edits: Vec<_> = several
        .into_iter()
        .flatten()
        .filter_map(find_edit)
        .collect();
    edits.extend(find_edit(input));
    let written = input.get("content").and_then(Value::as_str);
    let written = written.filter(|_| call.name == "Write");
    edits.extend(written.map(|content| diff_lines("", content, 0)));
    let patch = input.get("patch").and_then(Value::as_str);
    edits.extend(patch.map(parse_patch_lines));
    edits.retain(|lines| !lines.is_empty());
    edits
}

fn find_edit(input: &Value) -> Option<Vec<DiffLine<'_>>> {
    let old = find_text_field(input, ["old_string", "oldString"])?;
    let new = find_text_field(input, ["new_string", "newString"])?;
    Some(diff_lines(old, new, CONTEXT_LINES))
}

/// Reads a patch: each line has its mark.
fn parse_patch_lines(patch: &str) -> Vec<DiffLine<'_>> {
    let line = |line| match (str::strip_prefix(line, "-"), str::strip_prefix(line, "+")) {
        (Some(removed), _) => DiffLine::Removed(removed),
        (_, Some(added)) => DiffLine::Added(added),
        _ => DiffLine::Context(line.strip_prefix(' ').unwrap_or(line)),
    };
    patch.lines().map(line).collect()
}

fn find_inputs(call: &ToolCall, has_edits: bool) -> Vec<CallInput<'_>> {
    let is_shown = |name: &str, value: &Value| {
        let is_edit = EDIT_INPUTS.contains(&name)
            || (name == "content" && call.name == "Write")
            || (name == "patch" && value.is_string());
        // An input may name its file from the session's folder on.
        let is_file = |text: &str| {
            call.files
                .iter()
                .any(|file| Path::new(file).ends_with(text))
        };
        let names_file = call.search_pattern().is_none();
        let is_subject = |text: &str| (names_file && is_file(text)) || call.subject() == Some(text);
        (has_edits && is_edit)
            || (SUBJECT_INPUTS.contains(&name) && value.as_str().is_some_and(is_subject))
            || value
                .as_str()
                .is_some_and(|text| call.subject() == Some(text))
    };
    let fields = call.input.as_object().into_iter().flatten();
    let others = fields.filter(|(name, value)| !is_shown(name, value));
    let questions = format_questions(&call.input);
    let inputs = others.map(|(name, value)| CallInput {
        name,
        text: match (name.as_str(), &questions) {
            ("questions", Some(text)) => text.clone().into(),
            _ => format_input(value),
        },
    });
    inputs.filter(|input| !input.text.is_empty()).collect()
}

fn format_input(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Array(_) | Value::Object(_) => {
            safe_json::format_pretty(value).unwrap_or_default().into()
        }
        value => value.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use session_core::CallDialog;

    fn call(name: &str, files: &[&str], input: Value) -> ToolCall {
        ToolCall {
            name: name.into(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            input,
            ..ToolCall::default()
        }
    }

    fn names<'a>(view: &'a CallView<'_>) -> Vec<&'a str> {
        view.inputs.iter().map(|input| input.name).collect()
    }

    #[test]
    fn edits_are_diffs_and_no_inputs() {
        let strings = json!({"old_string": "a", "new_string": "b"});
        let camel = json!({"filePath": "/a", "oldString": "a", "newString": "b"});
        let several = json!({"file_path": "/a", "edits": [strings]});
        for input in [strings.clone(), camel, several] {
            let call = call("Edit", &["/a"], input);
            let view = CallView::new(&call);
            assert_eq!(view.edits, [[DiffLine::Removed("a"), DiffLine::Added("b")]]);
            assert_eq!(view.subject, Some("/a"));
            assert!(view.inputs.is_empty(), "{view:?}");
        }
        let write = call(
            "Write",
            &["/a"],
            json!({"file_path": "/a", "content": "x\n"}),
        );
        assert_eq!(CallView::new(&write).edits, [[DiffLine::Added("x")]]);
        let patch = call("ApplyPatch", &["a"], json!({"patch": "@@\n a\n-b\n+c"}));
        let lines = [
            DiffLine::Context("@@"),
            DiffLine::Context("a"),
            DiffLine::Removed("b"),
            DiffLine::Added("c"),
        ];
        let view = CallView::new(&patch);
        assert_eq!(view.edits, [lines]);
        assert!(view.inputs.is_empty(), "{view:?}");
    }

    #[test]
    fn inputs_are_those_that_nothing_else_shows() {
        let mut bash = call(
            "Bash",
            &[],
            json!({"command": "ls", "description": "List", "timeout": 9, "x": ""}),
        );
        bash.command = Some("ls".into());
        let view = CallView::new(&bash);
        assert_eq!(
            (view.subject, names(&view)),
            (Some("ls"), vec!["description", "timeout"])
        );
        let grep = call("Grep", &[], json!({"pattern": "fn a", "-n": true}));
        let view = CallView::new(&grep);
        assert_eq!((view.subject, names(&view)), (Some("fn a"), vec!["-n"]));
        let within = json!({"output_mode": "content", "path": "a.rs", "pattern": "fn a"});
        let within = call("Grep", &["/b/a.rs"], within);
        let view = CallView::new(&within);
        assert_eq!(
            (view.subject, names(&view)),
            (Some("fn a"), vec!["output_mode", "path"])
        );
        let edit = call("Edit", &["/a/b.rs"], json!({"file_path": "b.rs"}));
        assert_eq!(names(&CallView::new(&edit)), Vec::<&str>::new());
        let read = call(
            "Read",
            &["/a"],
            json!({"file_path": "/a", "content": {"deep": [1]}}),
        );
        let view = CallView::new(&read);
        assert_eq!(view.inputs[0].text, "{\n  \"deep\": [\n    1\n  ]\n}");
    }

    /// A search through all of them for each would take hours.
    #[test]
    fn a_call_may_have_many_inputs() {
        let count = 200_000;
        let fields = (0..count).map(|n| (format!("field{n}"), json!(n)));
        let call = call("Odd", &[], Value::Object(fields.collect()));
        let view = CallView::new(&call);
        assert_eq!((view.subject, view.inputs.len()), (None, count));
    }

    #[test]
    fn questions_and_answers_have_lines_of_their_own() {
        let questions = json!({"questions": [
            {"question": "Which lamp?", "header": "Lamp", "multiSelect": false, "options": [
                {"label": "Oil", "description": "It smells."},
                {"label": "Gas"},
            ]},
            {"question": "When?", "options": []},
        ]});
        let mut call = call("AskUserQuestion", &[], questions);
        call.output =
            Some("The user answered: \"Which lamp?\"=\"Oil\", \"When?\"=\"Now\". Go on.".into());
        let view = CallView::new(&call);
        assert_eq!(
            view.inputs[0].text,
            "Which lamp?\n- Oil: It smells.\n- Gas\n\nWhen?"
        );
        assert_eq!(
            view.output.unwrap(),
            "The user answered:\n\"Which lamp?\"=\"Oil\",\n\"When?\"=\"Now\". Go on."
        );
        call.input = json!({"questions": ["odd", {"question": 1}]});
        let view = CallView::new(&call);
        assert!(view.inputs[0].text.contains("\"odd\""));
        assert_eq!(view.output.as_deref(), call.output.as_deref());
    }

    #[test]
    fn a_plan_is_shown_once() {
        let plan = "# Light the lamp\n\nTrim the wick, then fill the tank.\n".repeat(5);
        let mut call = call("ExitPlanMode", &[], json!({"plan": plan}));
        let lines = plan.lines().filter(|line| !line.is_empty());
        let question = lines.collect::<Vec<_>>().join("\n");
        call.dialog = CallDialog::new(Some(question), None);
        call.output = Some(format!("Approved.\n\n## Plan:\n{}", plan.trim()));
        let view = CallView::new(&call);
        assert_eq!(view.find_repeated_input().unwrap().name, "plan");
        assert_eq!(
            view.output.unwrap(),
            "Approved.\n\n## Plan:\n[plan, as above]"
        );
        call.input = json!({"plan": "# Trim the wick"});
        let view = CallView::new(&call);
        assert_eq!(view.find_repeated_input(), None);
        assert_eq!(view.output.as_deref(), call.output.as_deref());
    }
}
