//! Environment variables that libraries read by themselves: the time zone, the directory of temporary files, the trusted
//! authorities, and the sizes of threads. A project can set variables, so what none of them may say is removed before anything reads it.

use crate::environment::leads_into_project;
use crate::path_variables::opened_in_home;
use jiff::tz::TimeZone;
use session_files::home_directory;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};

/// Variables with a number of threads, by which rayon sizes its pools.
const THREAD_COUNTS: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];
/// The variable with the bytes of a thread's stack. A large one lets no thread start, a small one overflows.
const STACK_SIZE: &str = "RUST_MIN_STACK";
/// The variable with the directory of all time zones.
const TIME_ZONES: &str = "TZDIR";
/// Directories of the system that have them: those that jiff looks through without the variable.
const SYSTEM_TIME_ZONES: [&str; 3] = [
    "/usr/share/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
];
/// The variable with the time zone.
const TIME_ZONE: &str = "TZ";
/// Variables with the directory of temporary files, where databases of agents may be copied.
const TEMPORARY_DIRECTORIES: [&str; 2] = ["TMPDIR", "SQLITE_TMPDIR"];
/// The variable with the file of the authorities that TLS trusts.
const AUTHORITY_FILE: &str = "SSL_CERT_FILE";
/// The variable with a list of directories that have such files.
const AUTHORITY_DIRECTORIES: &str = "SSL_CERT_DIR";
/// Variables with the authorities that TLS trusts.
const TRUSTED_AUTHORITIES: [&str; 2] = [AUTHORITY_FILE, AUTHORITY_DIRECTORIES];
/// Directories of the system in which authorities are. No user has a project there, and a look for the marks of one would take a
/// millisecond of each start; `/etc` may be a repository of the system's administrator.
const AUTHORITY_PLACES: [&str; 5] = [
    "/etc",
    "/usr/lib",
    "/usr/local/share",
    "/usr/share",
    "/nix/store",
];
/// The file with the zone of the system, which some name in the variable.
const SYSTEM_ZONE: &str = "/etc/localtime";

/// A variable that was removed from this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedVariable {
    /// Its name.
    pub name: &'static str,
    /// Its value, for a program that another one starts in its place.
    pub value: OsString,
}

impl RemovedVariable {
    /// Returns true for a variable that decides which local time is shown: who set it sees other times without it.
    pub fn changes_times(&self) -> bool {
        [TIME_ZONE, TIME_ZONES].contains(&self.name)
    }

    /// Returns true for a variable that names authorities, where TLS reads it: not on macOS and Windows.
    pub fn changes_authorities(&self) -> bool {
        let is_read = !cfg!(any(windows, target_os = "macos"));
        is_read && TRUSTED_AUTHORITIES.contains(&self.name) && !self.value.is_empty()
    }
}

/// Removes variables of this process that open a file, or size threads beyond the machine: what starts from it
/// does not get them, either.
///
/// # Safety
/// No other thread may run: it could read the environment meanwhile.
pub unsafe fn remove_process_variables() -> Vec<RemovedVariable> {
    let mut removed = Vec::new();
    // The directory comes before the zone, which is looked up there.
    for name in [STACK_SIZE, TIME_ZONES, TIME_ZONE]
        .into_iter()
        .chain(TEMPORARY_DIRECTORIES)
        .chain(TRUSTED_AUTHORITIES)
        .chain(THREAD_COUNTS)
    {
        if let Some(value) = std::env::var_os(name).filter(|value| !is_allowed(name, value)) {
            // SAFETY: the caller says that no other thread runs.
            unsafe { std::env::remove_var(name) };
            removed.push(RemovedVariable { name, value });
        }
    }
    removed
}

fn is_allowed(name: &str, value: &OsStr) -> bool {
    match name {
        TIME_ZONE => is_time_zone(value),
        TIME_ZONES => SYSTEM_TIME_ZONES
            .iter()
            .any(|path| Path::new(value) == Path::new(path)),
        STACK_SIZE => false,
        _ if TEMPORARY_DIRECTORIES.contains(&name) => is_outside_of_projects(Path::new(value)),
        // A device or a pipe would be read without end.
        AUTHORITY_FILE => Path::new(value).is_file() && may_hold_authorities(Path::new(value)),
        AUTHORITY_DIRECTORIES => are_authority_directories(value),
        _ => is_thread_count(value),
    }
}

/// Returns true for a list of directories outside of projects. One that is missing, or has no name, takes none of the others away.
fn are_authority_directories(list: &OsStr) -> bool {
    let directories = std::env::split_paths(list);
    let directories = directories.filter(|path| !path.as_os_str().is_empty());
    let directories: Vec<PathBuf> = directories.collect();
    let is_any_there = directories.iter().any(|path| path.is_dir());
    is_any_there && directories.iter().all(|path| may_hold_authorities(path))
}

fn may_hold_authorities(path: &Path) -> bool {
    lies_in_any(path, &AUTHORITY_PLACES) || is_outside_of_projects(path)
}

/// Returns true for an absolute path outside of projects.
fn is_outside_of_projects(path: &Path) -> bool {
    let directory = std::env::current_dir().unwrap_or_default();
    let home = home_directory(&directory, &opened_in_home()).unwrap_or_default();
    path.is_absolute() && !leads_into_project(path, &home, &directory)
}

/// Returns true for a number of threads that the machine runs at once.
fn is_thread_count(count: &OsStr) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let count = count.to_str().and_then(|count| count.parse().ok());
    count.is_some_and(|count| (1..=cores).contains(&count))
}

/// Returns true for the name of a time zone or a rule of POSIX (`EST5EDT,M3.2.0,M11.1.0`), and not for the path of a
/// file, which jiff would read to its end. An empty one stands for UTC.
fn is_time_zone(zone: &OsStr) -> bool {
    let Some(zone) = zone.to_str() else {
        return false;
    };
    // POSIX begins what is no rule with a colon.
    let name = zone.strip_prefix(':').unwrap_or(zone);
    let is_file = name == SYSTEM_ZONE || is_system_zone(Path::new(name));
    is_file || name.is_empty() || is_zone_name(name) || TimeZone::posix(zone).is_ok()
}

/// Returns true for a file of the system's directories of time zones.
fn is_system_zone(path: &Path) -> bool {
    lies_in_any(path, &SYSTEM_TIME_ZONES)
}

/// Returns true for a path that by its names lies in one of some directories.
fn lies_in_any(path: &Path, directories: &[&str]) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    !climbs
        && directories
            .iter()
            .any(|directory| path.starts_with(directory))
}

/// Returns true for the name of a time zone. Without a zone of the name jiff reads the file at that path.
fn is_zone_name(zone: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_+-/".contains(c);
    let has_form = zone.chars().all(is_part) && !zone.starts_with('/');
    let is_file = || fs_err::symlink_metadata(Path::new(zone)).is_ok();
    has_form && (!is_file() || TimeZone::get(zone).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_is_a_name_or_a_rule() {
        for zone in [
            "",
            "UTC",
            "Europe/Berlin",
            "America/Argentina/Buenos_Aires",
            "Etc/GMT+5",
            "EST5EDT,M3.2.0,M11.1.0",
            "CET-1CEST,M3.5.0,M10.5.0/3",
            "<+0330>-3:30",
            ":Europe/Berlin",
            ":/etc/localtime",
            "/usr/share/zoneinfo/Europe/Berlin",
            ":/usr/share/zoneinfo/Europe/Berlin",
        ] {
            assert!(is_time_zone(OsStr::new(zone)), "{zone}");
        }
        for path in [
            "/dev/zero",
            ":/dev/zero",
            "/tmp/p/fifo",
            "../fifo",
            "./fifo",
            "zoneinfo/../../fifo",
            "src/",
            "src",
            "UTC\n",
            "/usr/share/zoneinfo/../../../tmp/fifo",
            "/usr/share/zoneinfos/fifo",
        ] {
            assert!(!is_time_zone(OsStr::new(path)), "{path}");
        }
    }

    #[test]
    fn the_time_zones_are_those_of_the_system() {
        let allows = |path: &str| is_allowed(TIME_ZONES, OsStr::new(path));
        assert!(allows("/usr/share/zoneinfo") && allows("/etc/zoneinfo"));
        assert!(allows("/usr/share/zoneinfo/"));
        assert!(!allows("evil") && !allows("/usr/share/zoneinfo/../../../tmp"));
        assert!(!is_allowed(STACK_SIZE, OsStr::new("4000000000000")));
    }

    #[test]
    fn temporary_files_stay_out_of_projects() {
        let folder = tempfile::tempdir().unwrap();
        let clone = folder.path().join("clone");
        fs_err::create_dir_all(clone.join(".git")).unwrap();
        let allows = |path: &Path| is_allowed("TMPDIR", path.as_os_str());
        assert!(allows(folder.path()));
        assert!(!allows(&clone.join("tmp")) && !allows(Path::new("tmp")));
    }

    /// With an authority and a proxy of its own, a project would read what is sent to an endpoint.
    #[test]
    fn no_project_names_an_authority() {
        let folder = tempfile::tempdir().unwrap();
        let clone = folder.path().join("clone");
        fs_err::create_dir_all(clone.join(".git")).unwrap();
        let (own, theirs) = (folder.path().join("ca.pem"), clone.join("ca.pem"));
        fs_err::write(&own, "").unwrap();
        fs_err::write(&theirs, "").unwrap();
        let allows =
            |name, paths: &[&Path]| is_allowed(name, &std::env::join_paths(paths).unwrap());
        assert!(allows("SSL_CERT_FILE", &[&own]) && allows("SSL_CERT_DIR", &[folder.path()]));
        assert!(!allows("SSL_CERT_FILE", &[&theirs]));
        let climbing = Path::new("/usr/..").join(theirs.strip_prefix("/").unwrap_or(&theirs));
        assert!(!allows("SSL_CERT_FILE", &[&climbing]));
        assert!(!allows("SSL_CERT_DIR", &[folder.path(), &clone]));
        assert!(!allows("SSL_CERT_FILE", &[Path::new("ca.pem")]));
        assert!(!allows("SSL_CERT_FILE", &[Path::new("/dev/zero")]));
        let (missing, unnamed) = (folder.path().join("missing"), Path::new(""));
        assert!(allows("SSL_CERT_DIR", &[folder.path(), &missing, unnamed]));
        assert!(!allows("SSL_CERT_DIR", &[&missing]) && !allows("SSL_CERT_DIR", &[unnamed]));
        assert!(!allows(
            "SSL_CERT_DIR",
            &[folder.path(), &clone.join("missing")]
        ));
    }

    #[cfg(unix)]
    #[test]
    fn the_file_of_authorities_is_one_path_and_no_list() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("co:lon.pem");
        fs_err::write(&file, "").unwrap();
        assert!(is_allowed("SSL_CERT_FILE", file.as_os_str()));
    }

    #[test]
    fn no_more_threads_than_cores() {
        assert!(is_thread_count(OsStr::new("1")));
        for count in ["0", "30000", "-1", "many", ""] {
            assert!(!is_thread_count(OsStr::new(count)), "{count}");
        }
    }
}
