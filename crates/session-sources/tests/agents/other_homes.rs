//! The histories of other machines, in home folders that were copied or mounted.

use session_sources::{Env, Listing, Source, find_source, locate_in_all_homes};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

const FIRST: &str = "7a1e0c52-0000-4000-8000-000000000001";
const SECOND: &str = "7a1e0c52-0000-4000-8000-000000000002";

/// A folder with an own home and the homes of other machines.
struct Machines(tempfile::TempDir);

impl Machines {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn env(&self, others: &[&str]) -> Env {
        Env {
            other_homes: others.iter().map(|home| self.path(home)).collect(),
            ..Env::with_home(&self.path("own"))
        }
    }

    /// Writes a transcript of Claude Code in a home.
    fn claude(&self, home: &str, session: &str, text: &str) -> PathBuf {
        self.write(
            &format!("{home}/.claude/projects/-app/{session}.jsonl"),
            text,
        )
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }

    /// The paths of what is found, below the folder with the homes.
    fn told(&self, listing: &Listing) -> Vec<String> {
        let below = |path: &Path| path.strip_prefix(self.0.path()).unwrap().to_owned();
        let told = listing.locations.iter().map(|at| below(&at.path));
        told.map(|path| path.display().to_string().replace('\\', "/"))
            .collect()
    }
}

fn source(name: &str) -> &'static dyn Source {
    find_source(name).unwrap()
}

fn locate(name: &str, env: &Env) -> Listing {
    locate_in_all_homes(source(name), env, &|_, _| false)
}

#[test]
fn other_homes_are_listed_without_variables_after_the_own_one() {
    let machines = Machines::new();
    let newest = machines.claude("elsewhere", FIRST, "{}");
    let moved = machines.path("elsewhere/.claude").display().to_string();
    machines.claude("own", FIRST, "{}");
    machines.claude("old", SECOND, "{}");
    machines.write("old/.claude/history.jsonl", "{}");
    machines.write("elsewhere/.claude/history.jsonl", "{}");
    let time = UNIX_EPOCH + Duration::from_secs(1 << 33);
    let file = fs_err::File::options().append(true).open(newest).unwrap();
    file.into_parts().0.set_modified(time).unwrap();
    let env = machines.env(&["old", "missing"]);
    let found = locate("claude", &env.var("CLAUDE_CONFIG_DIR", &moved));
    let projects = |home: &str, id: &str| format!("{home}/.claude/projects/-app/{id}.jsonl");
    assert_eq!(
        machines.told(&found),
        [
            projects("elsewhere", FIRST),
            projects("old", SECOND),
            "elsewhere/.claude/history.jsonl".to_owned(),
            "old/.claude/history.jsonl".to_owned(),
        ]
    );
    assert_eq!(found.warnings, []);
}

#[test]
fn a_session_that_an_earlier_home_holds_is_left_out() {
    let machines = Machines::new();
    machines.claude("own", FIRST, "{}\n{}\n");
    machines.claude("old", FIRST, "{}\n");
    machines.claude("old", SECOND, "{}\n");
    machines.claude("older", SECOND, "{}\n");
    let env = machines.env(&["old", "older"]);
    let left = [
        format!("own/.claude/projects/-app/{FIRST}.jsonl"),
        format!("old/.claude/projects/-app/{SECOND}.jsonl"),
    ];
    assert_eq!(machines.told(&locate("claude", &env)), left);
    // Files that are known need not be listed: they hold their sessions all the same.
    let own = machines.path("own");
    let is_own = |path: &Path, _| path.starts_with(&own);
    let unknown = locate_in_all_homes(source("claude"), &env, &is_own);
    assert_eq!(machines.told(&unknown), left[1..]);
    // What a copy holds beyond the original is read.
    machines.claude("old", FIRST, "{}\n{}\n{}\n");
    assert_eq!(locate("claude", &env).locations.len(), 3);
}

/// A copy that was read before its session came to the own home is gone then.
#[test]
fn a_known_copy_is_not_known_any_more() {
    let machines = Machines::new();
    machines.claude("own", FIRST, "{}\n");
    let copy = machines.claude("old", FIRST, "{}\n");
    let known = HashSet::from([copy]);
    let seen = std::sync::atomic::AtomicUsize::new(0);
    let is_known = |path: &Path, _| {
        let is_known = known.contains(path);
        seen.fetch_add(usize::from(is_known), std::sync::atomic::Ordering::Relaxed);
        is_known
    };
    let found = locate_in_all_homes(source("claude"), &machines.env(&["old"]), &is_known);
    assert_eq!(found.locations.len(), 1);
    assert_eq!(seen.into_inner(), 0);
}

/// A session that was resumed on both machines has an end on each.
#[test]
fn a_copy_that_went_on_otherwise_is_no_part_of_the_larger_one() {
    let machines = Machines::new();
    let begun = "{\"line\":1}\n".repeat(1000);
    let copy = machines.claude("old", FIRST, &format!("{begun}{{\"line\":\"zebra\"}}\n"));
    machines.claude("own", FIRST, &begun.repeat(3));
    let env = machines.env(&["old"]);
    let told = [
        format!("own/.claude/projects/-app/{FIRST}.jsonl"),
        format!("old/.claude/projects/-app/{FIRST}.jsonl"),
    ];
    assert_eq!(machines.told(&locate("claude", &env)), told);
    // Once it was read it is listed as any other.
    let is_known = |path: &Path, _| path == copy;
    let found = locate_in_all_homes(source("claude"), &env, &is_known);
    assert_eq!(machines.told(&found), told);
}

/// An agent packs a session that has ended: of the two forms the sizes do not tell which holds more.
#[test]
fn a_packed_session_does_not_cover_an_unpacked_one() {
    let machines = Machines::new();
    let name = format!("sessions/2026/03/02/rollout-2026-03-02T10-00-00-{FIRST}.jsonl");
    let content = zstd::encode_all(&b"{}\n"[..], 1).unwrap();
    let packed = machines.write(&format!("own/.codex/{name}.zst"), "");
    fs_err::write(packed, content).unwrap();
    machines.write(&format!("old/.codex/{name}"), &"{}\n".repeat(100));
    let found = locate("codex", &machines.env(&["old"]));
    let both = [
        format!("own/.codex/{name}.zst"),
        format!("old/.codex/{name}"),
    ];
    assert_eq!(machines.told(&found), both);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_another_home() {
    use std::os::unix::fs::symlink;
    let machines = Machines::new();
    let secret = machines.claude("private", FIRST, "{}");
    let inside = machines.write(&format!("old/sessions/{SECOND}.jsonl"), "{}");
    let folder = machines.path("old/.claude/projects/-app");
    fs_err::create_dir_all(&folder).unwrap();
    symlink(&secret, folder.join(format!("{FIRST}.jsonl"))).unwrap();
    symlink(&inside, folder.join(format!("{SECOND}.jsonl"))).unwrap();
    fs_err::create_dir(machines.path("all")).unwrap();
    symlink(
        machines.path("private/.claude"),
        machines.path("all/.claude"),
    )
    .unwrap();
    let found = locate("claude", &machines.env(&["old", "all"]));
    assert_eq!(
        machines.told(&found),
        [format!("old/.claude/projects/-app/{SECOND}.jsonl")]
    );
    let reasons: Vec<&str> = found.warnings.iter().map(|w| w.reason.as_str()).collect();
    assert_eq!(reasons, ["is a link that leads out of its home folder"; 2]);
}

/// Nothing in it is gone, and no agent knows more of it.
#[cfg(unix)]
#[test]
fn a_home_that_cannot_be_entered_is_one_warning() {
    let machines = Machines::new();
    let laptop = machines.path("laptop");
    session_test::files::make_unlistable(&laptop);
    for source in session_sources::sources() {
        let found = locate(source.name(), &machines.env(&["laptop"]));
        let told = found.warnings.iter().map(|warning| {
            assert!(warning.reason.starts_with("cannot be listed: "));
            &warning.path
        });
        assert_eq!(told.collect::<Vec<_>>(), [&laptop], "{}", source.name());
    }
}
