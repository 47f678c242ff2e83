//! Checks of the model in use.

use crate::finding::{DoctorCheck, DoctorFinding};
use session_config::{Config, Home};
use session_models::{Catalogue, ModelError, ModelState};

/// Checks whether the model in use opens, or its endpoint answers, and which descriptions cannot be used.
pub(crate) fn check_model(home: &Home) -> Vec<DoctorFinding> {
    let catalogue = match home.catalogue() {
        Ok(catalogue) => catalogue,
        Err(error) => return vec![describe_error(&error)],
    };
    let errors = catalogue.configuration_errors().iter();
    let descriptions = errors.map(|error| {
        let hint = error.hint().unwrap_or_default();
        DoctorFinding::note(DoctorCheck::Model, error.to_string(), hint)
    });
    let in_use = check_in_use(&catalogue, &home.config.model);
    in_use.into_iter().chain(descriptions).collect()
}

/// Opens the model in use. Nothing is found of one that is part of the program.
fn check_in_use(catalogue: &Catalogue, name: &str) -> Option<DoctorFinding> {
    let state = catalogue
        .find_spec(name)
        .map(|spec| catalogue.model_state(spec));
    let works = match state {
        Ok(ModelState::Bundled) => return None,
        Ok(ModelState::Remote) => format!("the endpoint of `{name}` answers"),
        _ => format!("`{name}` opens"),
    };
    Some(match catalogue.check_opens(name) {
        Ok(()) => DoctorFinding::ok(DoctorCheck::Model, works),
        Err(error) => describe_error(&error),
    })
}

fn describe_error(error: &ModelError) -> DoctorFinding {
    let way_out = format!("`session-search model use {}`", Config::default().model);
    let hint = match error.hint() {
        Some(hint) if hint.contains("`session-search model use") => hint,
        Some(hint) => format!("{hint}; or {way_out}"),
        None => way_out,
    };
    DoctorFinding::problem(DoctorCheck::Model, error.to_string(), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingSeverity;
    use session_sources::Env;
    use std::path::Path;

    const DESCRIPTION: &str = r#"
name = "mine"
title = "mine"
architecture = "table"
repo = "ann/mine"
revision = "main"
dims = 4
max_tokens = 16
pooling = "mean"
licence = "MIT"
cosine = { unrelated = 0.3, related = 0.6, per_word = 0.0 }
files = [{ path = "table.bin" }, { path = "vocabulary.bin" }]
"#;

    fn write(path: &Path, content: &str) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    /// Checks the model `name` of a user.
    fn check(user: &Path, name: &str) -> Vec<DoctorFinding> {
        let mut home = Home::new(Env::with_home(user), user.join("index"));
        home.config.model = name.to_owned();
        check_model(&home)
    }

    #[track_caller]
    fn assert_problem(findings: &[DoctorFinding], found: &str, hint: &str) {
        let is_named = |finding: &&DoctorFinding| finding.found.contains(found);
        let problem = findings.iter().find(is_named);
        let problem = problem.unwrap_or_else(|| panic!("{findings:?}"));
        assert_eq!(problem.severity, FindingSeverity::Problem);
        let advice = problem.hint.as_deref().unwrap();
        assert!(advice.contains(hint), "{advice}");
    }

    #[test]
    fn a_model_in_use_that_does_not_open_is_a_problem() {
        let user = tempfile::tempdir().unwrap();
        let home = Home::new(Env::with_home(user.path()), user.path().join("index"));
        let folders = home.directories();
        assert!(check(user.path(), "table").is_empty());
        assert_problem(
            &check(user.path(), "mine"),
            "there is no model",
            "model list",
        );
        let description = folders.descriptions_dir().join("mine.toml");
        write(&description, "name = ");
        let findings = check(user.path(), "mine");
        assert_problem(&findings, "there is no model", "model use");
        assert!(findings.iter().any(|f| f.found.contains("mine.toml")));
        write(&description, DESCRIPTION);
        assert_problem(
            &check(user.path(), "mine"),
            "is not here",
            "model pull mine",
        );
        let directory = folders.model_dir("mine");
        write(&directory.join("table.bin"), "half");
        write(&directory.join("vocabulary.bin"), "");
        assert_problem(
            &check(user.path(), "mine"),
            "cannot be opened",
            "model import mine",
        );
        let file = |path: &str| format!(r#"{{"path": "{path}", "bytes": 8, "sha256": ""}}"#);
        let files = format!("[{}, {}]", file("table.bin"), file("vocabulary.bin"));
        let manifest = format!(r#"{{"from": "", "files": {files}}}"#);
        write(&directory.join("installed.json"), &manifest);
        let found = "`table.bin` has 4 bytes, not 8";
        assert_problem(&check(user.path(), "mine"), found, "model pull mine");
    }

    #[test]
    fn an_endpoint_in_use_that_does_not_answer_is_a_problem() {
        let user = tempfile::tempdir().unwrap();
        let home = Home::new(Env::with_home(user.path()), user.path().join("index"));
        assert_problem(
            &check(user.path(), "remote"),
            "not well configured",
            "[remote]",
        );
        let env_file = home.directories().env_file();
        write(
            &env_file,
            "EMBEDDINGS_URL=http://127.0.0.1:1\nEMBEDDINGS_MODEL=tiny\n",
        );
        let findings = check(user.path(), "remote");
        assert_problem(
            &findings,
            "http://127.0.0.1:1",
            "see that the endpoint runs",
        );
        let hint = findings[0].hint.as_deref().unwrap();
        assert_eq!(hint.matches("model use").count(), 1, "{hint}");
        assert!(check(user.path(), "table").is_empty()); // it is not asked
    }
}
