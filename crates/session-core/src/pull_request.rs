//! Pull requests in the commands, tools and outputs of a turn.

use crate::shell;
use crate::text::file_name;
use std::collections::HashSet;

/// Returns the addresses of pull requests and merge requests in a text, each once.
pub fn find_pull_requests(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for kind in ["/pull/", "/merge_requests/", "/pull-requests/"] {
        for (at, _) in text.match_indices(kind) {
            let address = pull_request_address(text, at, kind.len());
            found.extend(address.filter(|address| seen.insert(*address)));
        }
    }
    found
}

/// Longest address of a repository, in bytes: a text of one long word is not read from its beginning for each
/// `/pull/` in it.
const REPOSITORY_BYTES: usize = 1024;

/// Returns the address that goes over `at`, up to the number `after` bytes on.
fn pull_request_address(text: &str, at: usize, after: usize) -> Option<&str> {
    let number = text.get(at + after..)?.bytes();
    let digits = number.take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let repository = repository_address(text.get(..at)?)?;
    let address = text.get(at - repository.len()..at + after + digits)?;
    (!is_example(repository)).then_some(address)
}

/// Returns the address that a text ends with.
fn repository_address(text: &str) -> Option<&str> {
    let near = text.bytes().rev().take(REPOSITORY_BYTES);
    let length = near.take_while(|byte| is_address_byte(*byte)).count();
    let word = text.get(text.len() - length..)?;
    word.get(word.rfind("https://")?..)
}

fn is_address_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b":/._-~%".contains(&byte)
}

/// Ends of addresses of repositories that stand for any.
const EXAMPLES: [&str; 4] = ["/owner/repo", "/org/repo", "/user/repo", "/username/repo"];

fn is_example(repository: &str) -> bool {
    let ends_with = |end: &str| {
        let start = repository.len().checked_sub(end.len());
        let tail = start.and_then(|start| repository.get(start..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    EXAMPLES.iter().any(|end| ends_with(end))
}

/// Returns true for a command that may open a pull request. Most commands do not name one at all, and need not be split.
pub(crate) fn may_open_pull_request(command: &str) -> bool {
    command.contains("pr ") || command.contains("mr ")
}

/// Returns true when a command opens a pull request, whose address is in its output.
pub fn opens_pull_request(command: &str) -> bool {
    may_open_pull_request(command)
        && shell::split_command_parts(command)
            .iter()
            .any(opens_in_simple_command)
}

/// Programs that open pull requests, also with options before `pr create`.
const FORGES: [&str; 4] = ["gh", "glab", "tea", "az"];

/// Returns true for a simple command such as `gh pr create`, and one with such a command in its quotes:
/// `url="$(gh pr create)"`.
fn opens_in_simple_command(simple: &shell::CommandPart<'_>) -> bool {
    let opens = |text: &str| is_opening(&shell::words_from_program(text).collect::<Vec<_>>());
    let whole = simple.unquote(0..simple.text.len());
    opens(&simple.text) || whole.split("$(").skip(1).any(opens)
}

/// Returns true for the words of `gh pr create` and the like, from the program on.
pub(crate) fn is_opening(words: &[&str]) -> bool {
    let is_verb = |pair: &[&str]| matches!(pair, ["pr" | "mr", "create" | "new"]);
    let is_forge = |word: &&str| FORGES.contains(&file_name(word).trim_end_matches(".exe"));
    let at = words.windows(2).position(is_verb);
    at.is_some_and(|at| at == 1 || words.first().is_some_and(is_forge))
        && !words.contains(&"--dry-run")
}

/// Returns true for a tool that opens a pull request, whose address is in its result:
/// `mcp__github__create_pull_request`.
pub fn is_pull_request_tool(tool: &str) -> bool {
    let letters = tool.chars().filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    name.ends_with("createpullrequest") || name.ends_with("createmergerequest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_requests_are_found_by_their_addresses() {
        let text = "Opened https://github.com/ann/app/pull/12.\n(https://gitlab.com/a/b/-/merge_requests/3) \
                    https://github.com/ann/app/pull/12/files, https://github.com/ann/app/pull/new/main, see /pull/9";
        assert_eq!(
            find_pull_requests(text),
            [
                "https://github.com/ann/app/pull/12",
                "https://gitlab.com/a/b/-/merge_requests/3"
            ]
        );
        assert_eq!(find_pull_requests("https://a.b/ c/pull/1"), [""; 0]);
        let example = "as in https://github.com/OWNER/repo/pull/123";
        assert_eq!(find_pull_requests(example), [""; 0]);
        let far = format!("https://a.b/{}/pull/1", "c".repeat(REPOSITORY_BYTES));
        assert_eq!(find_pull_requests(&far), [""; 0]);
    }

    /// Without a limit that the test measures: where each match costs the text before it, this takes minutes.
    #[test]
    fn the_search_for_pull_requests_reads_little_before_each() {
        let words = "x/pull/1 ".repeat(200_000);
        assert_eq!(find_pull_requests(&words), [""; 0]);
        let address = |number| format!("https://a.b/c/pull/{number}");
        let addresses: Vec<String> = (0..20_000).map(address).collect();
        assert_eq!(find_pull_requests(&addresses.join(" ")), addresses);
    }

    #[test]
    fn a_command_or_a_tool_opens_a_pull_request() {
        for command in [
            "cd app && gh pr create --fill",
            "GH_TOKEN=x gh -R ann/app pr new --title 'a b'",
            "url=$(glab mr create --fill)",
            "url=\"$(gh pr create --fill)\"",
            "gh pr create --dry-run; gh pr create --body \"$(cat <<'E'\nUse --dry-run.\nE\n)\"",
        ] {
            assert!(opens_pull_request(command), "{command}");
        }
        for command in [
            "gh pr create --dry-run",
            "gh pr view 31",
            "git commit -m 'Use gh pr create' && curl x",
            "git commit -m \"$(cat <<'E'\nUse gh pr create\nE\n)\"",
            "echo gh pr create",
            "gh pr list # then gh pr create",
        ] {
            assert!(!opens_pull_request(command), "{command}");
        }
        assert!(is_pull_request_tool("mcp__github__create_pull_request"));
        assert!(is_pull_request_tool("gitlab_createMergeRequest"));
        assert!(!is_pull_request_tool(
            "mcp__github__create_pull_request_review"
        ));
    }
}
