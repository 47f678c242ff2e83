//! One file beneath a root that is believed.

use crate::dir::{Dir, Durability};
use crate::error::Result;
use crate::private;
use std::path::{Path, PathBuf};

/// A file by a root, whose own path may hold links, and by its path from there, which may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedFile {
    root: PathBuf,
    relative: PathBuf,
}

impl ConfinedFile {
    /// A file beneath a root.
    pub fn new(root: &Path, relative: &Path) -> Self {
        Self {
            root: root.to_owned(),
            relative: relative.to_owned(),
        }
    }

    /// A file of the user's own: where its path is a link, the file that this leads to.
    ///
    /// # Errors
    /// When the path has no file name.
    pub fn for_user(path: &Path) -> Result<Self> {
        let (root, relative) = private::target(path)?;
        Ok(Self { root, relative })
    }

    /// The whole path, for people.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// Its text, of at most `limit` bytes; `None` where there is nothing.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be read.
    pub fn read_text(&self, limit: u64) -> Result<Option<String>> {
        match self.open()? {
            Some(root) => root.read_text(&self.relative, limit),
            None => Ok(None),
        }
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be written.
    pub fn write(&self, text: &str) -> Result<()> {
        let root = Dir::create(&self.root)?;
        root.write(&self.relative, text.as_bytes(), Durability::Durable)
    }

    /// Removes it; false where there is nothing.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be removed.
    pub fn remove(&self) -> Result<bool> {
        match self.open()? {
            Some(root) => root.remove(&self.relative),
            None => Ok(false),
        }
    }

    /// Removes it where it is an empty directory; false where it is not.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be removed.
    pub fn remove_if_empty(&self) -> Result<bool> {
        match self.open()? {
            Some(root) => root.remove_if_empty(&self.relative),
            None => Ok(false),
        }
    }

    /// Keeps a text beside it, under a name that nothing has; returns that path.
    ///
    /// # Errors
    /// When a link leads there, or it cannot be written.
    pub fn back_up(&self, text: &str) -> Result<PathBuf> {
        let root = Dir::create(&self.root)?;
        let mut names = (1..).map(|n| self.backup_name(n));
        let free = names.find(|name| !root.exists(name));
        let name = free.unwrap_or_else(|| self.backup_name(1));
        root.write(&name, text.as_bytes(), Durability::Durable)?;
        Ok(self.root.join(name))
    }

    /// Reads the texts that were kept beside it, of at most `limit` bytes each, the newest first.
    ///
    /// # Errors
    /// When a link leads to one, or it cannot be read.
    pub fn read_backups(&self, limit: u64) -> Result<Vec<String>> {
        let Some(root) = self.open()? else {
            return Ok(Vec::new());
        };
        let mut texts = Vec::new();
        for n in 1.. {
            match root.read_text(&self.backup_name(n), limit)? {
                Some(text) => texts.push(text),
                None => break,
            }
        }
        texts.reverse();
        Ok(texts)
    }

    fn backup_name(&self, n: usize) -> PathBuf {
        let mut name = self.relative.clone().into_os_string();
        name.push(".backup");
        if n > 1 {
            name.push(format!(".{n}"));
        }
        name.into()
    }

    fn open(&self) -> Result<Option<Dir>> {
        Dir::open_existing(&self.root)
    }
}
