//! Exclusions of an index: forgotten turns and sessions, and the rules of the configuration.

use crate::home::Home;
use crate::layers::variable_name;
use crate::narrow::{keeps_out, privacy_keys};
use session_files::resolve_links;
use session_forget::{ExcludeSettings, Exclusions, ForgetError, ForgottenRecords};
use session_sources::Env;
use std::io;
use std::path::{Path, PathBuf};

/// The file of what was forgotten, in the data directory.
const FORGOTTEN_FILE: &str = "forgotten.json";

impl Home {
    /// Opens the records of what was forgotten. A variable that names a directory without any does not lift
    /// those in the default one.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn forgotten(&self) -> Result<ForgottenRecords, ForgetError> {
        let [chosen, default] = [self.directories(), self.default_directories()]
            .map(|folders| folders.data.join(FORGOTTEN_FILE));
        let is_missing = |path: &Path| fs_err::symlink_metadata(path).is_err();
        if is_missing(&chosen) && !is_missing(&default) {
            ForgottenRecords::open(&default)
        } else {
            ForgottenRecords::open(&chosen)
        }
    }

    /// Returns what is not to be indexed.
    ///
    /// # Errors
    /// As [`Home::forgotten`].
    pub fn exclusions(&self) -> Result<Exclusions, ForgetError> {
        let settings = resolve_settings(&self.config.exclude, &self.env);
        let exclusions = Exclusions::new(self.forgotten()?, &settings)?;
        let mut keys = privacy_keys().filter(|key| keeps_out(key));
        let is_set = |key| variable_name(key).is_some_and(|name| self.env.get(&name).is_some());
        Ok(if keys.any(is_set) {
            exclusions.keeping_unrecoverable()
        } else {
            exclusions
        })
    }
}

/// Returns the settings with the paths as histories write them.
fn resolve_settings(settings: &ExcludeSettings, env: &Env) -> ExcludeSettings {
    // Agents write folders as the system names them, without the links on the way to the home folder.
    let own = [env.home.clone(), resolve_links(&env.home)];
    let homes = own.iter().chain(&env.other_homes).cloned();
    let mut projects = resolve_rules(&settings.projects, &own);
    if !env.other_homes.is_empty() {
        projects.extend(rules_for_any_home(&settings.projects));
    }
    ExcludeSettings {
        projects,
        paths: resolve_rules(&settings.paths, &homes.collect::<Vec<_>>()),
        patterns: settings.patterns.clone(),
    }
}

/// Returns rules in these home folders, the user's own first, and the folders that links in them lead to.
fn resolve_rules(rules: &[String], homes: &[PathBuf]) -> Vec<String> {
    let mut all = Vec::new();
    for rule in rules {
        let homes = if rule.starts_with('~') {
            homes
        } else {
            &homes[..1]
        };
        for resolved in homes.iter().map(|home| resolve_rule(rule, home)) {
            if !all.contains(&resolved) {
                all.push(resolved);
            }
        }
    }
    let linked: Vec<String> = all.iter().filter_map(|rule| follow_links(rule)).collect();
    all.extend(linked);
    all
}

/// Returns the rules that name a folder in the home folder as such in any home folder: where that of another machine was,
/// nothing tells.
fn rules_for_any_home(rules: &[String]) -> impl Iterator<Item = String> {
    let tilde = Path::new("~");
    let rules = rules.iter().filter(|rule| rule.starts_with('~'));
    let rules = rules.map(|rule| resolve_rule(rule, tilde));
    // One that leads out of it by `..` is none.
    rules.filter(|rule| rule.starts_with('~'))
}

/// Returns a whole path with the links on the way to it followed, as far as it exists; `None` if there are none.
fn follow_links(rule: &str) -> Option<String> {
    let path = Path::new(rule);
    let mut folders = path.ancestors().filter(|_| rule.starts_with('/'));
    let followed = folders.find_map(|folder| {
        let real = fs_err::canonicalize(folder);
        let real = real.or_else(|_| follow_broken_link(folder)).ok()?;
        let names = path.strip_prefix(folder).ok()?.components();
        // Nothing joined would end in a slash, which makes another rule of it.
        Some(names.fold(real, |path, name| path.join(name)))
    })?;
    (followed != path).then(|| followed.display().to_string())
}

/// Returns where a link leads whose target is not there, as on a disk that is not mounted.
fn follow_broken_link(link: &Path) -> io::Result<PathBuf> {
    let target = fs_err::read_link(link)?;
    let folder = link.parent().unwrap_or(link);
    Ok(resolve_links(folder).join(target))
}

/// Returns a path, or a part of one, with `~/` or `~\` resolved, and without what changes nothing: `//`, `.` and `..`.
fn resolve_rule(rule: &str, home: &Path) -> String {
    let whole = match rule
        .strip_prefix('~')
        .map(|rest| (rest, rest.strip_prefix(['/', '\\'])))
    {
        Some(("", _)) => home.display().to_string(),
        Some((_, Some(rest))) => home.join(rest).display().to_string(),
        _ => rule.to_owned(),
    };
    let mut names: Vec<&str> = Vec::new();
    for name in whole.split('/') {
        let has_parent = names.last().is_some_and(|last| !["", ".."].contains(last));
        match name {
            "" if names.is_empty() => names.push(name),
            "" | "." => {}
            ".." if has_parent => drop(names.pop()),
            name => names.push(name),
        }
    }
    let plain = names.join("/");
    // Of `/` or `.` nothing would be left, which matches nothing.
    if plain.is_empty() { whole } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_models::UserDirectories;
    use session_sources::Env;

    #[test]
    fn a_rule_is_a_path_as_histories_write_it() {
        for (rule, path) in [
            ("~/lamp", "/home/ann/lamp"),
            ("~", "/home/ann"),
            (r"~\lamp", "/home/ann/lamp"),
            (
                "~/.claude/projects/-home-ann-*",
                "/home/ann/.claude/projects/-home-ann-*",
            ),
            ("/home/ann//lamp/", "/home/ann/lamp"),
            ("/home/ann/./lamp", "/home/ann/lamp"),
            ("/home/ann/old/../lamp", "/home/ann/lamp"),
            ("./lamp", "lamp"),
            ("lamp", "lamp"),
            ("../lamp", "../lamp"),
            ("~ann/lamp", "~ann/lamp"),
            (r"C:\work\lamp", r"C:\work\lamp"),
            ("/", "/"),
            (".", "."),
            ("", ""),
        ] {
            assert_eq!(resolve_rule(rule, Path::new("/home/ann")), path, "{rule}");
        }
    }

    #[test]
    fn rules_of_paths_in_the_home_folder_exclude() {
        let folder = tempfile::tempdir().unwrap();
        let mut home = Home::new(Env::with_home(folder.path()), folder.path().join("index"));
        home.config.exclude.paths = vec!["~/.agent//talks".to_owned()];
        let exclusions = home.exclusions().unwrap();
        let excludes = |path: &str| {
            exclusions.rules_exclude_path(&folder.path().join(path).display().to_string())
        };
        assert!(excludes(".agent/talks/a.jsonl"));
        assert!(!excludes(".agent/other/a.jsonl"));
    }

    #[test]
    fn rules_of_the_home_folder_hold_for_the_homes_of_other_machines() {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        let mut home = Home::new(Env::with_home(folder.path()), folder.path().join("index"));
        home.config.exclude.projects = vec!["~/tax".to_owned(), "~/../tax".to_owned()];
        home.config.exclude.paths = vec!["~/.agent/talks".to_owned()];
        let excludes = |home: &Home, project: &str| {
            let session = session_core::SessionMeta {
                cwd: Some(project.to_owned()),
                ..session_core::SessionMeta::default()
            };
            home.exclusions()
                .unwrap()
                .excludes_session("claude", &session)
        };
        let talk = old.join(".agent/talks/a.jsonl").display().to_string();
        assert!(!excludes(&home, "/Users/ann.old/tax"));
        assert!(!home.exclusions().unwrap().rules_exclude_path(&talk));
        home.env.other_homes = vec![old];
        assert!(excludes(&home, "/Users/ann.old/tax/2026"));
        assert!(excludes(&home, r"C:\Users\ann\tax"));
        assert!(!excludes(&home, "/Users/ann.old/app/tax"));
        assert!(home.exclusions().unwrap().rules_exclude_path(&talk));
    }

    #[cfg(unix)]
    #[test]
    fn rules_of_a_home_folder_that_is_a_link_exclude_both_spellings() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs_err::canonicalize(folder.path()).unwrap();
        fs_err::create_dir(real.join("ann")).unwrap();
        std::os::unix::fs::symlink(real.join("ann"), real.join("home")).unwrap();
        let mut home = Home::new(Env::with_home(&real.join("home")), real.join("index"));
        home.config.exclude.paths = vec!["~/lamp".to_owned()];
        let exclusions = home.exclusions().unwrap();
        for path in ["home/lamp/a.jsonl", "ann/lamp/a.jsonl"] {
            let path = real.join(path).display().to_string();
            assert!(exclusions.rules_exclude_path(&path), "{path}");
        }
        let other = real.join("ann/other/a.jsonl").display().to_string();
        assert!(!exclusions.rules_exclude_path(&other));
    }

    /// As `/tmp` of macOS: agents write the folder that it leads to.
    #[cfg(unix)]
    #[test]
    fn a_rule_names_the_folder_that_a_link_leads_to_though_it_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        fs_err::create_dir(root.join("disk")).unwrap();
        std::os::unix::fs::symlink(root.join("disk"), root.join("work")).unwrap();
        let at = |path: &str| root.join(path).display().to_string();
        assert_eq!(follow_links(&at("work/bank*")), Some(at("disk/bank*")));
        assert_eq!(follow_links(&at("disk/bank")), None);
        assert_eq!(follow_links("bank"), None);
        fs_err::create_dir(root.join("disk/bank")).unwrap();
        assert_eq!(follow_links(&at("work/bank")), Some(at("disk/bank")));
        fs_err::remove_dir_all(root.join("disk")).unwrap();
        assert_eq!(follow_links(&at("work/bank")), Some(at("disk/bank")));
    }

    #[test]
    fn an_empty_directory_that_a_variable_names_lifts_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data").display().to_string();
        let env = Env::with_home(&folder.path().join("home")).var("XDG_DATA_HOME", &data);
        let home = Home::new(env, folder.path().join("index"));
        let entry = |id: u32| {
            format!(
                r#"{{"key":"k","entries":[{{"id":{id},"at":"","what":"session","sessions":1,"turns":0,"hashes":["0"]}}]}}"#
            )
        };
        let write = |folders: UserDirectories, id| {
            fs_err::create_dir_all(&folders.data).unwrap();
            fs_err::write(folders.data.join(FORGOTTEN_FILE), entry(id)).unwrap();
        };
        let first = |home: &Home| home.forgotten().unwrap().entries().first().map(|e| e.id);
        assert_eq!(first(&home), None);
        write(home.default_directories(), 1);
        assert_eq!(first(&home), Some(1));
        write(home.directories(), 2);
        assert_eq!(first(&home), Some(2), "the user's own, elsewhere");
    }
}
