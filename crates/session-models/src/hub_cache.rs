//! A download cache in the layout of the hub's own programs.
//!
//! ```text
//! models--OWNER--NAME/blobs/ETAG             a file by its ETag; a large one's is its SHA-256
//!                     snapshots/COMMIT/PATH  a link to the blob
//!                     refs/REVISION          the commit that a branch or tag had
//! ```
//!
//! The layout is that of `hf-hub`, which joins an ETag and a commit to paths as the hub states
//! them, so that a hub could write anywhere. Here both are checked types.

use crate::ModelError;
use hf_hub::{Cache, CacheRepo, Repo, RepoType};
use session_embed::ModelSpec;
use session_files::{Dir, Lock, private};
use std::path::{Path, PathBuf};

/// Maximum length of an ETag and of a commit.
const MAX_NAME_BYTES: usize = 128;

/// An ETag that is one plain file name, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Etag(String);

impl Etag {
    /// Takes an ETag from a header. Returns `None` if it is no plain name.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let header = header.trim();
        let name = header
            .strip_prefix("W/")
            .unwrap_or(header)
            .trim_matches('"');
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_name = (1..=MAX_NAME_BYTES).contains(&name.len())
            && !name.starts_with('.')
            && name.chars().all(is_allowed);
        is_name.then(|| Self(name.to_owned()))
    }
}

/// Returns the SHA-256 in an ETag of the hub, in lower case. That of a large file is its SHA-256, that of a
/// small one is another hash.
pub(crate) fn sha256_from_etag(etag: &str) -> Option<String> {
    let is_sha256 = etag.len() == 64 && etag.bytes().all(|c| c.is_ascii_hexdigit());
    is_sha256.then(|| etag.to_ascii_lowercase())
}

/// A commit in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitHash(String);

impl CommitHash {
    /// Takes a commit from a header or a file. Returns `None` if it is not hexadecimal.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_hex = (1..=MAX_NAME_BYTES).contains(&text.len())
            && text.bytes().all(|c| c.is_ascii_hexdigit());
        is_hex.then(|| Self(text.to_owned()))
    }
}

/// The part of a download cache that belongs to a model's repository, at its revision.
pub(crate) struct HubCache {
    path: PathBuf,
    repo: Repo,
    snapshots: CacheRepo,
}

impl HubCache {
    /// Takes the part of `cache` that belongs to a model. The description was checked: its
    /// repository and revision are names.
    pub(crate) fn new(cache: &Path, spec: &ModelSpec) -> Self {
        let (id, revision) = (spec.repo.clone(), spec.revision.clone());
        let repo = Repo::with_revision(id, RepoType::Model, revision);
        Self {
            path: cache.join(repo.folder_name()),
            snapshots: Cache::new(cache.to_owned()).repo(repo.clone()),
            repo,
        }
    }

    /// Finds a file at the commit that the revision had when it was last downloaded.
    pub(crate) fn find(&self, file: &str) -> Option<PathBuf> {
        let text = private::read_text(&self.ref_path(), 4096).ok()??;
        let path = self.snapshot_path(&CommitHash::parse(&text)?, file);
        path.exists().then_some(path)
    }

    /// Locks the blob of a file that is to be downloaded.
    ///
    /// # Errors
    /// [`ModelError::Locked`] when another process downloads it.
    pub(crate) fn lock_blob(&self, etag: &Etag, model: &str) -> Result<PartialBlob, ModelError> {
        let dir = Dir::create(&self.path.join("blobs"))?;
        let lock = Lock::try_lock(&dir, &format!("{}.lock", etag.0))?;
        let lock = lock.ok_or_else(|| ModelError::Locked {
            name: model.to_owned(),
        })?;
        Ok(PartialBlob {
            name: format!("{}.part", etag.0).into(),
            blob: dir.path().join(&etag.0),
            dir,
            _lock: lock,
        })
    }

    /// Links the path of a file at a commit to its blob, and records the commit. Returns the path of the content.
    pub(crate) fn link(
        &self,
        blob: &Path,
        commit: &CommitHash,
        file: &str,
    ) -> Result<PathBuf, ModelError> {
        let link = self.snapshot_path(commit, file);
        private::create_directory(link.parent().unwrap_or(&self.path))?;
        let _ = fs_err::remove_file(&link); // of another version of the file
        let content = link_or_move(blob, &link, file)?;
        private::write(&self.ref_path(), commit.0.as_bytes())?;
        Ok(content)
    }

    fn ref_path(&self) -> PathBuf {
        self.path.join("refs").join(self.repo.revision())
    }

    fn snapshot_path(&self, commit: &CommitHash, file: &str) -> PathBuf {
        self.snapshots.pointer_path(&commit.0).join(file)
    }
}

/// Links to a blob by a relative path, as the hub's programs do.
#[cfg(unix)]
fn link_or_move(blob: &Path, link: &Path, file: &str) -> Result<PathBuf, ModelError> {
    let up = "../".repeat(Path::new(file).components().count() + 1);
    let name = blob.file_name().unwrap_or_default();
    fs_err::os::unix::fs::symlink(Path::new(&up).join("blobs").join(name), link)?;
    Ok(blob.to_owned())
}

#[cfg(not(unix))]
fn link_or_move(blob: &Path, link: &Path, _: &str) -> Result<PathBuf, ModelError> {
    fs_err::rename(blob, link)?;
    Ok(link.to_owned())
}

/// A blob that is not complete. It stays locked until it is dropped.
pub(crate) struct PartialBlob {
    dir: Dir,
    name: PathBuf,
    /// The path of the complete blob.
    blob: PathBuf,
    _lock: Lock,
}

impl PartialBlob {
    /// Opens the partial file to write it. Links are not followed.
    pub(crate) fn open(&self) -> Result<std::fs::File, ModelError> {
        Ok(self.dir.open_file(&self.name)?)
    }

    /// Returns the number of bytes that were downloaded.
    pub(crate) fn bytes(&self) -> u64 {
        self.dir.length(&self.name).unwrap_or(0)
    }

    /// Deletes what was downloaded.
    pub(crate) fn delete(&self) -> Result<(), ModelError> {
        self.dir.remove(&self.name)?;
        Ok(())
    }

    /// Gives the complete file its name, and returns its path.
    pub(crate) fn complete(self) -> Result<PathBuf, ModelError> {
        fs_err::rename(self.dir.path().join(&self.name), &self.blob)?;
        Ok(self.blob)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommitHash, Etag, sha256_from_etag};

    #[test]
    fn a_sha256_is_compared_in_lower_case() {
        let sha256 = "0a".repeat(32);
        assert_eq!(sha256_from_etag(&"0A".repeat(32)), Some(sha256.clone()));
        assert_eq!(sha256_from_etag(&sha256), Some(sha256));
        assert_eq!(sha256_from_etag("0a"), None);
    }

    #[test]
    fn an_etag_is_one_plain_name() {
        let parsed = |header| Etag::parse(header).map(|etag| etag.0);
        for header in [
            "\"9f-a_B.1\"",
            "W/\"9f-a_B.1\"",
            "9f-a_B.1",
            " \"9f-a_B.1\" ",
        ] {
            assert_eq!(parsed(header).as_deref(), Some("9f-a_B.1"), "{header}");
        }
        let long = "a".repeat(129);
        for header in [
            "",
            "\"\"",
            ".",
            "..",
            "...",
            ".x",
            "/home/ann/.bashrc",
            "\"/etc/x\"",
            "../../x",
            "a/b",
            "a\\b",
            "C:x",
            "a\0b",
            "a\u{1b}[31mb",
            "é",
            "a b",
            "W/W/a",
            &long,
        ] {
            assert_eq!(parsed(header), None, "{header}");
        }
    }

    #[test]
    fn a_commit_is_hexadecimal() {
        assert!(CommitHash::parse("0123456789abcdefABCDEF\n").is_some());
        for text in ["", "main", "../a", "/a", "a/b", "..", &"a".repeat(129)] {
            assert!(CommitHash::parse(text).is_none(), "{text}");
        }
    }
}
