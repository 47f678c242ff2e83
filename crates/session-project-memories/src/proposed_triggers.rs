//! Triggers that are proposed for a memory that was saved without any: from the turns that it comes from, else
//! from names in its text that the project or its history has.

use crate::project_memories::ProjectMemories;
use crate::tool_context::ToolContext;
use crate::trigger_survey::{TriggerSurvey, failure_names};
use session_core::text::file_name;
use session_core::{CommandWork, FileAccess, TurnContent};
use session_display::sanitize_line;
use session_memory::{Memory, TriggerGlob, Triggers};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// The most triggers of each sort that are proposed.
const MAX_PATHS: usize = 2;
const MAX_COMMANDS: usize = 2;
const MAX_ERRORS: usize = 1;
/// The most files of one name that a name in a text means.
const MAX_NAMESAKES: usize = 3;
/// Commands that everybody runs whatever the work is: alone they say nothing about it.
const EVERYDAY_COMMANDS: [&str; 36] = [
    "awk",
    "bash",
    "chmod",
    "cp",
    "curl",
    "git add",
    "git branch",
    "git checkout",
    "git commit",
    "git diff",
    "git fetch",
    "git log",
    "git merge",
    "git mv",
    "git pull",
    "git push",
    "git rebase",
    "git reset",
    "git restore",
    "git rm",
    "git show",
    "git stash",
    "git status",
    "git switch",
    "kill",
    "ln",
    "mkdir",
    "mv",
    "node",
    "python",
    "python3",
    "rm",
    "sed",
    "sh",
    "touch",
    "zsh",
];
/// The fewest characters of a name of a file or folder.
const MIN_PATH_CHARS: usize = 4;

impl ProjectMemories {
    /// Proposes triggers for a memory that has none, at most five. Those that match much of what there is are
    /// left out. The index is read as it is.
    pub(crate) fn propose_triggers(&self, memory: &Memory) -> Triggers {
        if !memory.front.when.is_empty() {
            return Triggers::default();
        }
        let text = format!("{}\n{}", memory.front.topic, memory.body);
        let turns = self.read_source_turns(memory.front.source.as_ref());
        let survey = TriggerSurvey::new(self);
        let mut proposed = if turns.is_empty() {
            propose_from_names(&text, &survey)
        } else {
            self.propose_from_turns(&text, &turns)
        };
        let broad = survey.find_broad_triggers(&proposed);
        let is_narrow = |glob: &String| !broad.iter().any(|trigger| trigger.glob == *glob);
        proposed.paths.retain(is_narrow);
        proposed.commands.retain(is_narrow);
        // A hint has them in a command: text of a repository may bring no line ends or control characters into it.
        for globs in [
            &mut proposed.paths,
            &mut proposed.commands,
            &mut proposed.errors,
        ] {
            globs.retain(|text| sanitize_line(text) == *text);
        }
        proposed
    }

    /// Proposes the files that turns changed, the commands that they ran, and the errors of which commands
    /// failed: those that the text names first, then the most frequent. Everyday commands have to be named.
    fn propose_from_turns(&self, text: &str, turns: &[TurnContent]) -> Triggers {
        let (mut paths, mut commands, mut errors) = <(Tally, Tally, Tally)>::default();
        for turn in turns {
            for path in self.changed_files(turn) {
                paths.add(
                    NameOrigin::find(file_name(&path), text),
                    TriggerGlob::escape(&path),
                );
            }
            for run in turn.command_runs() {
                for name in command_names(run.command) {
                    let glob = format!("{}*", TriggerGlob::escape(&name));
                    let origin = NameOrigin::find(&name, text);
                    if origin == NameOrigin::InText || !EVERYDAY_COMMANDS.contains(&name.as_str()) {
                        commands.add(origin, glob);
                    }
                }
            }
            for name in failure_names(turn) {
                errors.add(NameOrigin::find(name, text), name.to_owned());
            }
        }
        Triggers {
            paths: paths.into_first(MAX_PATHS),
            commands: commands.into_first(MAX_COMMANDS),
            errors: errors.into_first(MAX_ERRORS),
        }
    }

    /// Lists the files of the project that a turn changed, from its root.
    pub(crate) fn changed_files(&self, turn: &TurnContent) -> Vec<String> {
        let Some(project) = &self.project else {
            return Vec::new();
        };
        let changed = turn
            .accessed_files()
            .filter(|file| file.access > FileAccess::Read);
        let context = ToolContext {
            working_directory: project.root(),
            project: Some(project),
            home: &self.home.env.home,
        };
        changed
            .filter_map(|file| context.relative_path(Path::new(file.path)))
            .collect()
    }
}

/// Proposes what a text names and the project has: its files and folders, programs that were run, and errors of
/// which commands failed.
fn propose_from_names(text: &str, survey: &TriggerSurvey<'_>) -> Triggers {
    let newest = survey.newest();
    let run = newest.commands.iter();
    // In the order of their names, since those of a text are proposed in the order in which they are found.
    let run: BTreeSet<String> = run.flat_map(|command| command_names(command)).collect();
    let programs: HashSet<&str> = run.iter().map(|name| first_word(name)).collect();
    let (mut paths, mut commands, mut errors) = <(Tally, Tally, Tally)>::default();
    for name in split_names(text) {
        paths.extend(find_paths(name, survey.files()));
        if newest.failures.contains(name) {
            errors.add(NameOrigin::InText, name.to_owned());
        }
    }
    let quoted = split_quoted(text).flat_map(command_names);
    let quoted = quoted.filter(|name| programs.contains(first_word(name)));
    let named_commands = run.iter().filter(|name| names_command(text, name));
    for name in quoted.chain(named_commands.cloned()) {
        commands.add(
            NameOrigin::InText,
            format!("{}*", TriggerGlob::escape(&name)),
        );
    }
    Triggers {
        paths: paths.into_first(MAX_PATHS),
        commands: commands.into_first(MAX_COMMANDS),
        errors: errors.into_first(MAX_ERRORS),
    }
}

/// Returns true if a text has the name of a command with its subcommand, as whole words. A program alone (`make`,
/// `go`) may be a word of the sentence, and an everyday command says little: such ones need backticks.
fn names_command(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_/.".contains(c);
    let is_whole = |(start, _): (usize, &str)| {
        let before = text[..start].chars().next_back();
        let mut after = text[start + name.len()..].chars();
        // A full stop may end the sentence.
        let (next, second) = (after.next(), after.next());
        let is_end = next == Some('.') && !second.is_some_and(is_part);
        !before.is_some_and(is_part) && (is_end || !next.is_some_and(is_part))
    };
    name.contains(' ')
        && !EVERYDAY_COMMANDS.contains(&name)
        && text.match_indices(name).any(is_whole)
}

/// Texts with how often each occurs, in the order of their first occurrence.
#[derive(Default)]
struct Tally(Vec<TallyEntry>);

struct TallyEntry {
    text: String,
    origin: NameOrigin,
    count: usize,
}

/// Where a name was found: in the memory's text, or only in the turns that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameOrigin {
    InTurns,
    InText,
}

impl NameOrigin {
    /// Finds a name of a turn in the text of a memory.
    fn find(name: &str, text: &str) -> Self {
        if text.contains(name) {
            Self::InText
        } else {
            Self::InTurns
        }
    }
}

impl Tally {
    fn add(&mut self, origin: NameOrigin, text: String) {
        match self.0.iter_mut().find(|entry| entry.text == text) {
            Some(entry) => entry.count += 1,
            None => self.0.push(TallyEntry {
                text,
                origin,
                count: 1,
            }),
        }
    }

    fn extend(&mut self, texts: impl IntoIterator<Item = String>) {
        texts
            .into_iter()
            .for_each(|text| self.add(NameOrigin::InText, text));
    }

    /// Returns the first texts: those that are named in the memory, then the most frequent.
    fn into_first(mut self, limit: usize) -> Vec<String> {
        self.0
            .sort_by_key(|entry| Reverse((entry.origin, entry.count)));
        self.0
            .into_iter()
            .take(limit)
            .map(|entry| entry.text)
            .collect()
    }
}

/// Returns the names of the simple commands of a command line that do work: program and subcommand.
fn command_names(command: &str) -> Vec<String> {
    let work = CommandWork::new(command);
    work.map(|work| work.command_names().collect())
        .unwrap_or_default()
}

fn first_word(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// Returns the texts between backticks.
fn split_quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Returns the words of a text that may name something: without the punctuation around them.
fn split_names(text: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |c: char| c.is_whitespace() || "`\"'()[]{}<>,;，。；：、（）「」“”".contains(c);
    let words = text.split(is_between);
    words
        .map(|word| word.trim_end_matches(['.', ':', '!', '?']))
        .filter(|word| !word.is_empty())
}

/// Finds what a name means among the files of a project: a file by its path or its name, where few have it, or a
/// folder by its path.
fn find_paths(name: &str, files: &[String]) -> Vec<String> {
    let name = name.trim_start_matches("./");
    let folder = name.trim_end_matches('/');
    let is_path = name.contains('/');
    if folder.len() < MIN_PATH_CHARS || !(is_path || name.contains('.')) {
        return Vec::new();
    }
    let below = format!("{folder}/");
    if is_path && files.iter().any(|file| file.starts_with(&below)) {
        return vec![format!("{}**", TriggerGlob::escape(&below))];
    }
    let ending = format!("/{name}");
    let is_meant = |file: &&String| **file == name || file.ends_with(&ending);
    let found = files.iter().filter(is_meant);
    let found: Vec<String> = found.map(|path| TriggerGlob::escape(path)).collect();
    match found.len() {
        0..=MAX_NAMESAKES => found,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_memories::tests::memories;
    use session_core::{CallStatus, ToolCall, Turn, TurnPart};
    use session_memory::command_lines;

    /// Makes a turn that ran commands, each with its output where it failed.
    fn turn(runs: &[(&str, Option<&str>)]) -> TurnContent {
        let parts = runs.iter().map(|(command, failure)| {
            TurnPart::Call(ToolCall {
                name: "Bash".into(),
                command: Some((*command).to_owned()),
                output: failure.map(str::to_owned),
                status: CallStatus::from_failure(failure.is_some()),
                ..ToolCall::default()
            })
        });
        TurnContent::from_turn(&Turn {
            parts: parts.collect(),
            ..Turn::default()
        })
    }

    fn propose(text: &str, runs: &[(&str, Option<&str>)]) -> Triggers {
        let home = tempfile::tempdir().unwrap();
        memories(home.path()).propose_from_turns(text, &[turn(runs)])
    }

    #[test]
    fn everyday_commands_are_proposed_where_the_text_names_them() {
        let runs = [
            ("git add . && git commit -m oil", None),
            ("git add b && git commit -m lamp", None),
            ("python3 -c 'print(1)'; ls; cd app", None),
            ("terraform apply", None),
        ];
        let commands = |text| propose(text, &runs).commands;
        assert_eq!(commands("Lamps"), ["terraform apply*"]);
        let named = commands("Run the tests before git commit");
        assert_eq!(named, ["git commit*", "terraform apply*"]);
    }

    /// A trigger on `pnpm*` would come at every first command of a session.
    #[test]
    fn a_proposal_names_the_subcommand_behind_options() {
        for (command, proposed) in [
            (
                "cd app && pnpm -C services/billing vitest webhook",
                "pnpm vitest*",
            ),
            (
                "docker -H ssh://quay compose -f dev.yml up -d",
                "docker compose up*",
            ),
            ("kubectl -n prod rollout restart web", "kubectl rollout*"),
            ("make -C web lamps", "make lamps*"),
        ] {
            let commands = propose("Lamps", &[(command, None)]).commands;
            assert_eq!(commands, [proposed]);
            let glob = TriggerGlob::for_commands(proposed).unwrap();
            let mut forms = command_lines(command).into_iter();
            assert!(forms.any(|form| glob.is_match(&form)), "{command}");
        }
        assert_eq!(
            propose("Lamps", &[("git -C web add oil", None)]).commands,
            [""; 0]
        );
    }

    #[test]
    fn a_command_with_its_subcommand_is_named_without_backticks() {
        let text = "never run npm install here; see make deploy.";
        for name in ["npm install", "make deploy"] {
            assert!(names_command(text, name), "{name}");
        }
        for (text, name) in [
            ("never npm installs", "npm install"),
            ("run pnpm install", "npm install"),
            ("see make deploy.sh", "make deploy"),
            ("make the lamp", "make"),
            ("before each git commit", "git commit"),
        ] {
            assert!(!names_command(text, name), "{text}: {name}");
        }
    }

    #[test]
    fn names_in_what_is_no_error_are_not_proposed() {
        let errors = |failure| propose("Lamps", &[("gh pr checks 7", Some(failure))]).errors;
        for passed in [
            "Build\tfail\t3m\nCodeRabbit\tpass\t0\tReview completed",
            "CodeRabbit pass",
            "error: no lamp\nsrc/App.tsx:4:const failed = AppState.error",
        ] {
            assert_eq!(errors(passed), [""; 0], "{passed}");
        }
        assert_eq!(errors("error: PoolTimedOut"), ["PoolTimedOut"]);
    }
}
