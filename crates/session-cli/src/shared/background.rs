//! Indexing in a process of its own, after a search and where a session begins.

#[cfg(unix)]
use crate::shared::detached_process::close_descriptors_on_exec;
#[cfg(windows)]
use crate::shared::detached_process::prepare_detached;
use session_config::Home;
use session_files::HOME_VARIABLE;
use session_query::{SearchEngine, is_embedding};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The option of `index` that marks such a process.
pub const FLAG: &str = "--background";
/// The option by which it reads what changed first.
const REFRESH_FLAG: &str = "--refresh";

/// Starts such a process, unless one runs or the configuration forbids it. A failure is not reported: the search has been
/// answered.
pub fn start(home: &Home) {
    let is_free = || !is_embedding(&home.index_directory);
    // The battery is asked last: on macOS that starts a process.
    if home.config.background && is_free() && !home.is_background_paused() {
        spawn(home, &["index", FLAG], file_system_root(home));
    }
}

/// Starts a process that reads what changed in the histories, and then embeds as one that [`start`] starts. It makes no
/// index: a hook is no search, and who never searched has asked for none. Nor is there one for variables that no search had.
pub fn start_refresh(home: &Home) {
    let has_known_environment = |index| SearchEngine::has_known_environment(home, &index);
    if home.allows_background() && home.index().is_ok_and(has_known_environment) {
        spawn(home, &["index", FLAG, REFRESH_FLAG], file_system_root(home));
    }
}

/// Returns the root of the index's file system, which is the working directory of such a process. In the index's own
/// directory, the variable that names the index would lead into the working directory, and be refused.
fn file_system_root(home: &Home) -> &Path {
    home.index_directory
        .ancestors()
        .last()
        .unwrap_or(&home.index_directory)
}

/// Starts a process that makes all vectors that prompts of a folder wait for. A prompt itself makes only some of those of
/// memories that came with a clone or were edited by hand, and injects nothing until all are made.
pub fn spawn_vector_preparation(home: &Home, folder: &Path) {
    // What is explained is neither noted nor counted.
    if home.allows_background() {
        spawn(
            home,
            &["inject", "--explain", "--prompt", "prepare"],
            folder,
        );
    }
}

/// Notes the path of this program. A process that runs for long does so at its start: on Linux, the path of a program that
/// was replaced since names no file.
pub fn note_program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| std::env::current_exe().ok());
    program.as_deref()
}

/// Starts the program on its own. What was refused here is refused there, whatever its folder.
fn spawn(home: &Home, args: &[&str], folder: &Path) {
    let Some(program) = note_program() else {
        return;
    };
    let mut command = Command::new(program);
    for name in &home.refused {
        match home.env.get(name) {
            Some(kept) => command.env(name, kept),
            None => command.env_remove(name),
        };
    }
    if home.refused.iter().any(|name| name == HOME_VARIABLE) {
        command.env(HOME_VARIABLE, &home.env.home);
    }
    // On Unix the new process detaches itself, by `lower_priority`.
    #[cfg(unix)]
    close_descriptors_on_exec();
    #[cfg(windows)]
    prepare_detached(&mut command);
    let child = command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(child); // it outlives this process
}
