//! Checks of configuration files that are ignored.

use crate::finding::{DoctorCheck, DoctorFinding};
use session_config::{Home, IgnoredSetting, SettingOrigin};

/// Checks which configuration files are ignored as a whole, as seen from a directory: that of its project may be.
pub fn examine_configuration(home: &Home, directory: &std::path::Path) -> Vec<DoctorFinding> {
    // A mistake in the user's own file ends each command.
    let ignored = home.ignored_files(directory).unwrap_or_default();
    let ignored = ignored.into_iter();
    ignored.map(describe_ignored).collect()
}

fn describe_ignored(ignored: IgnoredSetting) -> DoctorFinding {
    let name = match &ignored.origin {
        SettingOrigin::File(path) => format!("`{}`", path.display()),
        _ => "a file".to_owned(),
    };
    let found = format!("{name} is ignored as a whole: {}", ignored.reason);
    let hint = ignored
        .hint
        .unwrap_or_else(|| "correct the file".to_owned());
    DoctorFinding::problem(DoctorCheck::Settings, found, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_sources::Env;

    #[test]
    fn a_project_file_with_a_mistake_is_found() {
        let user = tempfile::tempdir().unwrap();
        let home = Home::new(Env::with_home(user.path()), user.path().join("index"));
        let project = user.path().join("app");
        let file = project.join(".claude/session-search.toml");
        fs_err::create_dir_all(project.join(".git")).unwrap();
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        assert!(examine_configuration(&home, &project).is_empty());
        fs_err::write(&file, "threads = 0\n").unwrap();
        let findings = examine_configuration(&home, &project);
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        assert!(
            finding
                .found
                .contains("is ignored as a whole: `threads` has"),
            "{finding:?}"
        );
        let hint = finding.hint.as_deref().unwrap();
        assert!(
            hint.contains("configuration.md") && !hint.contains("quotes"),
            "{hint}"
        );
    }
}
