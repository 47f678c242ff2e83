//! The path under which agents run this program, and which paths are its own.

use crate::error::{AgentError, Result};
use session_core::shell::is_own_program_name;
use session_core::text::file_name;
use session_files::Project;
use session_sources::Env;
use std::path::{Path, PathBuf};

const NAME: &str = "session-search";

/// Returns the path under which an agent is to run this program: the one in `PATH` that leads to it, else that
/// of its file. Installers link the former to a file that each upgrade replaces. A link in the project around
/// the working directory is not taken: whoever writes there could let it lead elsewhere.
///
/// # Errors
/// When the system does not report the program's path.
pub fn own_program(env: &Env) -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // A directory that was deleted is in no project.
    let directory = std::env::current_dir().ok();
    let project = directory.map(|directory| Project::find(&directory, &env.home));
    let Ok(project) = project.transpose().map(Option::flatten) else {
        return Ok(own);
    };
    let root = project.as_ref().map(Project::root);
    Ok(find_in_path(&own, env, root).unwrap_or(own))
}

/// Returns how a project's settings, which others of its team read, too, are to run this program: by its name where
/// `PATH` has it, since they have it elsewhere.
///
/// # Errors
/// As [`own_program`].
pub fn shared_program(env: &Env) -> std::io::Result<PathBuf> {
    let own = own_program(env)?;
    let is_in_path = find_in_path(&own, env, None).is_some_and(|found| found == own);
    Ok(if is_in_path { PathBuf::from(NAME) } else { own })
}

/// Checks that settings of an agent may name this program: `uvx`, `pipx run` and `npx` run one from a cache.
///
/// # Errors
/// When it lies in such a cache.
pub fn require_installed(program: &Path, env: &Env) -> Result<()> {
    if is_in_package_cache(program, env) {
        return Err(AgentError::CachedProgram(program.to_owned()));
    }
    Ok(())
}

fn is_in_package_cache(program: &Path, env: &Env) -> bool {
    let cache = env.get("UV_CACHE_DIR").filter(|folder| !folder.is_empty());
    let path = program.to_string_lossy().to_lowercase();
    let has = |wanted: &[&str]| path.split(['/', '\\']).any(|name| wanted.contains(&name));
    cache.is_some_and(|cache| program.starts_with(cache))
        || has(&["archive-v0", "_npx"])
        || (has(&["uv", "pipx"]) && has(&[".cache", "cache", "caches"]))
}

fn find_in_path(program: &Path, env: &Env, project: Option<&Path>) -> Option<PathBuf> {
    let file = fs_err::canonicalize(program).ok()?;
    let root = project.and_then(|root| fs_err::canonicalize(root).ok());
    let is_in_project = |directory: &Path| {
        let directory = fs_err::canonicalize(directory).ok();
        directory
            .zip(root.as_ref())
            .is_some_and(|(directory, root)| directory.starts_with(root))
    };
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let directories = std::env::split_paths(env.get("PATH")?);
    let mut trusted = directories.filter(|path| path.is_absolute() && !is_in_project(path));
    let leads_to_file = |path: &PathBuf| fs_err::canonicalize(path).is_ok_and(|it| it == file);
    trusted.find_map(|directory| Some(directory.join(&name)).filter(leads_to_file))
}

/// Returns true for a path of this program: by its name, with or without a version, or by that of this process.
pub(crate) fn is_own_program(path: &str) -> bool {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::file_name);
    let name = file_name(path);
    own.is_some_and(|own| own == name) || is_own_program_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_cache_of_packages_is_not_installed() {
        let env = Env::with_home(Path::new("/home/ann")).var("UV_CACHE_DIR", "/disk/packages");
        for path in [
            "/home/ann/.cache/uv/archive-v0/-DPwktgE/bin/session-search",
            "/home/ann/.cache/uv/environments-v2/x/bin/session-search",
            "/disk/packages/builds-v0/x/bin/session-search",
            r"C:\Users\ann\AppData\Local\uv\cache\archive-v0\x\Scripts\session-search.exe",
            "/home/ann/.cache/pipx/0123abc/bin/session-search",
            "/home/ann/.local/pipx/.cache/0123abc/bin/session-search",
            "/Users/ann/Library/Caches/pipx/0123abc/bin/session-search",
            "/home/ann/.npm/_npx/0123abc/node_modules/.bin/session-search",
        ] {
            assert!(is_in_package_cache(Path::new(path), &env), "{path}");
        }
        for path in [
            "/home/ann/.local/bin/session-search",
            "/home/ann/.local/share/uv/tools/session-search-cli/bin/session-search",
            "/home/ann/.local/share/pipx/venvs/session-search-cli/bin/session-search",
            "/home/ann/.cache/builds/session-search",
            "/disk/packages-of-ann/session-search",
        ] {
            assert!(!is_in_package_cache(Path::new(path), &env), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_link_in_the_path_is_taken_where_it_leads_to_the_program() {
        use fs_err::os::unix::fs::symlink;
        let home = tempfile::tempdir().unwrap();
        let [bin, cellar] = ["bin", "cellar"].map(|name| home.path().join(name));
        let program = cellar.join("session-search-v0.1.0");
        for directory in [&bin, &cellar] {
            fs_err::create_dir(directory).unwrap();
        }
        fs_err::write(&program, "").unwrap();
        fs_err::write(cellar.join(NAME), "another").unwrap();
        symlink(&program, bin.join(NAME)).unwrap();
        let path = std::env::join_paths([Path::new("."), &cellar, &bin]).unwrap();
        let env = Env::with_home(home.path()).var("PATH", &path.to_string_lossy());
        let find = |program: &Path| find_in_path(program, &env, None);
        assert_eq!(find(&program), Some(bin.join(NAME)));
        assert_eq!(find_in_path(&program, &env, Some(&bin)), None, "a project");
        assert_eq!(find(&cellar.join(NAME)), Some(cellar.join(NAME)));
        let env = Env::with_home(home.path());
        assert_eq!(find_in_path(&program, &env, None), None);
    }
}
