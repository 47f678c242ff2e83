//! Arguments of `skill`.

use super::JsonFlagArgs;
use super::values::{AnySpelling, named_values};
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use session_agents::Agent;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search skill install                   # in ~/.claude/skills
  session-search skill install --project         # for this project alone
  session-search skill install --agent opencode  # for OpenCode
  session-search skill install --dry-run         # shows what it would write
  session-search skill status

A file that you edited is kept, and what would change in it is shown; --force replaces it, and keeps a \
backup of yours.")]
pub struct SkillArgs {
    #[command(subcommand)]
    pub command: SkillCommand,
}

#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// Install or upgrade the skill
    Install(SkillChangeArgs),
    /// Remove the skill; edited files are kept
    #[command(alias = "remove")]
    Uninstall(SkillChangeArgs),
    /// Add keywords of saved memories to the skill's description
    Sync(SkillSyncArgs),
    /// Show where the skill is installed and whether it is current
    Status(JsonFlagArgs),
}

#[derive(Debug, Args)]
pub struct SkillChangeArgs {
    /// Use the project's folder instead of the user's
    #[arg(long)]
    pub project: bool,
    /// Agent that the skill is for [default: the only installed one, else claude]
    #[arg(long, value_name = "NAME", value_parser = skill_agents())]
    pub agent: Option<Agent>,
    /// Print what would be done, without doing it
    #[arg(long)]
    pub dry_run: bool,
    /// Also replace or remove edited files; replaced ones are backed up
    #[arg(long)]
    pub force: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search skill sync          # at most 15, kept current with memories
  session-search skill sync --off    # none, as at first

An agent reads the description at the beginning of every session, so that it knows what there is to \
recall. The user's skill has the keywords of global memories, a project's those of its own.")]
pub struct SkillSyncArgs {
    /// Remove the keywords
    #[arg(long)]
    pub off: bool,
    /// Print what would be done, without doing it
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads the name of an agent that has skills.
fn skill_agents() -> impl TypedValueParser<Value = Agent> {
    AnySpelling(named_values(&Agent::WITH_SKILL, Agent::name, |_, value| {
        value
    }))
}

#[cfg(test)]
mod tests {
    use crate::args::Arguments;
    use clap::Parser;
    use std::path::Path;

    /// Finds every command in a text: a line of a block, or what stands in backticks.
    fn find_commands(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (n, part) in text.split("```").enumerate() {
            let pieces: Vec<&str> = match n % 2 {
                0 => part.split('`').skip(1).step_by(2).collect(),
                _ => part.lines().collect(),
            };
            let typed = pieces
                .iter()
                .map(|piece| piece.trim().trim_start_matches("$ "));
            let ours = typed.filter(|piece| piece.starts_with("session-search "));
            found.extend(ours.map(str::to_owned));
        }
        found
    }

    /// Splits a command into its words, quotes taken off, up to what a shell takes.
    fn split_words(command: &str) -> Vec<String> {
        let command = command
            .split([';', '|', '>', '<'])
            .next()
            .unwrap_or_default();
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in command.replace("\"\"", "\" \"").chars() {
            match (c, quote) {
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(q)) if c == q => quote = None,
                (' ', None) => words.push(String::new()),
                (c, _) => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    fn collect_texts(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_texts(&path, found)
            } else {
                found.push((
                    path.display().to_string(),
                    fs_err::read_to_string(&path).unwrap(),
                ))
            }
        }
    }

    #[test]
    fn every_command_that_the_skill_shows_can_be_typed() {
        let mut found = Vec::new();
        let skill = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skill");
        collect_texts(&skill, &mut found);
        let mut count = 0;
        for (path, text) in found {
            for command in find_commands(&text) {
                let parsed = Arguments::try_parse_from(split_words(&command));
                let is_version =
                    |e: &clap::Error| e.kind() == clap::error::ErrorKind::DisplayVersion;
                if let Err(error) = parsed {
                    assert!(is_version(&error), "{path}: {command}\n{error}");
                }
                count += 1;
            }
        }
        assert!(count > 15, "{count}");
    }
}
