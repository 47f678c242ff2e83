//! The skill is installed, upgraded and removed; edited files are kept.

use serde_json::{Value, json};
use session_agents::{
    Agent, SkillAction, SkillFileOutcome, SkillFileState, SkillLocation, SkillPlan, SkillReport,
    WriteMode,
};
use session_files::Project;
use session_sources::Env;
use std::path::PathBuf;
use tempfile::TempDir;

const SKILL: &str = ".claude/skills/session-search/SKILL.md";
const OLD_REFERENCE: &str = ".claude/skills/session-search/references/json.md";
const MANIFEST: &str = ".claude/skills/session-search/.installed.json";
const EDITED: &str = "My text.\n";

fn install(home: &TempDir) -> SkillReport {
    apply(home, SkillAction::Install, false)
}

/// Applies an action to the user's skill for Claude Code; `force` is consent to lose edits.
fn apply(home: &TempDir, action: SkillAction, force: bool) -> SkillReport {
    let mut plan = SkillPlan::read(location(home)).unwrap();
    for file in plan.edited_files() {
        file.overwrite = force;
    }
    plan.apply(action, WriteMode::Write).unwrap()
}

fn location(home: &TempDir) -> SkillLocation {
    SkillLocation::for_user(Agent::Claude, &Env::with_home(home.path()))
}

fn read(home: &TempDir, path: &str) -> String {
    fs_err::read_to_string(home.path().join(path)).unwrap()
}

fn write(home: &TempDir, path: &str, text: &str) -> PathBuf {
    let path = home.path().join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(&path, text).unwrap();
    path
}

fn outcomes(report: &SkillReport) -> Vec<SkillFileOutcome> {
    report
        .files
        .iter()
        .filter_map(|file| file.outcome)
        .collect()
}

/// Installs what an older version would have left: another text, a file that this version lacks, and
/// the hashes of both.
fn install_older_version(home: &TempDir) {
    install(home);
    let old = "---\nname: session-search\n---\nAn older text.\n";
    write(home, SKILL, old);
    write(home, OLD_REFERENCE, "Gone since.\n");
    let mut manifest: Value = serde_json::from_str(&read(home, MANIFEST)).unwrap();
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    manifest["version"] = json!("0.0.9");
    manifest["files"]["skills/session-search/SKILL.md"] = json!(hash(old));
    manifest["files"]["skills/session-search/references/json.md"] = json!(hash("Gone since.\n"));
    write(home, MANIFEST, &manifest.to_string());
}

#[test]
fn a_second_installation_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let first = outcomes(&install(&home));
    assert!(
        first
            .iter()
            .all(|outcome| *outcome == SkillFileOutcome::Written)
    );
    let second = outcomes(&install(&home));
    assert!(
        second
            .iter()
            .all(|outcome| *outcome == SkillFileOutcome::Unchanged)
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let plan = SkillPlan::read(location(&home)).unwrap();
    let report = plan.apply(SkillAction::Install, WriteMode::DryRun).unwrap();
    assert!(outcomes(&report).contains(&SkillFileOutcome::Written));
    assert_eq!(fs_err::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn an_older_version_is_upgraded_without_a_backup() {
    let home = tempfile::tempdir().unwrap();
    install_older_version(&home);
    let report = install(&home);
    assert_eq!(report.files[0].state, SkillFileState::Older);
    let outcomes = outcomes(&report);
    assert_eq!(outcomes.first(), Some(&SkillFileOutcome::Written));
    assert_eq!(outcomes.last(), Some(&SkillFileOutcome::Removed));
    assert_eq!(report.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert!(!home.path().join(format!("{SKILL}.backup")).exists());
    assert!(!home.path().join(OLD_REFERENCE).exists());
}

#[test]
fn an_edited_file_is_replaced_with_consent_alone_and_with_a_backup() {
    let home = tempfile::tempdir().unwrap();
    install(&home);
    write(&home, SKILL, EDITED);
    assert!(install(&home).has_kept_files());
    assert_eq!(read(&home, SKILL), EDITED);
    assert!(!apply(&home, SkillAction::Install, true).has_kept_files());
    assert_ne!(read(&home, SKILL), EDITED);
    assert_eq!(read(&home, &format!("{SKILL}.backup")), EDITED);
}

#[test]
fn an_edited_file_that_this_version_lacks_is_removed_with_consent_alone_and_with_a_backup() {
    let home = tempfile::tempdir().unwrap();
    install_older_version(&home);
    write(&home, OLD_REFERENCE, EDITED);
    let kept = outcomes(&install(&home));
    assert_eq!(kept.last(), Some(&SkillFileOutcome::Kept));
    assert_eq!(read(&home, OLD_REFERENCE), EDITED);
    let removed = outcomes(&apply(&home, SkillAction::Install, true));
    assert_eq!(removed.last(), Some(&SkillFileOutcome::Removed));
    assert!(!home.path().join(OLD_REFERENCE).exists());
    assert_eq!(read(&home, &format!("{OLD_REFERENCE}.backup")), EDITED);
}

#[test]
fn a_removal_keeps_an_edited_file() {
    let home = tempfile::tempdir().unwrap();
    install(&home);
    write(&home, SKILL, EDITED);
    assert!(apply(&home, SkillAction::Uninstall, false).has_kept_files());
    assert_eq!(read(&home, SKILL), EDITED);
    assert!(!home.path().join(MANIFEST).exists());
    apply(&home, SkillAction::Uninstall, true);
    assert!(!home.path().join(".claude/skills/session-search").exists());
}

#[test]
fn files_of_the_user_are_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let data = write(&home, ".claude/data/session-search/memories/a.md", "memory");
    let notes = write(&home, ".claude/skills/session-search/notes.md", "mine");
    for action in [SkillAction::Install, SkillAction::Uninstall] {
        apply(&home, action, true);
        assert_eq!(fs_err::read_to_string(&data).unwrap(), "memory");
        assert_eq!(fs_err::read_to_string(&notes).unwrap(), "mine");
    }
}

#[test]
fn a_damaged_manifest_makes_every_file_count_as_edited() {
    let home = tempfile::tempdir().unwrap();
    install_older_version(&home);
    let old = read(&home, SKILL);
    for manifest in ["{", "[]", "{\"version\": 1}"] {
        write(&home, MANIFEST, manifest);
        assert!(install(&home).has_kept_files());
        assert_eq!(read(&home, SKILL), old, "{manifest}");
    }
}

#[test]
fn each_agent_has_a_location_of_the_user_and_one_in_a_project() {
    let home = tempfile::tempdir().unwrap();
    let app = home.path().join("app");
    fs_err::create_dir_all(app.join(".git")).unwrap();
    let project = Project::find(&app, home.path()).unwrap();
    let env = Env::with_home(home.path());
    let all = SkillLocation::all(&env, project.as_ref());
    let labels: Vec<&str> = all.iter().map(SkillLocation::label).collect();
    let expected = ["claude", "claude, project", "opencode", "opencode, project"];
    assert_eq!(labels, expected);
    for location in all {
        let plan = SkillPlan::read(location).unwrap();
        let (agent, project) = (plan.location.agent, plan.location.project.is_some());
        let report = plan.report();
        assert_eq!(report.agent, agent.name());
        assert_eq!(report.scope == "project", project);
        plan.apply(SkillAction::Install, WriteMode::Write).unwrap();
    }
    let exists = |path: &str| home.path().join(path).is_file();
    for directory in [
        ".claude",
        ".config/opencode",
        "app/.claude",
        "app/.opencode",
    ] {
        assert!(
            exists(&format!("{directory}/skills/session-search/SKILL.md")),
            "{directory}"
        );
        let has_command = exists(&format!("{directory}/commands/session-search.md"));
        assert_eq!(has_command, directory.ends_with("opencode"), "{directory}");
    }
    let opencode = SkillLocation::for_user(Agent::OpenCode, &env);
    let plan = SkillPlan::read(opencode).unwrap();
    plan.apply(SkillAction::Uninstall, WriteMode::Write)
        .unwrap();
    assert!(!exists(".config/opencode/commands/session-search.md"));
    assert_eq!(SkillLocation::all(&env, None).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_skills_directory_is_not_followed() {
    use fs_err::os::unix::fs::symlink;
    for linked in ["SKILL.md", "references"] {
        let home = tempfile::tempdir().unwrap();
        let skill = home.path().join(".claude/skills/session-search");
        fs_err::create_dir_all(&skill).unwrap();
        let file = write(&home, "mine/x.md", "mine");
        let directory = home.path().join("mine");
        let target: &std::path::Path = if linked == "SKILL.md" {
            &file
        } else {
            &directory
        };
        symlink(target, skill.join(linked)).unwrap();
        let plan = SkillPlan::read(location(&home));
        let error = plan.unwrap_err().to_string();
        assert!(error.contains("is a link to somewhere else"), "{error}");
        assert_eq!(fs_err::read_dir(&directory).unwrap().count(), 1);
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "mine");
    }
}

#[test]
fn what_a_killed_install_left_is_removed_by_the_next_one() {
    let home = tempfile::tempdir().unwrap();
    let left = [
        ".claude/skills/session-search/.new-1f-2e-3d",
        ".claude/skills/session-search/references/.new-1f-2e-3d",
    ];
    for action in [SkillAction::Install, SkillAction::Uninstall] {
        let left = left.map(|path| write(&home, path, "half"));
        apply(&home, action, false);
        assert_eq!(left.map(|path| path.exists()), [false; 2]);
    }
    assert!(!home.path().join(".claude/skills").exists());
}
