//! The user's own model descriptions, one TOML file each.

use crate::ModelError;
use session_embed::{CosineScale, EmbedError, ModelSpec};
use session_files::private;
use std::path::{Component, Path, PathBuf};

/// Maximum length of a description in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// Name of the model behind the configured endpoint.
pub const REMOTE_MODEL: &str = "remote";

/// Name of the bundled static model, a vector for each token: it embeds every history as it is read.
pub const TABLE_MODEL: &str = "table";

/// The descriptions of a directory.
#[derive(Debug, Default)]
pub(crate) struct ModelDescriptions {
    /// The valid descriptions.
    pub specs: Vec<ModelSpec>,
    /// One error for each invalid description.
    pub errors: Vec<ModelError>,
}

/// Reads all `*.toml` files of a directory, in the order of their names.
///
/// An invalid file does not affect the others. A directory that does not exist has no
/// descriptions. The names in `known` are taken.
pub(crate) fn read_descriptions(directory: &Path, known: &[ModelSpec]) -> ModelDescriptions {
    let mut found = ModelDescriptions::default();
    for path in list_toml_files(directory) {
        let is_taken = |name: &str| {
            known
                .iter()
                .chain(&found.specs)
                .any(|spec| spec.name == name)
        };
        match read_description(&path, is_taken) {
            Ok(spec) => found.specs.push(spec),
            Err(reason) => found
                .errors
                .push(ModelError::InvalidDescription { path, reason }),
        }
    }
    found
}

fn list_toml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

fn read_description(path: &Path, is_taken: impl Fn(&str) -> bool) -> Result<ModelSpec, String> {
    let text = private::read_text(path, MAX_BYTES).map_err(|e| e.to_string())?;
    let text = text.ok_or("it is gone")?;
    let spec = ModelSpec::from_toml(&text).map_err(|error| describe_mistake(&text, &error))?;
    validate_spec(&spec)?;
    if is_taken(&spec.name) {
        Err(format!("there is another model `{}`", spec.name))
    } else {
        Ok(spec)
    }
}

/// Formats a mistake with its line, as half a sentence: TOML's own text shows lines of the file below each other.
fn describe_mistake(text: &str, error: &EmbedError) -> String {
    let EmbedError::Spec(mistake) = error else {
        return error.to_string();
    };
    let message = mistake.message().replace('\n', ", ");
    let before = mistake.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

/// Checks what the type of a description does not: that its name and paths are safe in the
/// file system, and that its dimensions, token limit and hashes are possible.
fn validate_spec(spec: &ModelSpec) -> Result<(), String> {
    if !is_valid_name(&spec.name) || spec.name == REMOTE_MODEL {
        return Err(format!(
            "`{}` is not a name: lower-case letters, digits, `.`, `_` and `-`, and not `{REMOTE_MODEL}`",
            spec.name
        ));
    }
    if spec.dims == 0 || spec.max_tokens < 3 {
        return Err("`dims` must be above 0 and `max_tokens` above 2".to_owned());
    }
    validate_scale(&spec.cosine)?;
    if spec.files.is_empty() {
        return Err("`files` names no file".to_owned());
    }
    // Both become names in the hub's cache; a model that is only imported may leave them empty.
    for (key, value) in [("repo", &spec.repo), ("revision", &spec.revision)] {
        if !value.is_empty() && !is_repository_path(value) {
            return Err(format!("`{value}` is not a `{key}` of the hub"));
        }
    }
    spec.files.iter().try_for_each(|file| {
        let pin = file.sha256.as_deref();
        match (is_repository_path(&file.path), pin.is_none_or(is_sha256)) {
            (false, _) => Err(format!("`{}` is not a path in a repository", file.path)),
            (_, false) => Err(format!("the sha256 of `{}` is not one", file.path)),
            _ => Ok(()),
        }
    })
}

/// Checks that a scale distinguishes cosines: TOML knows `nan` and `inf`, which would make each score so.
fn validate_scale(scale: &CosineScale) -> Result<(), String> {
    let cosines = [
        ("unrelated", scale.unrelated),
        ("related", scale.related),
        ("per_word", scale.per_word),
        ("mean", scale.mean),
    ];
    if let Some((key, value)) = cosines.iter().find(|(_, v)| !(-1.0..=1.0).contains(v)) {
        return Err(format!("`{key}` of `cosine` is {value}, not from -1 to 1"));
    }
    let CosineScale {
        unrelated, related, ..
    } = scale;
    if related <= unrelated {
        return Err(format!(
            "`related` of `cosine` must be above `unrelated`, and {related} is not above {unrelated}"
        ));
    }
    let is_positive = |value: f32| value.is_finite() && value > 0.0;
    match (
        is_positive(scale.deviation),
        scale.weight.is_finite() && scale.weight >= 0.0,
    ) {
        (false, _) => Err("`deviation` of `cosine` must be above 0".to_owned()),
        (_, false) => Err("`weight` of `cosine` must be 0 or more".to_owned()),
        _ => Ok(()),
    }
}

fn is_valid_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_allowed)
}

fn is_repository_path(path: &str) -> bool {
    let mut components = Path::new(path).components();
    !path.is_empty()
        && !path.contains(['\\', '?', '#', '%'])
        && !path.contains(|c: char| c.is_control() || c.is_whitespace())
        && path != crate::manifest::MANIFEST_FILE
        && components.all(|component| matches!(component, Component::Normal(_)))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
}
