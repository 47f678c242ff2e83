//! Commands that print code: errors in its text are none of the command's.

use crate::shell::{
    CommandPart, ProgramEffect, find_program, git_subcommand, split_command_parts,
    words_from_program,
};

/// Subcommands of git that print the text of changes and files.
const GIT_VIEWS: [&str; 5] = ["show", "diff", "log", "grep", "blame"];
/// Extensions of code and prose. Logs have others.
const EXTENSIONS: [&str; 34] = [
    "c", "cc", "cpp", "cs", "css", "dart", "ex", "go", "h", "hpp", "html", "java", "js", "json",
    "jsx", "kt", "lua", "md", "mdx", "mjs", "php", "py", "rb", "rs", "scala", "sh", "sql",
    "svelte", "swift", "toml", "ts", "tsx", "vue", "yaml",
];

/// Returns true for a command line that only shows files of code or prose, or what git knows of them: `nl -ba a.rs | head`.
pub(crate) fn prints_code(command: &str) -> bool {
    let commands = split_command_parts(command);
    let works =
        |simple: &CommandPart<'_>| ProgramEffect::classify(simple) >= ProgramEffect::Changes;
    let prints = |simple: &CommandPart<'_>| is_git_view(&simple.text) || names_code(&simple.text);
    commands.iter().any(prints) && !commands.iter().any(works)
}

fn is_git_view(simple: &str) -> bool {
    let subcommand = git_subcommand(words_from_program(simple).skip(1));
    find_program(simple) == Some("git")
        && subcommand.is_some_and(|subcommand| GIT_VIEWS.contains(&subcommand))
}

fn names_code(simple: &str) -> bool {
    let is_code = |word: &str| {
        let extension = word.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    };
    words_from_program(simple).skip(1).any(is_code)
}

#[cfg(test)]
mod tests {
    use super::prints_code;

    #[test]
    fn code_is_told_from_logs_and_work() {
        for command in [
            "sed -n '1,60p' src/main.go",
            "cd app && nl -ba a.rs | sed -n '1,9p'",
            "cat README.md 2>/dev/null | head -5",
            "git -C app diff HEAD~1 -- a.ts | cat",
            "git show ab12:src/lamp.py; git log --oneline",
            "git status -s && git diff",
            "find src -name '*.rs' -exec cat {} +",
        ] {
            assert!(prints_code(command), "{command}");
        }
        for command in [
            "tail -30 server.log",
            "cat /tmp/tasks/b1.output",
            "make > log; cat a.rs",
            "git push && git diff",
            "grep -c error log",
            "python3 a.py",
            "sed -i s/a/b/ a.rs",
            "find src -name '*.c' -exec cc -c {} +",
            "",
        ] {
            assert!(!prints_code(command), "{command}");
        }
    }
}
