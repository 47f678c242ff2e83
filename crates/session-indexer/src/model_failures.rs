//! Failures of models, which are recorded among the problems of the index.

use crate::error::IndexError;
use crate::writer_access::WriterAccess;
use session_store::{HistoryProblem, Reader};
use std::collections::HashMap;
use std::path::Path;

/// Records why a model could not embed, for whoever asks later: a process in the background can tell nobody. The next
/// run of the model deletes it.
///
/// # Errors
/// When the store fails, or another writer does not end.
pub fn record_model_failure(root: &Path, model: &str, reason: &str) -> Result<(), IndexError> {
    let reason = Some(reason.to_owned());
    replace_model_failure(&mut WriterAccess::PerCommit(root), model, reason)
}

/// Replaces the failure that is recorded of a model, if one is to be or is.
pub(crate) fn replace_model_failure(
    access: &mut WriterAccess<'_>,
    model: &str,
    reason: Option<String>,
) -> Result<(), IndexError> {
    let path = model_problem_path(model);
    if reason.is_none() {
        let known = access.read(Reader::problems)?;
        if !known.iter().any(|problem| problem.path == path) {
            return Ok(());
        }
    }
    access.write(|writer| {
        writer.clear_unreadable(&path)?;
        if let Some(reason) = reason {
            writer.record_unreadable(&HistoryProblem {
                path,
                reason,
                offset: None,
                count: 1,
            })?;
        }
        writer.commit()
    })
}

/// Removes the failures of models from the problems of an index; returns them by the models' names.
pub fn take_model_failures(problems: &mut Vec<HistoryProblem>) -> HashMap<String, String> {
    let failures = problems.extract_if(.., |problem| model_of_problem(problem).is_some());
    let failures: Vec<HistoryProblem> = failures.collect();
    let by_name = failures.into_iter().filter_map(|problem| {
        let name = model_of_problem(&problem)?.to_owned();
        Some((name, problem.reason))
    });
    by_name.collect()
}

/// Returns what stands for the path of a file in a problem of a model. No history has such a path.
fn model_problem_path(model: &str) -> String {
    format!("model `{model}`")
}

/// Returns the name of the model whose problem this is.
fn model_of_problem(problem: &HistoryProblem) -> Option<&str> {
    problem.path.strip_prefix("model `")?.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_models_are_no_problems_of_histories() {
        let problem = |path: String| HistoryProblem {
            path,
            reason: "refused".to_owned(),
            offset: None,
            count: 1,
        };
        let history = problem("/home/ann/model `remote`".to_owned());
        let mut problems = vec![problem(model_problem_path("remote")), history.clone()];
        let failures = take_model_failures(&mut problems);
        assert_eq!(
            failures,
            [("remote".to_owned(), "refused".to_owned())].into()
        );
        assert_eq!(problems, [history]);
    }
}
