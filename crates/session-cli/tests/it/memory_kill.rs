//! Two processes that save at once, and one that is killed while it does: every
//! memory is there whole, or not at all.

use crate::kill::kills;
use crate::memory::MemoryProject;
use std::collections::HashSet;
use std::process::Stdio;
use std::time::Instant;

/// Memories of each of the processes that save at once.
const EACH: usize = 6;

fn topics(project: &MemoryProject) -> HashSet<String> {
    let ran = project.run(&["memory", "list", "--json"]);
    assert!(ran.stderr().is_empty(), "{ran}");
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    let all = answer["memories"].as_array().unwrap();
    all.iter()
        .map(|m| m["topic"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn all_that_save_at_once_are_heard() {
    let project = MemoryProject::new();
    let save = |writer: usize, n: usize| {
        let mut command = project.command();
        let (topic, info) = (
            format!("Writer {writer} says {n}"),
            format!("w{writer}n{n}"),
        );
        command.args(["memory", "save", "--topic", &topic, "--info", &info]);
        command
    };
    let writers = (0..4).map(|writer| (0..EACH).map(|n| save(writer, n)).collect::<Vec<_>>());
    let writers: Vec<_> = writers.collect();
    std::thread::scope(|scope| {
        for commands in writers {
            scope.spawn(move || {
                for mut command in commands {
                    assert!(command.output().unwrap().status.success());
                }
            });
        }
    });
    assert_eq!(topics(&project).len(), 4 * EACH - archived(&project));
    let index = fs_err::read_to_string(project.folder("index.md")).unwrap();
    assert_eq!(
        index.matches("| mem-").count(),
        4 * EACH - archived(&project)
    );
}

fn archived(project: &MemoryProject) -> usize {
    let files = fs_err::read_dir(project.folder("archive"));
    files.map_or(0, Iterator::count)
}

#[test]
fn a_save_that_is_killed_leaves_nothing_half_done() {
    let project = MemoryProject::new();
    let said = "word ".repeat(20_000);
    let args = |n: u32| {
        [
            "memory",
            "save",
            "--info",
            &said,
            "--topic",
            &format!("Kill {n}"),
        ]
        .map(str::to_owned)
    };
    let began = Instant::now();
    let ran = project
        .env
        .ran(project.command().args(args(0)).output().unwrap())
        .succeeded();
    let whole = began.elapsed();
    assert!(ran.stdout().starts_with("mem-"));
    let mut told = HashSet::from(["Kill 0".to_owned()]);
    let (kills, mut killed) = (kills(), 0);
    for n in 1..=kills {
        let mut child = project
            .command()
            .args(args(n))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The first one at once: the machine does not decide whether any is in time.
        std::thread::sleep(whole * (n - 1) / kills);
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        killed += u32::from(!output.status.success());
        // What was told to be saved is saved.
        if output.stdout.starts_with(b"mem-") {
            told.insert(format!("Kill {n}"));
        }
        let kept = topics(&project);
        assert!(told.is_subset(&kept), "{told:?} {kept:?}");
    }
    assert!(killed > 0, "every save ended before it was killed");
    project.save("The last", "one", &[]);
    let mut names: Vec<String> = Vec::new();
    for folder in ["", "active", "daily"] {
        let entries = fs_err::read_dir(project.folder(folder)).unwrap();
        names.extend(entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()));
    }
    assert!(
        !names.iter().any(|name| name.starts_with(".new-")),
        "{names:?}"
    );
}
