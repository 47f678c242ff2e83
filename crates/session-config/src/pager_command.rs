//! The pager that `PAGER` names, with what it may get of a project's variables.
//!
//! A project can set variables: as a pager, `sh` would run the text of a session, `less +!command` a command, and
//! `BAT_PAGER` another program. So only known pagers are started, with options and variables that only change how text
//! looks.

use std::path::Path;
use std::process::Command;

/// Programs that show what they read and run nothing of it.
const PAGERS: [&str; 8] = [
    "less", "more", "most", "bat", "batcat", "moar", "moor", "ov",
];

/// The pager that prints, as if there was none.
const CAT: &str = "cat";

/// Letters of options of `less` that run, write and open nothing; most can be followed by a number.
const LESS_LETTERS: &str = "aAcCeEfFgGiIjJKLmMnNqQrRsSuUwWxXz~";

/// Long options of `less` of that kind.
const LESS_OPTIONS: [&str; 22] = [
    "CHOP-LONG-LINES",
    "HILITE-UNREAD",
    "IGNORE-CASE",
    "LINE-NUMBERS",
    "LONG-PROMPT",
    "QUIET",
    "QUIT-AT-EOF",
    "RAW-CONTROL-CHARS",
    "SILENT",
    "chop-long-lines",
    "hilite-unread",
    "ignore-case",
    "incsearch",
    "line-numbers",
    "long-prompt",
    "mouse",
    "no-init",
    "quiet",
    "quit-at-eof",
    "quit-if-one-screen",
    "raw-control-chars",
    "use-color",
];

/// How options of `bat` begin that change how text looks.
const BAT_OPTIONS: [&str; 5] = ["-p", "--plain", "--style=", "--color=", "--theme="];

/// Variables that a pager gets, beside those of the locale and the options of `less`.
const VARIABLES: [&str; 19] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TERM",
    "TERMINFO",
    "TERMINFO_DIRS",
    "COLORTERM",
    "NO_COLOR",
    "LANG",
    "LANGUAGE",
    "COLUMNS",
    "LINES",
    "USERPROFILE",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMROOT",
    "TEMP",
    "WINDIR",
];

/// The command line of a known pager.
///
/// ```
/// use session_config::PagerCommand;
/// assert!(PagerCommand::parse("less -R").is_some());
/// assert!(PagerCommand::parse("sh -c date").is_none());
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct PagerCommand {
    program: String,
    arguments: Vec<String>,
}

impl PagerCommand {
    /// Parses the value of `PAGER`; options that may do more than change how text looks are left out. `None` if
    /// it names another program than a pager.
    pub fn parse(wanted: &str) -> Option<Self> {
        let mut words = wanted.split_whitespace();
        let program = words.next()?;
        let name = name_of(program);
        if name != CAT && !PAGERS.contains(&name.as_str()) {
            return None;
        }
        let is_kept = |word: &&str| match name.as_str() {
            "less" => word.starts_with('-') && is_harmless_less_option(word),
            "bat" | "batcat" => BAT_OPTIONS.iter().any(|option| word.starts_with(option)),
            _ => false,
        };
        Some(Self {
            program: program.to_owned(),
            arguments: words.filter(is_kept).map(str::to_owned).collect(),
        })
    }

    /// Returns true for the program that only prints.
    pub fn is_cat(&self) -> bool {
        name_of(&self.program) == CAT
    }

    /// Returns the command, with few of the process's variables.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear();
        let vars =
            std::env::vars_os().filter(|(name, _)| is_kept_variable(&name.to_string_lossy()));
        command.envs(vars);
        let less = std::env::var("LESS").ok();
        command.env("LESS", less_options(less.as_deref()));
        command.env("LESSSECURE", "1");
        command
    }
}

/// Returns the name of a program without its folder and, on Windows, its extension.
fn name_of(program: &str) -> String {
    let name = Path::new(program).file_name().unwrap_or_default();
    let name = name.to_string_lossy().to_lowercase();
    let bare = [".exe", ".com"]
        .iter()
        .find_map(|ext| name.strip_suffix(ext));
    bare.unwrap_or(&name).to_owned()
}

fn is_kept_variable(name: &str) -> bool {
    let upper = name.to_uppercase();
    VARIABLES.contains(&upper.as_str()) || upper.starts_with("LC_")
}

/// Returns the options of the variable `LESS` that change how text looks; those of `less -R` where it is not set.
fn less_options(variable: Option<&str>) -> String {
    let Some(variable) = variable else {
        return "R".to_owned();
    };
    let words = variable.split_whitespace();
    let kept: Vec<&str> = words.filter(|word| is_harmless_less_option(word)).collect();
    kept.join(" ")
}

fn is_harmless_less_option(word: &str) -> bool {
    if let Some(long) = word.strip_prefix("--") {
        return LESS_OPTIONS.contains(&long);
    }
    let letters = word.strip_prefix('-').unwrap_or(word);
    let is_harmless = |c: char| LESS_LETTERS.contains(c) || c.is_ascii_digit() || c == '.';
    !letters.is_empty() && letters.chars().all(is_harmless)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(wanted: &str) -> Option<String> {
        let pager = PagerCommand::parse(wanted)?;
        let words = std::iter::once(&pager.program).chain(&pager.arguments);
        Some(words.cloned().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn only_a_known_pager_is_started_with_harmless_options() {
        for (wanted, started) in [
            ("less -FRX --mouse -x4", Some("less -FRX --mouse -x4")),
            ("/usr/bin/less -R", Some("/usr/bin/less -R")),
            (
                "less +!id -ofile -kkeys --lesskey-src=k -tid FRX",
                Some("less"),
            ),
            (
                "bat -p --pager=sh --theme=ansi",
                Some("bat -p --theme=ansi"),
            ),
            ("most +1 -s", Some("most")),
            ("LESS.EXE -R", Some("LESS.EXE -R")),
            ("sh", None),
            ("bash -s", None),
            ("vi -", None),
            ("env less", None),
            ("/srv/less.sh", None),
            ("", None),
        ] {
            assert_eq!(parse(wanted).as_deref(), started, "{wanted}");
        }
        assert!(PagerCommand::parse("/bin/cat").unwrap().is_cat());
    }

    #[test]
    fn options_of_less_that_run_or_write_something_are_left_out() {
        for (variable, kept) in [
            (None, "R"),
            (Some(""), ""),
            (Some("FRX"), "FRX"),
            (
                Some("-R -j.5 --quit-if-one-screen"),
                "-R -j.5 --quit-if-one-screen",
            ),
            (Some("R +!id"), "R"),
            (Some("-R+!id"), ""),
            (Some("-ofile -O file --log-file=f"), ""),
            (Some("-k keys --lesskey-file=k -ttag"), ""),
        ] {
            assert_eq!(less_options(variable), kept, "{variable:?}");
        }
    }

    #[test]
    fn a_pager_gets_no_variables_that_have_it_run_something() {
        for name in [
            "LESSOPEN",
            "LESSSECURE_ALLOW",
            "LESSKEYIN",
            "LESSEDIT",
            "BAT_PAGER",
            "VISUAL",
        ] {
            assert!(!is_kept_variable(name), "{name}");
        }
        assert!(
            ["PATH", "TERM", "LC_ALL", "SystemRoot"]
                .into_iter()
                .all(is_kept_variable)
        );
        let command = PagerCommand::parse("less").unwrap().command();
        let secure = command.get_envs().find(|(name, _)| *name == "LESSSECURE");
        assert_eq!(secure.unwrap().1.unwrap(), "1");
    }
}
