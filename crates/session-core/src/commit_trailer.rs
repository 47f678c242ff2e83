//! The lines by which agents sign commits and pull requests. They are the same in each of them, and say nothing about the work.

use std::borrow::Cow;

/// The trailer that names another author of a commit.
const CO_AUTHOR: &str = "Co-Authored-By:";
/// Ends of the addresses of agents, which belong to no person.
const AGENT_ADDRESSES: [&str; 5] = [
    "<noreply@anthropic.com>",
    "<noreply@openai.com>",
    "<noreply@opencode.ai>",
    "<cursoragent@cursor.com>",
    "+Copilot@users.noreply.github.com>",
];
/// The line of Claude Code, which goes on with a link.
const GENERATED: &str = "Generated with [Claude Code]";

/// Returns a command without the lines in it by which an agent signs a commit or a pull request. What follows a trailer on
/// its line is kept.
pub fn without_agent_trailers(command: &str) -> Cow<'_, str> {
    if command.lines().all(|line| strip_trailer(line).is_none()) {
        return Cow::Borrowed(command);
    }
    let lines = command.lines();
    let lines: Vec<&str> = lines
        .map(|line| strip_trailer(line).unwrap_or(line))
        .collect();
    Cow::Owned(lines.join("\n"))
}

/// Returns true for a term that stands in the trailers of agents: one of their addresses, or the name of the trailer.
pub fn is_agent_trailer_term(term: &str) -> bool {
    let name = CO_AUTHOR.trim_end_matches(':');
    let term = term.to_ascii_lowercase();
    let is_address = |address: &str| {
        let address = address.trim_matches(['<', '>']);
        term.ends_with(&address.to_ascii_lowercase())
    };
    term.eq_ignore_ascii_case(name) || AGENT_ADDRESSES.into_iter().any(is_address)
}

/// Returns what follows the trailer of an agent with which a line begins; `None` for another line.
fn strip_trailer(line: &str) -> Option<&str> {
    let line = line.trim_start();
    strip_co_author(line).or_else(|| strip_generated(line))
}

fn strip_co_author(line: &str) -> Option<&str> {
    let (name, author) = line.split_at_checked(CO_AUTHOR.len())?;
    if !name.eq_ignore_ascii_case(CO_AUTHOR) {
        return None;
    }
    let mut addresses = AGENT_ADDRESSES.iter();
    addresses.find_map(|address| author.split_once(address).map(|(_, rest)| rest))
}

fn strip_generated(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('🤖').trim_start();
    let rest = line.strip_prefix(GENERATED)?;
    let link = rest.strip_prefix('(').and_then(|link| link.split_once(')'));
    Some(link.map_or(rest, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_sign_a_commit_are_left_out() {
        let command = "git commit -m \"$(cat <<'EOF'\nfix: trim the wick\n\n\
            🤖 Generated with [Claude Code](https://claude.com/claude-code)\n\n\
            Co-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>\nEOF\n)\"";
        let kept = "git commit -m \"$(cat <<'EOF'\nfix: trim the wick\n\n\n\n\nEOF\n)\"";
        assert_eq!(without_agent_trailers(command), kept);
        for signed in [
            "Generated with [Claude Code]",
            "co-authored-by: Codex <noreply@openai.com>",
            "Co-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>",
        ] {
            assert_eq!(without_agent_trailers(signed), "", "{signed}");
        }
        assert_eq!(
            without_agent_trailers(
                "git commit -m 'x\nCo-Authored-By: Claude <noreply@anthropic.com>' && git push"
            ),
            "git commit -m 'x\n' && git push"
        );
    }

    #[test]
    fn terms_of_trailers_are_those_of_agents() {
        for term in [
            "noreply@anthropic.com",
            "NoReply@Anthropic.com",
            "223556219+Copilot@users.noreply.github.com",
            "co-authored-by",
        ] {
            assert!(is_agent_trailer_term(term), "{term}");
        }
        for term in ["ann@users.noreply.github.com", "anthropic.com", "noreply"] {
            assert!(!is_agent_trailer_term(term), "{term}");
        }
    }

    #[test]
    fn other_lines_stay() {
        for command in [
            "git commit -m 'x\n\nCo-authored-by: Ann <1+ann@users.noreply.github.com>'",
            "git log --grep 'Co-Authored-By: Claude <noreply@anthropic.com>'",
            "echo 'It was Generated with [Claude Code]'",
            "make\nco-authored\n",
        ] {
            assert_eq!(without_agent_trailers(command), command);
        }
    }
}
