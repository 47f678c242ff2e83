//! The file of a program that is named in settings or started.

use session_files::ProgramSearch;
use session_sources::Env;
use std::path::{Path, PathBuf};

/// Returns true if a program exists and can be run, as a shell would find it.
pub fn program_exists(program: &str, env: &Env) -> bool {
    let home = env.home.to_string_lossy();
    let program = match program.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => program.replace("${HOME}", &home).replace("$HOME", &home),
    };
    let mut files = search(env).candidates(&program);
    files.any(|file| is_executable(&file))
}

/// Returns what a program is started by. On Windows that is the whole path: to a name the system adds `.exe` alone, and npm
/// installs agents as `.cmd`.
pub fn startable_program(name: &str, env: &Env) -> PathBuf {
    let mut files = search(env).candidates(name);
    // A relative entry of `PATH` would mean another file in the folder in which the program starts.
    let is_found = |file: &PathBuf| file.is_absolute() && is_executable(file);
    let found = files.find(|file| cfg!(windows) && is_found(file));
    found.unwrap_or_else(|| PathBuf::from(name))
}

fn search(env: &Env) -> ProgramSearch {
    ProgramSearch::new(env.get("PATH"), env.get("PATHEXT"))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = fs_err::metadata(path);
    metadata.is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_missing_or_not_executable_does_not_exist() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let name = format!("lantern{}", std::env::consts::EXE_SUFFIX);
        let file = home.path().join(&name);
        let whole = file.to_str().unwrap().to_owned();
        assert!(!program_exists(&whole, &env));
        fs_err::write(&file, "").unwrap();
        assert!(cfg!(windows) || !program_exists("$HOME/lantern", &env));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        for named in [&*whole, "$HOME/lantern", "${HOME}/lantern", "~/lantern"] {
            assert!(program_exists(named, &env), "{named}");
        }
        assert!(!program_exists("lantern", &env));
        let env = env.var("PATH", &home.path().to_string_lossy());
        assert!(program_exists("lantern", &env));
        let started = if cfg!(windows) { &*whole } else { "lantern" };
        assert_eq!(startable_program("lantern", &env), Path::new(started));
        assert_eq!(startable_program("gone", &env), Path::new("gone"));
    }
}
