//! Environment variables that libraries read by themselves: the time zone, and the sizes of threads. A
//! project can set variables, so what none of them may say is removed before anything reads it.

use jiff::tz::TimeZone;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::Path;

/// Variables with a number of threads, by which rayon sizes its pools.
const THREAD_COUNTS: [&str; 2] = ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"];
/// The variable with the bytes of a thread's stack. A large one lets no thread start, a small one overflows.
const STACK_SIZE: &str = "RUST_MIN_STACK";
/// The variable with the directory of all time zones.
const TIME_ZONES: &str = "TZDIR";
/// The variable with the time zone.
const TIME_ZONE: &str = "TZ";

/// Removes variables of this process that open a file, or size threads beyond the machine: those that start
/// from it do not get them, either. Returns the names of those that say what time it is.
///
/// # Safety
/// No other thread may run: it could read the environment meanwhile.
pub unsafe fn remove_process_variables() -> Vec<&'static str> {
    let remove = |name: &str| {
        // SAFETY: the caller says that no other thread runs.
        unsafe { std::env::remove_var(name) }
    };
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    remove(STACK_SIZE);
    for name in THREAD_COUNTS {
        if std::env::var_os(name).is_some_and(|count| !is_thread_count(&count)) {
            remove(name);
        }
    }
    let directory = Some(TIME_ZONES).filter(is_set);
    // First: a time zone is looked up there.
    directory.into_iter().for_each(remove);
    let zone = std::env::var_os(TIME_ZONE).filter(|zone| !is_time_zone(zone));
    let zone = zone.map(|_| TIME_ZONE);
    zone.into_iter().for_each(remove);
    directory.into_iter().chain(zone).collect()
}

/// True for a number of threads that the machine runs at once.
fn is_thread_count(count: &OsStr) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let count = count.to_str().and_then(|count| count.parse().ok());
    count.is_some_and(|count| (1..=cores).contains(&count))
}

/// True for the name of a time zone or a rule of POSIX (`EST5EDT,M3.2.0,M11.1.0`), and not for the path of a
/// file, which jiff would read to its end. An empty one stands for UTC.
fn is_time_zone(zone: &OsStr) -> bool {
    let Some(zone) = zone.to_str() else {
        return false;
    };
    zone.is_empty() || is_zone_name(zone) || TimeZone::posix(zone).is_ok()
}

/// True for the name of a time zone. Without a zone of the name jiff reads the file at that path.
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
        ] {
            assert!(!is_time_zone(OsStr::new(path)), "{path}");
        }
    }

    #[test]
    fn no_more_threads_than_cores() {
        assert!(is_thread_count(OsStr::new("1")));
        for count in ["0", "30000", "-1", "many", ""] {
            assert!(!is_thread_count(OsStr::new(count)), "{count}");
        }
    }
}
