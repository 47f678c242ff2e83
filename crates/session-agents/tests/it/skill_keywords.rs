//! Keywords of saved memories in the skill's description.

use session_agents::{
    Agent, SkillAction, SkillFileOutcome, SkillLocation, SkillPlan, WriteMode,
    remove_lost_keywords, set_skill_keywords, update_skill_keywords,
};
use session_files::Project;
use session_sources::Env;
use std::path::PathBuf;
use tempfile::TempDir;

struct KeywordsHome {
    _home: TempDir,
    env: Env,
    skill: PathBuf,
}

impl KeywordsHome {
    /// Makes a project in the home.
    fn make_project(&self) -> Project {
        let shop = self.env.home.join("shop");
        fs_err::create_dir_all(shop.join(".git")).unwrap();
        Project::find(&shop, &self.env.home).unwrap().unwrap()
    }

    fn with_skill() -> Self {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let user = Self {
            skill: home.path().join(".claude/skills/session-search/SKILL.md"),
            _home: home,
            env,
        };
        user.install();
        user
    }

    fn install(&self) {
        let location = SkillLocation::for_user(Agent::Claude, &self.env);
        let plan = SkillPlan::read(location).unwrap();
        plan.apply(SkillAction::Install, WriteMode::Write).unwrap();
    }

    fn set(&self, keywords: Option<&[&str]>) -> Vec<session_agents::SkillReport> {
        let words = || keywords.map(|words| words.iter().map(|&word| word.into()).collect());
        set_skill_keywords(
            SkillLocation::all(&self.env, None),
            |_| words(),
            WriteMode::Write,
        )
        .unwrap()
    }

    fn update(&self, keyword: &str) {
        let words = |_: &SkillLocation| vec![keyword.to_owned()];
        update_skill_keywords(SkillLocation::all(&self.env, None), words).unwrap();
    }

    fn description(&self) -> String {
        let text = fs_err::read_to_string(&self.skill).unwrap();
        let line = text.lines().find(|line| line.starts_with("description: "));
        line.unwrap().to_owned()
    }
}

#[test]
fn keywords_follow_memories_while_the_user_wants_them() {
    let user = KeywordsHome::with_skill();
    user.update("postgres");
    assert!(!user.description().contains("postgres"), "nobody chose it");
    let reports = user.set(Some(&["postgres", "two words"]));
    assert_eq!(reports.len(), 1, "OpenCode has no skill");
    assert_eq!(reports[0].keywords, Some(vec!["postgres".to_owned()]));
    let line = user.description();
    assert!(
        line.ends_with("There are saved memories about postgres."),
        "{line}"
    );
    user.update("lantern");
    assert!(user.description().contains("lantern"));
    user.install();
    assert!(
        user.description().contains("lantern"),
        "an upgrade keeps them"
    );
    user.set(None);
    user.update("keel");
    assert!(!user.description().contains("saved memories about"));
}

#[test]
fn an_edited_description_gets_no_keywords() {
    let user = KeywordsHome::with_skill();
    let text = fs_err::read_to_string(&user.skill).unwrap();
    let edited = text.replace("description: ", "description: Mine. ");
    fs_err::write(&user.skill, &edited).unwrap();
    let reports = user.set(Some(&["postgres"]));
    assert_eq!(reports[0].files[0].outcome, Some(SkillFileOutcome::Kept));
    assert_eq!(fs_err::read_to_string(&user.skill).unwrap(), edited);
}

/// A project's keywords are those of the moment in which they were put there.
#[test]
fn a_project_keeps_its_keywords() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("shop");
    fs_err::create_dir_all(folder.join(".git")).unwrap();
    let project = Project::find(&folder, home.path()).unwrap().unwrap();
    let location = || SkillLocation::for_project(Agent::Claude, project.clone());
    let install = || {
        let plan = SkillPlan::read(location()).unwrap();
        plan.apply(SkillAction::Install, WriteMode::Write).unwrap()
    };
    let read =
        || fs_err::read_to_string(folder.join(".claude/skills/session-search/SKILL.md")).unwrap();
    install();
    let postgres = |_: &SkillLocation| Some(vec!["postgres".to_owned()]);
    set_skill_keywords(vec![location()], postgres, WriteMode::Write).unwrap();
    assert!(read().contains("saved memories about postgres"));
    let plan = SkillPlan::read(location()).unwrap();
    assert!(plan.is_current(), "{:?}", plan.report());
    assert_eq!(install().keywords, Some(vec!["postgres".to_owned()]));
    assert!(read().contains("saved memories about postgres"));
    update_skill_keywords(vec![location()], |_| vec!["lantern".to_owned()]).unwrap();
    assert!(!read().contains("lantern"), "nobody put it there");
    set_skill_keywords(vec![location()], |_| None, WriteMode::Write).unwrap();
    assert!(!read().contains("saved memories about"));
}

#[test]
fn a_project_keeps_its_keywords_where_an_edited_skill_is_replaced() {
    let user = KeywordsHome::with_skill();
    let project = user.make_project();
    let location = SkillLocation::for_project(Agent::Claude, project);
    let install = || {
        let mut plan = SkillPlan::read(location.clone()).unwrap();
        plan.edited_files().for_each(|file| file.overwrite = true);
        plan.apply(SkillAction::Install, WriteMode::Write).unwrap()
    };
    install();
    let lantern = |_: &SkillLocation| Some(vec!["lantern".to_owned()]);
    set_skill_keywords(vec![location.clone()], lantern, WriteMode::Write).unwrap();
    let skill = location.directory().join("SKILL.md");
    let installed = fs_err::read_to_string(&skill).unwrap();
    fs_err::write(&skill, format!("{installed}\nmine\n")).unwrap();
    assert_eq!(install().keywords, Some(vec!["lantern".to_owned()]));
    assert_eq!(fs_err::read_to_string(&skill).unwrap(), installed);
}

/// The skill is written before its manifest.
#[test]
fn a_removal_that_was_killed_before_the_manifest_is_completed() {
    let user = KeywordsHome::with_skill();
    let project = user.make_project();
    let location = || SkillLocation::for_project(Agent::Claude, project.clone());
    let plan = SkillPlan::read(location()).unwrap();
    plan.apply(SkillAction::Install, WriteMode::Write).unwrap();
    let both = ["lantern", "kettle"].map(str::to_owned).to_vec();
    set_skill_keywords(vec![location()], |_| Some(both.clone()), WriteMode::Write).unwrap();
    let manifest = location().directory().join(".installed.json");
    let read = || fs_err::read_to_string(&manifest).unwrap();
    let remove = || remove_lost_keywords(vec![location()], |_| vec!["kettle".to_owned()]).unwrap();
    let before = read();
    remove();
    assert!(!read().contains("lantern") && read().contains("kettle"));
    fs_err::write(&manifest, before).unwrap();
    remove();
    assert!(!read().contains("lantern") && read().contains("kettle"));
}
