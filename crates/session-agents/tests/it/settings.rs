//! Changes to Claude Code's settings files.

use session_agents::{
    AgentError, HookEvent, MergedSettings, RuleList, SettingsChange, SettingsFile, SkillOrigin,
    WriteMode, revoke_skill_rule,
};
use session_core::diff::DiffLine;
use session_files::{FileError, Project};
use session_sources::Env;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PROGRAM: &str = "/opt/bin/session-search";

fn home_with_settings(text: &str) -> (TempDir, Env, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".claude/settings.json");
    fs_err::create_dir(path.parent().unwrap()).unwrap();
    fs_err::write(&path, text).unwrap();
    let env = Env::with_home(home.path());
    (home, env, path)
}

#[test]
fn a_change_is_shown_before_it_is_written_with_a_backup() {
    let old = "{\n  \"model\": \"x\",\n  \"cleanupPeriodDays\": 30\n}\n";
    let (_home, env, path) = home_with_settings(old);
    let settings = SettingsFile::for_user(&env).unwrap();
    assert_eq!(
        settings.read_cleanup_period().unwrap().as_deref(),
        Some("30")
    );
    assert!(settings.plan_retention(30).unwrap().is_noop());
    let change = settings.plan_retention(365).unwrap();
    let changed: Vec<_> = change.diff();
    assert!(
        changed.contains(&DiffLine::Added("  \"cleanupPeriodDays\": 365")),
        "{changed:?}"
    );
    assert_eq!(fs_err::read_to_string(&path).unwrap(), old);
    let backup = change.write().unwrap().unwrap();
    assert_eq!(fs_err::read_to_string(backup).unwrap(), old);
    assert_eq!(
        settings.read_cleanup_period().unwrap().as_deref(),
        Some("365")
    );
}

#[test]
fn a_change_of_another_program_since_the_plan_is_not_overwritten() {
    let (_home, env, path) = home_with_settings("{}\n");
    let settings = SettingsFile::for_user(&env).unwrap();
    let changes: Vec<_> = (1..=8)
        .map(|days| settings.plan_retention(100 + days).unwrap())
        .collect();
    let written: usize = std::thread::scope(|threads| {
        let write = |change| move || usize::from(SettingsChange::write(change).is_ok());
        let all = changes.iter().map(|change| threads.spawn(write(change)));
        let all: Vec<_> = all.collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(written, 1, "each planned on the same text");
    let text = fs_err::read_to_string(&path).unwrap();
    let error = changes[0].write().unwrap_err();
    let is_refused = matches!(error, AgentError::File(FileError::Changed(_)));
    assert!(is_refused, "{error}");
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
}

#[test]
fn each_installation_adds_its_events_to_those_before() {
    let (_home, env, _) = home_with_settings("{}");
    let settings = SettingsFile::for_user(&env).unwrap();
    let install = |event| {
        let change = settings.plan_hook(Path::new(PROGRAM), &[event]).unwrap();
        if !change.is_noop() {
            change.write().unwrap();
        }
        let hooks = settings.installed_hooks().unwrap();
        hooks.iter().map(|hook| hook.event).collect::<Vec<_>>()
    };
    let (prompt, start) = (HookEvent::UserPromptSubmit, HookEvent::SessionStart);
    assert_eq!(install(start), [start]);
    assert_eq!(install(prompt), [prompt, start]);
    assert_eq!(install(start), [prompt, start]);
}

#[test]
fn a_hook_is_found_in_the_settings_of_the_user_or_of_the_project() {
    let (home, env, _) = home_with_settings("{}");
    let root = home.path().join("shop");
    fs_err::create_dir_all(root.join(".git")).unwrap();
    let project = Project::find(&root, home.path()).unwrap().unwrap();
    let settings = |project| MergedSettings::new(&env, project).unwrap();
    let has_prompt_hook = |project| settings(project).has_hook(HookEvent::UserPromptSubmit);
    assert!(!has_prompt_hook(Some(&project)));
    let install = |settings: SettingsFile, event| {
        let change = settings.plan_hook(Path::new(PROGRAM), &[event]).unwrap();
        change.write().unwrap();
    };
    let prompt = HookEvent::UserPromptSubmit;
    install(SettingsFile::for_project(&project), prompt);
    assert!(has_prompt_hook(Some(&project)) && !has_prompt_hook(None));
    assert!(!settings(Some(&project)).has_hook(HookEvent::PreCompact));
    install(SettingsFile::for_user_in(&project), HookEvent::PreCompact);
    assert!(settings(Some(&project)).has_hook(HookEvent::PreCompact));
    assert_eq!(settings(Some(&project)).installed_hooks().unwrap().len(), 2);
    install(SettingsFile::for_user(&env).unwrap(), prompt);
    assert!(has_prompt_hook(None));
}

#[test]
fn of_the_files_that_claude_code_merges_the_first_that_sets_a_key_wins() {
    let (home, env, path) =
        home_with_settings("{\"disableAllHooks\": true, \"cleanupPeriodDays\": 9}");
    let root = home.path().join("shop");
    fs_err::create_dir_all(root.join(".git")).unwrap();
    fs_err::create_dir(root.join(".claude")).unwrap();
    let project = Project::find(&root, home.path()).unwrap().unwrap();
    let read = || {
        let settings = MergedSettings::new(&env, Some(&project)).unwrap();
        (
            settings.disabling_file(),
            settings.read_cleanup_period().unwrap(),
        )
    };
    assert_eq!(read(), (Some(path), Some("9".to_owned())));
    let local = root.join(".claude/settings.local.json");
    fs_err::write(
        &local,
        "{\"disableAllHooks\": false, \"cleanupPeriodDays\": 2}",
    )
    .unwrap();
    assert_eq!(read(), (None, Some("2".to_owned())));
    let of_project = root.join(".claude/settings.json");
    fs_err::write(of_project, "{\"disableAllHooks\": true").unwrap();
    fs_err::write(&local, "{\"disableAllHooks\": true}").unwrap();
    assert_eq!(
        read(),
        (Some(local), Some("9".to_owned())),
        "a damaged file says nothing"
    );
}

#[test]
fn removing_a_hook_from_missing_settings_changes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let settings = SettingsFile::for_user(&Env::with_home(home.path())).unwrap();
    assert!(settings.plan_hook_removal().unwrap().is_noop());
}

#[test]
fn the_rule_of_the_skill_is_written_and_revoked() {
    let old = "{\n  \"model\": \"x\"\n}\n";
    let (_home, env, path) = home_with_settings(old);
    let settings = SettingsFile::for_user(&env).unwrap();
    assert_eq!(revoke_skill_rule(&env, WriteMode::Write).unwrap(), None);
    settings
        .plan_skill_rule(SkillOrigin::User)
        .unwrap()
        .write()
        .unwrap();
    assert_eq!(
        settings.skill_rule(SkillOrigin::User).unwrap(),
        Some(RuleList::Allow)
    );
    assert!(
        revoke_skill_rule(&env, WriteMode::DryRun)
            .unwrap()
            .is_some()
    );
    assert_eq!(
        settings.skill_rule(SkillOrigin::User).unwrap(),
        Some(RuleList::Allow),
        "a dry run"
    );
    assert!(revoke_skill_rule(&env, WriteMode::Write).unwrap().is_some());
    assert_eq!(fs_err::read_to_string(&path).unwrap(), old);
}

#[test]
fn settings_are_as_before_the_rule_of_the_skill() {
    for old in [None, Some(""), Some("{\"permissions\":{\"allow\":[]}}")] {
        let (_home, env, path) = home_with_settings(old.unwrap_or_default());
        if old.is_none() {
            fs_err::remove_file(&path).unwrap();
        }
        let settings = SettingsFile::for_user(&env).unwrap();
        let change = settings.plan_skill_rule(SkillOrigin::User).unwrap();
        change.write().unwrap();
        settings.plan_rule_removal().unwrap().write().unwrap();
        assert_eq!(fs_err::read_to_string(&path).ok().as_deref(), old);
    }
}

#[test]
fn settings_are_as_before_the_hook_however_often_it_was_installed() {
    use HookEvent::{PostToolUse, PreCompact, PreToolUse, SessionStart, UserPromptSubmit};
    let steps: [&[&[HookEvent]]; 4] = [
        &[&[UserPromptSubmit, PreToolUse]],
        &[
            &[PostToolUse],
            &[UserPromptSubmit, SessionStart, PreToolUse],
        ],
        &[&[PreCompact], &[PreCompact], &[SessionStart]],
        &[
            &[SessionStart],
            &[UserPromptSubmit],
            &[PreToolUse, PostToolUse],
        ],
    ];
    let others =
        "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"command\": \"mine\"}]}]}, \"a\": 1 }";
    for old in [
        None,
        Some(""),
        Some("{\"a\": 1 }"),
        Some("{}"),
        Some(others),
    ] {
        for steps in steps {
            let (_home, env, path) = home_with_settings(old.unwrap_or_default());
            if old.is_none() {
                fs_err::remove_file(&path).unwrap();
            }
            let settings = SettingsFile::for_user(&env).unwrap();
            for events in steps {
                let change = settings.plan_hook(Path::new(PROGRAM), events).unwrap();
                if !change.is_noop() {
                    change.write().unwrap();
                }
            }
            settings.plan_hook_removal().unwrap().write().unwrap();
            let left = fs_err::read_to_string(&path).ok();
            assert_eq!(left.as_deref(), old, "{steps:?}");
        }
    }
}

#[test]
fn settings_that_are_not_json_are_refused() {
    let (_home, env, path) = home_with_settings("{ // mine\n}");
    let settings = SettingsFile::for_user(&env).unwrap();
    for change in [
        settings.plan_retention(365),
        settings.plan_hook(Path::new(PROGRAM), &[HookEvent::UserPromptSubmit]),
        settings.plan_skill_rule(SkillOrigin::User),
    ] {
        assert!(
            matches!(change, Err(AgentError::Settings { .. })),
            "{change:?}"
        );
    }
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "{ // mine\n}");
}

#[test]
fn settings_that_are_not_utf_8_are_refused() {
    let (_home, env, path) = home_with_settings("");
    fs_err::write(&path, b"{\"a\": \"caf\xe9\"}").unwrap();
    let settings = SettingsFile::for_user(&env).unwrap();
    let planned = settings.plan_hook(Path::new(PROGRAM), &[HookEvent::UserPromptSubmit]);
    let is_refused = matches!(planned, Err(AgentError::File(FileError::NotUtf8(_))));
    assert!(is_refused, "{planned:?}");
}

#[test]
fn the_configured_directory_of_claude_code_is_used() {
    let home = tempfile::tempdir().unwrap();
    let env = Env::with_home(home.path()).var("CLAUDE_CONFIG_DIR", "~/other, /third");
    let settings = SettingsFile::for_user(&env).unwrap();
    assert_eq!(settings.path(), home.path().join("other/settings.json"));
}
