//! The skill's files, as this program has them.

use crate::command::skill::place::Agent;

macro_rules! skill_file {
    ($name:literal) => {
        (
            concat!("skills/session-search/", $name),
            include_str!(concat!("../../../../../skill/session-search/", $name)),
        )
    };
}

/// Name below the agent's folder, and text.
const SKILL: [(&str, &str); 6] = [
    skill_file!("SKILL.md"),
    skill_file!("references/HOW_IT_WORKS.md"),
    skill_file!("references/CONFIGURATION.md"),
    skill_file!("references/FIRST_RUN.md"),
    skill_file!("references/ADDING_SOURCES.md"),
    skill_file!("references/TROUBLESHOOTING.md"),
];

/// What makes `/session-search` a command where a skill is none by itself.
const COMMAND: (&str, &str) = (
    "commands/session-search.md",
    include_str!("../../../../../skill/command/session-search.md"),
);

/// The files of an agent's skill, in the order in which they are written.
pub fn of(agent: Agent) -> Vec<(&'static str, &'static str)> {
    let mut files = SKILL.to_vec();
    if agent == Agent::OpenCode {
        files.push(COMMAND);
    }
    files
}
