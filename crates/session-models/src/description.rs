//! The user's own descriptions of models: a TOML file each.

use crate::ModelError;
use session_embed::ModelSpec;
use std::path::{Component, Path, PathBuf};

/// The name that the remote endpoint has among the models.
pub const REMOTE: &str = "remote";

/// Reads all `*.toml` of a folder, in the order of their names. What cannot be
/// used costs itself alone. No folder, no descriptions.
pub fn read_all(folder: &Path, known: &[ModelSpec]) -> (Vec<ModelSpec>, Vec<ModelError>) {
    let mut specs: Vec<ModelSpec> = Vec::new();
    let mut broken = Vec::new();
    for path in files(folder) {
        let taken = |name: &str| known.iter().chain(&specs).any(|spec| spec.name == name);
        match read(&path, taken) {
            Ok(spec) => specs.push(spec),
            Err(reason) => broken.push(ModelError::Description { path, reason }),
        }
    }
    (specs, broken)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    files
}

fn read(path: &Path, taken: impl Fn(&str) -> bool) -> Result<ModelSpec, String> {
    let text = fs_err::read_to_string(path).map_err(|e| e.to_string())?;
    let spec = ModelSpec::from_toml(&text).map_err(|e| e.to_string())?;
    check(&spec)?;
    match taken(&spec.name) {
        true => Err(format!("there is another model `{}`", spec.name)),
        false => Ok(spec),
    }
}

/// What a description must hold beside the right keys: names that are safe as
/// names of folders, and numbers that a vector can have.
fn check(spec: &ModelSpec) -> Result<(), String> {
    if !is_name(&spec.name) || spec.name == REMOTE {
        return Err(format!(
            "`{}` is no name: lower-case letters, digits, `.`, `_` and `-`, and not `{REMOTE}`",
            spec.name
        ));
    }
    if spec.dims == 0 || spec.max_tokens < 3 {
        return Err("`dims` must be above 0 and `max_tokens` above 2".to_owned());
    }
    if spec.files.is_empty() {
        return Err("`files` names no file".to_owned());
    }
    spec.files.iter().try_for_each(|file| {
        let pin = file.sha256.as_deref();
        match (is_inside(&file.path), pin.is_none_or(is_digest)) {
            (false, _) => Err(format!("`{}` is no path in a repository", file.path)),
            (_, false) => Err(format!("the sha256 of `{}` is not one", file.path)),
            _ => Ok(()),
        }
    })
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(fits)
}

fn is_inside(path: &str) -> bool {
    let parts = Path::new(path).components();
    !path.is_empty()
        && !path.contains(['\\', '?', '#', '%'])
        && path != crate::manifest::FILE
        && parts
            .into_iter()
            .all(|part| matches!(part, Component::Normal(_)))
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
}
