//! A call of a tool in the terms of triggers: paths from the root of a project, simple commands.

use crate::trigger_survey::join_with_slashes;
use session_agents::ToolUse;
use session_config::find_memory_project;
use session_core::shell::{InnerLine, WorkingDirectory, split_command_parts};
use session_files::{Project, normalize_lexically, path_below};
use session_memory::{TriggerEvent, command_lines, settings_directory};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The most files that the simple commands of a line may name.
const MAX_NAMED_FILES: usize = 100;
/// The deepest line within lines whose files are compared.
const MAX_DEPTH: usize = 4;
/// The most simple commands of a line whose directory is followed.
const MAX_FOLLOWED: usize = 500;
/// The most bytes of a path: `PATH_MAX` of Linux.
const MAX_PATH_BYTES: usize = 4096;

/// The directory and the project of a session, from which paths are named.
pub struct ToolContext<'a> {
    /// The working directory of the session.
    pub working_directory: &'a Path,
    /// The project, if the directory belongs to one.
    pub project: Option<&'a Project>,
    /// The user's home directory.
    pub home: &'a Path,
}

impl ToolContext<'_> {
    /// Returns what triggers are compared with.
    pub fn trigger_event(&self, tool_use: &ToolUse) -> TriggerEvent {
        let command = tool_use.command.as_deref();
        let files = command.map(|command| self.named_files(command));
        let files = files.unwrap_or_default();
        let paths = tool_use.paths.iter().chain(&files);
        TriggerEvent {
            text: self.call_text(tool_use),
            paths: paths.flat_map(|path| self.path_forms(path)).collect(),
            commands: command.map(command_lines).unwrap_or_default(),
            errors: tool_use.error.iter().cloned().collect(),
            may_be_denied: false,
        }
    }

    /// Returns the words of a call, with its paths from the root: the folders above the project say nothing about the
    /// call.
    fn call_text(&self, tool_use: &ToolUse) -> String {
        let root = self.project.map_or(self.working_directory, Project::root);
        let paths = tool_use.paths.iter();
        let paths = paths.filter_map(|path| self.relative_path(path));
        let without_root = match root.to_str() {
            Some(root) if root.len() > 1 => remove_root(&tool_use.text, root),
            _ => tool_use.text.clone(),
        };
        let texts = std::iter::once(without_root).chain(paths);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the forms in which a glob may name a path: from the root, and with `/` at the end where the path
    /// has one, as all that lies in a folder.
    fn path_forms(&self, path: &Path) -> Vec<String> {
        let Some(relative) = self.relative_path(path).filter(|path| !path.is_empty()) else {
            return Vec::new();
        };
        let folder = ends_with_slash(path).then(|| format!("{relative}/"));
        std::iter::once(relative).chain(folder).collect()
    }

    /// Returns a path from the root of the project, or of another worktree of its repository, with `/`.
    /// Files of other projects have none.
    pub(crate) fn relative_path(&self, path: &Path) -> Option<String> {
        if path.as_os_str().len() > MAX_PATH_BYTES {
            return None;
        }
        let path = normalize_lexically(&self.working_directory.join(path)).ok()?;
        let root = self.project.map_or(self.working_directory, Project::root);
        let inside = path_below(&path, root).filter(|inside| !is_in_worktree(inside));
        let relative = inside.or_else(|| self.path_in_worktree(&path))?;
        Some(join_with_slashes(&relative))
    }

    /// Returns the words of a command line that may name files, from the directories in which its commands run.
    fn named_files(&self, command: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        self.add_named_files(command, Some(Path::new("")), MAX_DEPTH, &mut files);
        files
    }

    /// Adds the words that may name files of a line, and those of the lines within it. `start` is the directory in which it
    /// begins, if that is known. What another machine runs names none.
    fn add_named_files(
        &self,
        line: &str,
        start: Option<&Path>,
        depth: usize,
        files: &mut Vec<PathBuf>,
    ) {
        let mut followed = WorkingDirectory::at_start();
        for simple in split_command_parts(line).iter().take(MAX_FOLLOWED) {
            let directory = self.directory_from(start, &followed);
            let directory = directory.as_deref();
            let inner = InnerLine::find(simple);
            if !inner.as_ref().is_some_and(|inner| inner.is_remote) {
                let words: Vec<Cow<'_, str>> = simple.words().collect();
                self.add_files_of_words(&words, directory, files);
            }
            let inner = inner.filter(|inner| !inner.is_remote && depth > 0);
            if let Some(inner) = inner {
                self.add_named_files(&inner.text, directory, depth - 1, files);
            }
            followed.read(simple);
        }
    }

    /// Returns the directory of a line's next command; `None` for the home directory of another user (`~ann`). One that is
    /// not known is taken for the first one: a trigger that is silent costs more than one too many.
    fn directory_from(&self, start: Option<&Path>, followed: &WorkingDirectory) -> Option<PathBuf> {
        let path = self.expand_home(followed.path().unwrap_or_default());
        let start = start.filter(|_| !path.starts_with('~'))?;
        Some(start.join(&*path))
    }

    fn add_files_of_words(
        &self,
        words: &[Cow<'_, str>],
        directory: Option<&Path>,
        files: &mut Vec<PathBuf>,
    ) {
        let named = path_parts(words).filter_map(|part| {
            let part = self.expand_home(part);
            let path = path_from_directory(directory, &part)?;
            // Of words with a space most are texts.
            let is_named = (is_path(&part) && !part.contains(' '))
                || is_file_at(&self.working_directory.join(&path));
            is_named.then_some(path)
        });
        files.extend(named.take(MAX_NAMED_FILES.saturating_sub(files.len())));
    }

    /// Puts the home directory in the place of `~`.
    fn expand_home<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let rest = if path == "~" {
            Some("")
        } else {
            path.strip_prefix("~/")
        };
        match rest {
            Some(rest) => self.home.join(rest).to_string_lossy().into_owned().into(),
            None => path.into(),
        }
    }

    fn path_in_worktree(&self, path: &Path) -> Option<PathBuf> {
        let own = self.project?.identity();
        let other = find_memory_project(path.parent()?, self.home)
            .ok()
            .flatten()?;
        (other.identity() == own).then(|| path_below(path, other.root()))?
    }
}

/// Removes the path of a root where it stands whole: not the first part of the name of a folder beside it.
fn remove_root(text: &str, root: &str) -> String {
    let mut parts = text.split(root);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_whole = !part.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c));
        kept.push_str(if is_whole { "" } else { root });
        kept.push_str(part);
    }
    kept
}

/// Returns true for a path in the folder where an agent makes worktrees.
fn is_in_worktree(inside: &Path) -> bool {
    inside.starts_with(settings_directory().join("worktrees"))
}

/// Returns true for a word of a command that may name a file.
fn is_path(word: &str) -> bool {
    let is_file = word.len() <= MAX_PATH_BYTES
        && word.contains(['/', '.'])
        && word.contains(|c: char| c.is_alphanumeric());
    is_file && !word.starts_with('-') && !word.contains("://")
}

fn ends_with_slash(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.ends_with(b"/")
}

/// Returns true for a path of a regular file that is there: so names without an extension are found, such as `Makefile`.
fn is_file_at(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
}

/// Returns the path of a word; `None` for a relative one where the directory is not known.
fn path_from_directory(directory: Option<&Path>, word: &str) -> Option<PathBuf> {
    match directory {
        Some(directory) => Some(directory.join(word)),
        None => Some(PathBuf::from(word)).filter(|path| path.is_absolute()),
    }
}

/// Returns the parts of words that may name files. What a variable is set to before the program names one
/// (`KUBECONFIG=prod.yml helm`); after it (`make test T=tests/a.py`) it is seldom what the work is about.
fn path_parts<'w>(words: &'w [Cow<'_, str>]) -> impl Iterator<Item = &'w str> {
    let is_before_program =
        |word: &&Cow<'_, str>| ["env", "export"].contains(&word.as_ref()) || is_assignment(word);
    let program = words.iter().take_while(is_before_program).count();
    let parts = words.iter().enumerate();
    parts.flat_map(move |(at, word)| split_word(word, at < program))
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && is_name(name))
}

/// Splits a word into what may name files: `2>err.log`, `--values=prod.yml`, `@body.json`.
fn split_word(word: &str, is_variable: bool) -> impl Iterator<Item = &str> {
    let has_value = (is_variable || word.starts_with('-')) && !word.contains("://");
    let marks: &[char] = if has_value {
        &['>', '<', '=']
    } else {
        &['>', '<']
    };
    word.split(marks).map(|part| part.trim_start_matches('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the event of a call in the project `shop`, whose home directory is given.
    fn event(home: &Path, tool_use: &ToolUse) -> TriggerEvent {
        let root = home.join("shop");
        let project = Project::find(&root, home).unwrap().unwrap();
        let context = ToolContext {
            working_directory: &root.join("src"),
            project: Some(&project),
            home,
        };
        context.trigger_event(tool_use)
    }

    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(home.path().join("shop/.git")).unwrap();
        fs_err::create_dir_all(home.path().join("shop/src")).unwrap();
        home
    }

    fn paths(home: &Path, paths: &[&Path]) -> Vec<String> {
        let tool_use = ToolUse {
            paths: paths.iter().map(|path| path.to_path_buf()).collect(),
            ..ToolUse::default()
        };
        event(home, &tool_use).paths
    }

    #[test]
    fn paths_are_named_from_the_root() {
        let home = home();
        let shop = home.path().join("shop");
        let found = paths(
            home.path(),
            &[
                &shop.join("db/new/a.sql"),
                Path::new("main.rs"),
                Path::new("../db/../Makefile"),
                &home.path().join("other/a.sql"),
                Path::new("../../other/a.sql"),
            ],
        );
        assert_eq!(found, ["db/new/a.sql", "src/main.rs", "Makefile"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_project_leads_to_its_root() {
        let home = home();
        let link = home.path().join("link");
        fs_err::os::unix::fs::symlink(home.path().join("shop"), &link).unwrap();
        assert_eq!(paths(home.path(), &[&link.join("db/a.sql")]), ["db/a.sql"]);
    }

    #[test]
    fn files_of_a_worktree_are_named_from_its_root() {
        let home = home();
        let shop = home.path().join("shop");
        let git = shop.join(".git/worktrees/fix");
        fs_err::create_dir_all(&git).unwrap();
        fs_err::write(git.join("commondir"), "../..\n").unwrap();
        for worktree in [
            shop.join(settings_directory()).join("worktrees/fix"),
            home.path().join("fix"),
        ] {
            fs_err::create_dir_all(worktree.join("db")).unwrap();
            fs_err::write(
                worktree.join(".git"),
                format!("gitdir: {}\n", git.display()),
            )
            .unwrap();
            fs_err::write(
                git.join("gitdir"),
                format!("{}\n", worktree.join(".git").display()),
            )
            .unwrap();
            assert_eq!(
                paths(home.path(), &[&worktree.join("db/a.sql")]),
                ["db/a.sql"]
            );
        }
    }

    #[test]
    fn the_words_of_a_call_are_without_the_folders_above_the_project() {
        let home = home();
        let file = home.path().join("shop/db/lamps.sql");
        let edit = ToolUse {
            paths: vec![file.clone()],
            text: "wick".to_owned(),
            ..ToolUse::default()
        };
        assert_eq!(event(home.path(), &edit).text, "wick\ndb/lamps.sql");
        let line = format!("cat {}", file.display());
        let run = ToolUse {
            text: line.clone(),
            command: Some(line),
            ..ToolUse::default()
        };
        assert_eq!(event(home.path(), &run).text, "cat /db/lamps.sql");
        let beside = home.path().join("shop2/db/lamps.sql");
        let line = format!("cat {}", beside.display());
        let run = ToolUse {
            text: line.clone(),
            ..ToolUse::default()
        };
        assert_eq!(event(home.path(), &run).text, line);
    }

    fn paths_of_command(home: &Path, command: &str) -> Vec<String> {
        let tool_use = ToolUse {
            command: Some(command.to_owned()),
            ..ToolUse::default()
        };
        event(home, &tool_use).paths
    }

    #[test]
    fn a_file_behind_many_words_is_named() {
        let home = home();
        let line = format!("tool {}db/a.sql", "--word ".repeat(150));
        assert_eq!(paths_of_command(home.path(), &line), ["src/db/a.sql"]);
        let files = "db/a.sql ".repeat(150);
        let named = paths_of_command(home.path(), &format!("tool {files}"));
        assert!(named.len() <= MAX_NAMED_FILES, "{}", named.len());
    }

    #[test]
    fn files_of_a_command_are_named_from_the_directory_that_it_goes_to() {
        let home = home();
        fs_err::write(home.path().join("shop/src/my notes.md"), "").unwrap();
        let shop = home.path().join("shop");
        for (command, expected) in [
            ("cd ../db && cat new/a.sql", &["db", "db/new/a.sql"][..]),
            (
                "cd ..; cd db; psql -f a.sql; cd x && cat b.sql",
                &["db/a.sql", "db/x/b.sql"],
            ),
            ("ls infra/ x", &["src/infra", "src/infra/"]),
            (
                "echo x >migrations/002.sql 2>>../err.log",
                &["src/migrations/002.sql", "err.log"],
            ),
            (
                "helm up --values=../infra/prod.yml -d @body.json",
                &["infra/prod.yml", "src/body.json"],
            ),
            ("curl --url=http://x.y/?a=b/c", &[]),
            (
                "KUBECONFIG=../infra/a.yml X=1 kubectl apply T=tests/a.py",
                &["infra/a.yml", "src/T=tests/a.py"],
            ),
            ("export KUBECONFIG=~/shop/infra/a.yml", &["infra/a.yml"]),
            (
                "cd ~/shop/db && cat a.sql ~/shop/b.sql ~/other/c.sql",
                &["db", "db/a.sql", "b.sql"],
            ),
            (
                "bash -c 'cat db/a.sql' && ssh host cat db/b.sql",
                &["src/db/a.sql"],
            ),
            (
                "cd ../db && bash -c 'cat a.sql' && sh -c 'cd y && cat ../b.sql'",
                &["db", "db/a.sql", "db/b.sql"],
            ),
            (
                "cat \"my notes.md\" 'no notes.md'; git commit -m 'mend a.sql and b.sql'",
                &["src/my notes.md"],
            ),
            ("cd 'my notes' && cat a.sql", &["src/my notes/a.sql"]),
            (
                "cd my_notes && cat 'x y' a_b.sql",
                &["src/my_notes/a_b.sql"],
            ),
            (
                "cat a.sql && cd db && cat b.sql",
                &["src/a.sql", "src/db/b.sql"],
            ),
            ("# read\ncd db && cat a.sql", &["src/db/a.sql"]),
            ("set -e; export A=1; cd db; cat a.sql", &["src/db/a.sql"]),
            (
                "cd db && cat a.sql && cd .. && cat b.sql",
                &["src/db/a.sql", "src/b.sql"],
            ),
            ("cd ~ && cat shop/db/a.sql", &["db/a.sql"]),
            ("(cd web && ls); rm a.sql", &["src/a.sql"]),
            ("R=$(cd .. && pwd); rm a.sql", &["src/a.sql"]),
        ] {
            assert_eq!(
                paths_of_command(home.path(), command),
                expected,
                "{command}"
            );
        }
        let absolute = format!("cd {} && cat db/a.sql", shop.display());
        let paths = paths_of_command(home.path(), &absolute);
        assert!(paths.contains(&"db/a.sql".to_owned()), "{paths:?}");
    }

    #[test]
    fn files_of_an_unknown_directory_are_named_from_the_first_one() {
        let home = home();
        fs_err::write(home.path().join("shop/src/Makefile"), "").unwrap();
        for (command, expected) in [
            (
                "cd $DIR && cat a.sql Makefile ~/shop/db/b.sql",
                &["src/a.sql", "src/Makefile", "db/b.sql"][..],
            ),
            ("pushd db; rm a.sql", &["src/a.sql"]),
            (
                "cd \"$(git rev-parse --show-toplevel)\" && rm db/a.sql",
                &["src/db/a.sql"],
            ),
            (
                "cd $DIR && bash -c 'cat a.sql ~/shop/db/b.sql'",
                &["src/a.sql", "db/b.sql"],
            ),
            ("cd ~ann; cat a.sql; cat ~/shop/db/b.sql", &["db/b.sql"]),
        ] {
            let paths = paths_of_command(home.path(), command);
            assert_eq!(paths, expected, "{command}");
        }
    }

    #[test]
    fn a_file_without_a_point_is_known_where_it_is_there() {
        let home = home();
        fs_err::write(home.path().join("shop/src/Makefile"), "").unwrap();
        let paths = |command| paths_of_command(home.path(), command);
        assert_eq!(paths("cat Makefile Other"), ["src/Makefile"]);
        assert_eq!(paths("cd ../src && cat Makefile"), ["src", "src/Makefile"]);
    }

    #[test]
    fn commands_are_taken_apart_and_their_files_are_paths() {
        let home = home();
        let line = "cd infra && X=1 sudo /usr/bin/terraform apply -var-file=a.tfvars ../../db/a.sql | tee https://x.y 'a b'";
        let tool_use = ToolUse {
            command: Some(line.to_owned()),
            ..ToolUse::default()
        };
        let found = event(home.path(), &tool_use);
        for command in [
            line,
            "cd infra",
            "/usr/bin/terraform apply -var-file=a.tfvars ../../db/a.sql",
            "terraform apply -var-file=a.tfvars ../../db/a.sql",
        ] {
            assert!(
                found.commands.iter().any(|form| form == command),
                "{command}: {found:?}"
            );
        }
        assert!(found.paths.contains(&"db/a.sql".to_owned()), "{found:?}");
        assert!(
            !found.paths.iter().any(|path| path.contains("x.y")),
            "{found:?}"
        );
    }
}
