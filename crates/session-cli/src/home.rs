//! Where this user's things are.

use anyhow::{Context, Result};
use session_sources::Env;
use session_store::{Reader, StoreError};
use std::path::PathBuf;

/// The user's environment and the folder of the index.
pub struct Home {
    /// Home folder and variables.
    pub env: Env,
    /// Folder of the index.
    pub root: PathBuf,
}

impl Home {
    /// Reads the process's environment. Variables that are not UTF-8 are left out.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn from_process() -> Result<Self> {
        let home = etcetera::home_dir()
            .context("there is no home folder\nhint: set HOME to the folder with your .claude or .local/share/opencode")?;
        let vars = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        let env = Env {
            home: home.clone(),
            vars: vars.collect(),
        };
        let root = session_store::default_root(&home, |name| env.get(name).map(str::to_owned));
        Ok(Self { env, root })
    }

    /// The index as it is at this moment, whatever is written to it meanwhile.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn index(&self) -> Result<Reader, StoreError> {
        let index = Reader::open(&self.root)?;
        index.snapshot()?;
        Ok(index)
    }
}
