//! Slash commands. OpenCode keeps what a command's template became, not what
//! was typed.

use session_core::{TEXT_LIMIT, text};

/// A command of OpenCode's own: what its template begins with, and what stands
/// around the arguments in it.
struct CommandTemplate {
    name: &'static str,
    beginning: &'static str,
    before: &'static str,
    after: &'static str,
}

const TEMPLATES: [CommandTemplate; 2] = [
    CommandTemplate {
        name: "init",
        beginning: "Create or update `AGENTS.md` for this repository.",
        before: "\n\nUser-provided focus or constraints (honor these):\n",
        after: "\n\n## ",
    },
    CommandTemplate {
        name: "review",
        beginning: "You are a code reviewer. Your job is to review code changes",
        before: "\n\nInput: ",
        after: "\n\n---",
    },
];

impl CommandTemplate {
    /// Returns the arguments in a text that this template became.
    fn arguments<'t>(&self, expanded: &'t str) -> Option<&'t str> {
        let rest = expanded.strip_prefix(self.beginning)?;
        let (_, rest) = rest.split_once(self.before)?;
        let (arguments, _) = rest.split_once(self.after)?;
        Some(arguments.trim())
    }
}

/// Returns the command as it was typed, `/review main`, where the text is what
/// one of OpenCode's own templates became.
pub(super) fn typed_command(expanded: &str) -> Option<String> {
    let known = |template: &CommandTemplate| {
        Some(format_command(template.name, template.arguments(expanded)?))
    };
    TEMPLATES.iter().find_map(known)
}

/// Returns the command `name` with its arguments. Those of a template that is
/// not known stand somewhere in the text that it became: all of it is kept.
pub(super) fn command_line(name: &str, expanded: &str) -> String {
    let known = TEMPLATES.iter().find_map(|t| t.arguments(expanded));
    format_command(name, known.unwrap_or(expanded.trim()))
}

fn format_command(name: &str, arguments: &str) -> String {
    let line = format!("/{name} {arguments}");
    text::clip_words(line.trim_end(), TEXT_LIMIT).to_owned()
}
