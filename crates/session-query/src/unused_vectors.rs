//! Vectors that no search uses: of replaced versions of a model, and of a model that is not in use.

use crate::error::QueryError;
use serde::Serialize;
use session_config::Home;
use session_embed::ModelSpec;
use session_models::TABLE_MODEL;
use session_store::{ModelRow, Reader, Writer};

/// Versions of a model whose vectors the index has, or had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VectorVersions {
    /// The name of the model.
    pub name: String,
    /// The versions: other files, another address or another number of tokens make one.
    pub versions: usize,
    /// Size of their vectors in bytes.
    pub bytes: u64,
}

impl VectorVersions {
    /// Counts the rows of one model.
    pub(crate) fn count<'m>(name: &str, models: impl IntoIterator<Item = &'m ModelRow>) -> Self {
        let mut counted = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        for model in models {
            counted.versions += 1;
            counted.bytes += model.vector_bytes();
        }
        counted
    }
}

/// Deletes what models of this name have embedded, but for the model in use and the table's present version, which each
/// refresh needs. No process may embed meanwhile.
///
/// # Errors
/// When the index fails, no model has or had this name, or it is in use and its version is unknown.
pub fn delete_unused_vectors(
    home: &Home,
    writer: &mut Writer,
    name: &str,
) -> Result<VectorVersions, QueryError> {
    let unused = find_unused(home, writer.reader()?, name)?;
    for model in &unused {
        writer.delete_model(model)?;
    }
    writer.commit()?;
    Ok(VectorVersions::count(name, &unused))
}

fn find_unused(home: &Home, index: &Reader, name: &str) -> Result<Vec<ModelRow>, QueryError> {
    let catalogue = home.catalogue()?;
    let chosen = &home.config.model;
    let mut models = index.models()?;
    models.retain(|model| model.name == name);
    if name == chosen || models.is_empty() {
        catalogue.find_spec(name)?;
    }
    let used = [chosen.as_str(), TABLE_MODEL];
    let used = used
        .iter()
        .filter_map(|name| catalogue.find_spec(name).ok());
    let used: Vec<&ModelSpec> = used.collect();
    models.retain(|model| !used.iter().any(|spec| is_version(model, spec)));
    Ok(models)
}

/// Returns true for the version that a description is of. Of an endpoint whose dimensions are not known yet it is each.
fn is_version(model: &ModelRow, spec: &ModelSpec) -> bool {
    let dims = match spec.dims {
        0 => model.dims,
        dims => dims,
    };
    let spec = ModelSpec {
        dims,
        ..spec.clone()
    };
    spec.fingerprint() == model.fingerprint
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_models::REMOTE_MODEL;
    use session_sources::Env;

    #[test]
    fn all_versions_but_that_in_use_are_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("index");
        let mut home = Home::new(Env::with_home(directory.path()), root.clone());
        home.config.remote.url = Some("http://localhost:8080/v1".to_owned());
        home.config.remote.model = Some("first".to_owned());
        home.config.model = REMOTE_MODEL.to_owned();
        let fingerprint = |name: &str, dims| {
            let spec = home.catalogue().unwrap().find_spec(name).unwrap().clone();
            ModelSpec { dims, ..spec }.fingerprint()
        };
        let table = fingerprint(TABLE_MODEL, 256);
        let rows = [
            (fingerprint(REMOTE_MODEL, 3), REMOTE_MODEL, 3),
            ("beef".to_owned(), REMOTE_MODEL, 3),
            ("cafe".to_owned(), REMOTE_MODEL, 4),
            (table, TABLE_MODEL, 256),
            ("f00d".to_owned(), "gone", 5),
        ];
        let mut writer = Writer::open(&root).unwrap();
        for (fingerprint, name, dims) in &rows {
            writer.add_model(fingerprint, name, *dims).unwrap();
        }
        writer.commit().unwrap();
        let mut delete = |home: &Home, name| {
            let deleted = delete_unused_vectors(home, &mut writer, name);
            let left = writer.reader().unwrap().models().unwrap();
            let left: Vec<String> = left.into_iter().map(|model| model.fingerprint).collect();
            (deleted.map(|deleted| deleted.versions).ok(), left)
        };
        let [remote, _, _, table, gone] = rows.map(|(fingerprint, _, _)| fingerprint);
        let left = vec![remote, table.clone(), gone.clone()];
        assert_eq!(delete(&home, REMOTE_MODEL), (Some(2), left.clone()));
        assert_eq!(delete(&home, TABLE_MODEL), (Some(0), left.clone()));
        assert_eq!(delete(&home, "no-such-model"), (None, left));
        home.config.model = "all-minilm-l6-v2".to_owned();
        assert_eq!(
            delete(&home, REMOTE_MODEL),
            (Some(1), vec![table.clone(), gone])
        );
        assert_eq!(delete(&home, "gone"), (Some(1), vec![table]));
    }
}
