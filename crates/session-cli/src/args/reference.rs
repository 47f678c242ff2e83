//! The part of `docs/cli.md` that the parser writes: a table of the commands
//! and the options of each. `UPDATE_DOCS=1 cargo test -p session-cli reference`
//! writes it anew.

use super::Arguments;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");

/// Returns the page with what lies between the marks of `part` replaced.
fn replace_part(page: &str, part: &str, text: &str) -> String {
    let begin = format!("<!-- {part}: written by a test, see CONTRIBUTING.md -->\n");
    let end = format!("<!-- end of {part} -->\n");
    let (head, rest) = page.split_once(&begin).expect(&begin);
    let (_, tail) = rest.split_once(&end).expect(&end);
    format!("{head}{begin}\n{text}\n{end}{tail}")
}

/// Collects every command that can be seen, by its names, without those that only hold others.
fn collect_commands(of: &Command, path: &str, found: &mut Vec<(String, Command)>) {
    let subcommands = of.get_subcommands();
    for command in subcommands.filter(|c| !c.is_hide_set() && c.get_name() != "help") {
        let name = format!("{path}{}", command.get_name());
        if command.has_subcommands() {
            collect_commands(command, &format!("{name} "), found);
        } else {
            found.push((name, command.clone()));
        }
    }
}

fn escape_cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

fn format_words(text: Option<&StyledStr>) -> String {
    text.map(|text| escape_cell(text.to_string().trim()))
        .unwrap_or_default()
}

/// Formats a positional argument as it is typed.
fn format_positional(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    if argument.is_required_set() {
        format!(" {}", names.join(" "))
    } else {
        format!(" [{}]", names.join(" "))
    }
}

fn visible_arguments(command: &Command) -> Vec<&Arg> {
    let arguments = command.get_arguments();
    arguments
        .filter(|a| !a.is_hide_set() && !["help", "version"].contains(&a.get_id().as_str()))
        .collect()
}

/// Returns the options of one command, without those that every command has.
fn own_options(command: &Command) -> Vec<&Arg> {
    let mut arguments = visible_arguments(command);
    arguments.retain(|argument| !argument.is_global_set());
    arguments
}

/// Formats the other names by which a command or an option may be typed.
fn format_other_names<'n>(dashes: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names = names.into_iter().map(|name| format!("`{dashes}{name}`"));
    let names: Vec<String> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; alias {}", names.join(", ")),
    }
}

fn format_commands(all: &[(String, Command)]) -> String {
    let mut out = "| command | does |\n| --- | --- |\n".to_owned();
    for (name, command) in all {
        let arguments = visible_arguments(command);
        let places = arguments.iter().filter(|a| a.is_positional());
        let places: String = places.map(|a| format_positional(a)).collect();
        let about = format_words(command.get_about());
        let about = about + &format_other_names("", command.get_all_aliases());
        out.push_str(&format!("| `{name}{}` | {about} |\n", escape_cell(&places)));
    }
    out
}

/// Formats an option as it is typed: `-n, --limit N`.
fn format_option(argument: &Arg) -> String {
    if argument.is_positional() {
        return format_positional(argument).trim().to_owned();
    }
    let short = argument.get_short().map(|s| format!("-{s}"));
    let long = argument.get_long().map(|l| format!("--{l}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().filter(|_| takes);
    let values = values.map(|v| format!(" {}", v.join(" ")));
    format!("{}{}", names.join(", "), values.unwrap_or_default())
}

/// Returns the meaning of an option, with its values and default.
fn format_meaning(argument: &Arg) -> String {
    let mut out = format_words(argument.get_help());
    let other_names = argument.get_all_aliases().unwrap_or_default();
    out.push_str(&format_other_names("--", other_names));
    let takes = argument.get_action().takes_values();
    let values = argument.get_possible_values();
    let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    if takes && !names.is_empty() && !argument.is_hide_possible_values_set() {
        out.push_str(&format!(" ({})", names.join(", ")));
    }
    let defaults = argument.get_default_values();
    let defaults: Vec<_> = defaults.iter().map(|d| d.to_string_lossy()).collect();
    if takes && !defaults.is_empty() && !argument.is_hide_default_value_set() {
        out.push_str(&format!("; default `{}`", escape_cell(&defaults.join(" "))));
    }
    out
}

/// Formats a table of options, or nothing where there are none.
fn format_option_rows(arguments: &[&Arg]) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let row = |argument: &&Arg| {
        let typed = escape_cell(&format_option(argument));
        format!("| `{typed}` | {} |\n", format_meaning(argument))
    };
    let rows: String = arguments.iter().map(row).collect();
    format!("\n| option | is |\n| --- | --- |\n{rows}")
}

/// Columns of a paragraph on the page.
const PAGE_COLUMNS: usize = 100;
/// Columns of an example: what a terminal shows at least.
const EXAMPLE_COLUMNS: usize = 80;

/// Wraps the text after a help, whose paragraphs are one line each, to lines of the page.
fn wrap_help(text: &str) -> String {
    let wrap = |line: &str| {
        let mut out = String::new();
        let mut used = 0;
        for word in line.split(' ') {
            let columns = word.chars().count();
            let (gap, begin) = match used {
                0 => ("", 0),
                _ if used + 1 + columns > PAGE_COLUMNS => ("\n", 0),
                _ => (" ", used + 1),
            };
            out.push_str(gap);
            out.push_str(word);
            used = begin + columns;
        }
        out
    };
    let lines = text.lines().map(|line| {
        if line.starts_with(' ') {
            line.to_owned()
        } else {
            wrap(line)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn format_options(program: &Command, all: &[(String, Command)]) -> String {
    let mut out = format!(
        "### Every command\n{}\n",
        format_option_rows(&visible_arguments(program))
    );
    for (name, command) in all {
        out.push_str(&format!(
            "### {name}\n\n{}.\n",
            format_words(command.get_about())
        ));
        out.push_str(&format_option_rows(&own_options(command)));
        if let Some(examples) = command.get_after_help() {
            let examples = wrap_help(&examples.to_string());
            out.push_str(&format!("\n```\n{}\n```\n", examples.trim_end()));
        }
        out.push('\n');
    }
    out.trim_end().to_owned() + "\n"
}

#[test]
fn the_reference_is_what_the_parser_knows() {
    let mut command = Arguments::command();
    command.build();
    let mut all = Vec::new();
    collect_commands(&command, "", &mut all);
    let old = fs_err::read_to_string(Path::new(PAGE)).unwrap();
    let new = replace_part(&old, "commands", &format_commands(&all));
    let new = replace_part(&new, "options", &format_options(&command, &all));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs_err::write(PAGE, &new).unwrap();
    } else if let Some((old, new)) = old.lines().zip(new.lines()).find(|(a, b)| a != b) {
        panic!("docs/cli.md is stale:\n  {old}\nshould be\n  {new}\nUPDATE_DOCS=1 writes it anew");
    } else {
        assert_eq!(
            old, new,
            "docs/cli.md is stale: UPDATE_DOCS=1 writes it anew"
        );
    }
}

/// A terminal of 80 columns wraps paragraphs; an example that it wrapped could not be copied.
#[test]
fn examples_fit_a_terminal_and_paragraphs_are_one_line() {
    let mut command = Arguments::command();
    command.build();
    let mut all = vec![(String::new(), command.clone())];
    collect_commands(&command, "", &mut all);
    let with_below = command.get_subcommands().cloned();
    all.extend(with_below.map(|command| (command.get_name().to_owned(), command)));
    for (name, command) in all {
        let text = command.get_after_help().map(ToString::to_string);
        let text = text.unwrap_or_default();
        for pair in text.lines().collect::<Vec<_>>().windows(2) {
            let is_paragraph = |line: &str| !line.is_empty() && !line.starts_with(' ');
            assert!(
                !pair.iter().all(|line| is_paragraph(line)),
                "{name}: {pair:?}"
            );
        }
        for line in text.lines().filter(|line| line.starts_with(' ')) {
            assert!(line.chars().count() <= EXAMPLE_COLUMNS, "{name}: {line}");
        }
    }
}
