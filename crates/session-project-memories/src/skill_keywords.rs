//! The keywords of memories in the descriptions of installed skills, which follow the memories.

use crate::project_memories::ProjectMemories;
use session_agents::{
    LeftoverKeywords, SkillLocation, find_leftover_keywords, remove_lost_keywords,
    update_skill_keywords,
};
use session_config::Home;
use session_core::text::path_line;
use session_display::Note;
use session_memory::{Memory, MemoryStore, StorageLocation, memory_directories};
use std::collections::HashSet;

/// The most keywords that are offered for a description, which takes the plain ones of them.
const MAX_OFFERED_KEYWORDS: usize = 30;

/// Returns the keywords of the trusted memories that the skill of a location may name, without those that are `leaving`:
/// those of its project, or the global ones.
pub fn offered_keywords(location: &SkillLocation, home: &Home, leaving: &[Memory]) -> Vec<String> {
    list_keywords(location, home, leaving, MAX_OFFERED_KEYWORDS)
}

fn list_keywords(
    location: &SkillLocation,
    home: &Home,
    leaving: &[Memory],
    limit: usize,
) -> Vec<String> {
    let project = location.project.as_ref();
    let kept = match project {
        Some(_) => StorageLocation::ProjectOnly,
        None => StorageLocation::GlobalOnly,
    };
    let Ok(directories) = memory_directories(project, &home.env.home, kept) else {
        return Vec::new();
    };
    let store =
        MemoryStore::new(directories, home.memory_records()).with_redactor(home.config.redactor());
    store.trusted_keywords(leaving, limit)
}

impl ProjectMemories {
    /// Updates the user's skill after memories were changed. Returns notes on files that were left as they are: views of
    /// another program, and a skill that cannot be written.
    pub fn finish_change(&self) -> Vec<Note> {
        let foreign = self.store.list_foreign_views().into_iter();
        let mut notes: Vec<Note> = foreign
            .map(|path| {
                Note::new(format!(
                    "{} was not written here, and is left as it is",
                    path_line(&path)
                ))
                .with_hint("remove it to have it generated again")
            })
            .collect();
        notes.extend(self.update_users_skill(&[]));
        notes
    }

    /// Writes the skills without the keywords of memories that are `leaving`: the user's anew, and the project's without
    /// those that no other memory has. Returns notes on what still names these, and one where the project's cannot be
    /// changed; of the user's [`ProjectMemories::finish_change`] returns it.
    pub(crate) fn remove_keywords(&self, leaving: &[Memory]) -> Vec<Note> {
        self.update_users_skill(leaving);
        let mut notes: Vec<Note> = self.update_projects_skill(leaving).into_iter().collect();
        notes.extend(self.note_leftover_keywords(leaving));
        notes
    }

    /// Returns notes on the skills that somebody edited, and on backups, that name keywords of memories that are `leaving`.
    fn note_leftover_keywords(&self, leaving: &[Memory]) -> Vec<Note> {
        let words = leaving.iter().flat_map(|memory| &memory.front.keywords);
        let words: HashSet<String> = words.map(|word| word.to_lowercase()).collect();
        let has_lost = |location: &SkillLocation, named: &[&str]| {
            let mut named: Vec<String> = named.iter().map(|word| word.to_lowercase()).collect();
            named.retain(|word| words.contains(word));
            if named.is_empty() {
                return false;
            }
            let kept = list_keywords(location, &self.home, leaving, usize::MAX);
            let kept: HashSet<String> = kept.iter().map(|word| word.to_lowercase()).collect();
            named.iter().any(|word| !kept.contains(word))
        };
        let locations = SkillLocation::all(&self.home.env, self.project.as_ref());
        let left = find_leftover_keywords(&locations, has_lost);
        left.iter().map(note_leftover).collect()
    }

    fn update_users_skill(&self, leaving: &[Memory]) -> Option<Note> {
        let locations = SkillLocation::all(&self.home.env, None);
        let keywords = |location: &SkillLocation| offered_keywords(location, &self.home, leaving);
        let error = update_skill_keywords(locations, keywords).err()?;
        let reason = error.full_message();
        Some(format!("the skill's keywords are as they were: {reason}").into())
    }

    fn update_projects_skill(&self, leaving: &[Memory]) -> Option<Note> {
        let locations = SkillLocation::all(&self.home.env, self.project.as_ref());
        let keywords =
            |location: &SkillLocation| list_keywords(location, &self.home, leaving, usize::MAX);
        let error = remove_lost_keywords(locations, keywords).err()?;
        let reason = error.full_message();
        Some(format!("the keywords of the project's skill are as they were: {reason}").into())
    }
}

fn note_leftover(left: &LeftoverKeywords) -> Note {
    match left {
        LeftoverKeywords::Edited(path) => Note::new(format!(
            "{} was edited, and still names keywords of what is removed",
            path_line(path)
        ))
        .with_hint("take them out of its description"),
        LeftoverKeywords::Backup(path) => Note::new(format!(
            "a backup of {} still names keywords of what is removed",
            path_line(path)
        ))
        .with_hint("remove the backup beside it, or take them out of its description"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Zoned;
    use session_agents::{Agent, SkillAction, SkillPlan, WriteMode, set_skill_keywords};
    use session_files::Project;
    use session_memory::{MemoryDraft, StorageSettingsByScope};
    use session_sources::Env;
    use std::path::Path;

    /// Opens the memories of the project `shop` in a home directory.
    fn open_memories(home: &Path) -> ProjectMemories {
        fs_err::create_dir_all(home.join("shop/.git")).unwrap();
        let env = Env::with_home(home);
        let project = Project::find(&home.join("shop"), home).unwrap();
        let location = StorageLocation::ProjectFirst;
        let directories = memory_directories(project.as_ref(), home, location).unwrap();
        let home = Home::new(env, home.join("index"));
        ProjectMemories {
            store: MemoryStore::new(directories, home.memory_records()),
            home,
            project,
            unowned_root: None,
            left_out_files: Vec::new(),
            retention: StorageSettingsByScope::default(),
        }
    }

    fn install_skill(location: SkillLocation) {
        let plan = SkillPlan::read(location).unwrap();
        plan.apply(SkillAction::Install, WriteMode::Write).unwrap();
    }

    fn has_keyword(location: &SkillLocation, word: &str) -> bool {
        let text = fs_err::read_to_string(location.directory().join("SKILL.md")).unwrap();
        let line = text.lines().find(|line| line.starts_with("description: "));
        line.unwrap().contains(word)
    }

    /// A file that somebody edited is not rewritten, so it is named.
    #[test]
    fn an_edited_skill_and_a_backup_that_name_a_purged_memory_are_noted() {
        let home = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(home.path()).unwrap();
        let memories = open_memories(&home);
        let now = Zoned::now();
        let project = memories.project.clone().unwrap();
        let in_project = SkillLocation::for_project(Agent::Claude, project);
        install_skill(in_project.clone());
        let [lantern, kiln] = ["Lantern", "Kiln"]
            .map(|topic| memories.store.save(&draft(topic), None, &now).unwrap());
        let words =
            |location: &SkillLocation| Some(offered_keywords(location, &memories.home, &[]));
        set_skill_keywords(vec![in_project.clone()], words, WriteMode::Write).unwrap();
        let skill = in_project.directory().join("SKILL.md");
        let edited = fs_err::read_to_string(&skill).unwrap() + "\nmine\n";
        fs_err::write(&skill, &edited).unwrap();
        fs_err::write(skill.with_extension("md.backup"), &edited).unwrap();

        let notes = memories.purge(&[lantern], &now).unwrap();
        let [named, in_backup] = &notes[..] else {
            panic!("two notes: {notes:?}");
        };
        let path = skill.display();
        let told = format!("{path} was edited, and still names keywords of what is removed");
        assert_eq!(named.text, told);
        assert!(in_backup.text.starts_with(&format!("a backup of {path} ")));
        assert_eq!(fs_err::read_to_string(&skill).unwrap(), edited);
        let manifest = in_project.directory().join(".installed.json");
        let manifest = fs_err::read_to_string(manifest).unwrap();
        assert!(!manifest.contains("Lantern") && manifest.contains("Kiln"));

        let kept = edited.replace("Lantern, ", "").replace(", Lantern", "");
        fs_err::write(&skill, kept).unwrap();
        fs_err::remove_file(skill.with_extension("md.backup")).unwrap();
        memories.store.save(&draft("Kiln"), None, &now).unwrap();
        let notes = memories.purge(&[kiln], &now).unwrap();
        assert_eq!(notes, [], "another memory has the word");
    }

    fn draft(topic: &str) -> MemoryDraft {
        MemoryDraft {
            topic: topic.to_owned(),
            key_info: vec!["it hangs by the gate".to_owned()],
            ..MemoryDraft::default()
        }
    }

    #[test]
    fn the_users_skill_follows_memories_and_a_projects_loses_purged_ones() {
        let home = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(home.path()).unwrap();
        let memories = open_memories(&home);
        let (env, now) = (&memories.home.env, Zoned::now());
        let user = SkillLocation::for_user(Agent::Claude, env);
        let project = memories.project.clone().unwrap();
        let in_project = SkillLocation::for_project(Agent::Claude, project);
        for location in [&user, &in_project] {
            install_skill(location.clone());
        }
        let lantern = memories.store.save(&draft("Lantern"), None, &now).unwrap();
        let words =
            |location: &SkillLocation| Some(offered_keywords(location, &memories.home, &[]));
        let locations = vec![user.clone(), in_project.clone()];
        set_skill_keywords(locations, words, WriteMode::Write).unwrap();
        assert!(has_keyword(&in_project, "Lantern") && !has_keyword(&user, "Lantern"));

        let global = Some(session_memory::MemoryScope::Global);
        memories.store.save(&draft("Bell"), global, &now).unwrap();
        assert_eq!(memories.finish_change(), []);
        assert!(has_keyword(&user, "Bell") && !has_keyword(&in_project, "Bell"));

        for n in 0..40 {
            let draft = draft(&format!("Buoy{n}"));
            memories.store.save(&draft, None, &now).unwrap();
        }
        let bell = memories.store.save(&draft("Foghorn"), None, &now).unwrap();
        memories.purge(&[bell], &now).unwrap();
        assert!(has_keyword(&in_project, "Lantern"), "a memory still has it");
        let notes = memories.purge(&[lantern], &now).unwrap();
        assert_eq!(notes, []);
        assert!(!has_keyword(&in_project, "Lantern") && has_keyword(&user, "Bell"));
    }
}
