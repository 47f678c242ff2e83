//! Where histories are read, beside the user's own home: `[sources]` of the configuration.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use session_files::resolve_links;
use session_sources::Env;
use std::path::{Component, Path, PathBuf};

/// The homes whose histories are read, beside the user's own. Only the user's own configuration names them: who could
/// add a folder could have its files indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SourceSettings {
    /// Home folders of other machines, copied or mounted here.
    #[serde(deserialize_with = "home_paths")]
    pub homes: Vec<String>,
}

impl SourceSettings {
    /// Returns the home folders of other machines, each once, without the user's own.
    pub(crate) fn other_homes(&self, env: &Env) -> Vec<PathBuf> {
        let mut met = vec![resolve_links(&env.home)];
        let mut homes = Vec::new();
        for home in &self.homes {
            // The index knows files by their paths: `/mnt//old/` is `/mnt/old`.
            let path: PathBuf = env.path(home).components().collect();
            let real = resolve_links(&path);
            if !met.contains(&real) {
                met.push(real);
                homes.push(path);
            }
        }
        homes
    }
}

/// Reads a list of folders that mean the same wherever the program runs.
fn home_paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let homes = Vec::<String>::deserialize(from)?;
    match homes.iter().find(|home| !is_fixed(home)) {
        Some(home) => Err(D::Error::invalid_value(
            Unexpected::Str(home),
            &"an absolute path, or one that begins with `~/`, without `..`",
        )),
        None => Ok(homes),
    }
}

fn is_fixed(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let climbs = parts.any(|part| part == Component::ParentDir);
    (path.starts_with("~/") || Path::new(path).is_absolute()) && !climbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, parse};

    fn read(homes: &str) -> Result<Config, String> {
        let text = format!("nice = 1\n[sources]\nhomes = [{homes}]\n");
        parse(&text, Path::new("c.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_folder_that_depends_on_the_current_one_is_a_mistake() {
        let root = std::env::temp_dir();
        for (homes, value) in [
            (r#""/mnt/old", "old""#, "old"),
            (r#""""#, ""),
            (r#""~""#, "~"),
            (r#""~ann/x""#, "~ann/x"),
            (r#""~/../ben""#, "~/../ben"),
        ] {
            let homes = homes.replace("/mnt/old", &root.display().to_string().replace('\\', "/"));
            let error = read(&homes).unwrap_err();
            let expected = format!(
                "`sources.homes` has an invalid value: string \"{value}\", expected an absolute path"
            );
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn each_folder_is_read_once_and_the_own_one_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for home in ["own", "own/backup", "old"] {
            fs_err::create_dir_all(at(home)).unwrap();
        }
        std::os::unix::fs::symlink(at("old"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("own"), at("me")).unwrap();
        let homes = [
            at("old").display().to_string(),
            "~/backup".to_owned(),
            "~/".to_owned(),
            format!("{}//", at("old").display()),
            at("link").display().to_string(),
            at("me").display().to_string(),
            at("missing").display().to_string(),
        ];
        let settings = SourceSettings {
            homes: homes.to_vec(),
        };
        let found = settings.other_homes(&Env::with_home(&at("own")));
        assert_eq!(found, [at("old"), at("own/backup"), at("missing")]);
    }
}
