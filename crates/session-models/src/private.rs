//! Folders and files that their owner alone can read.

use fs_err::File;
use std::io::{Error, Result};
use std::path::Path;

/// Makes a folder and what is missing above it. One that is there keeps its
/// rights: it may hold other things.
pub fn folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(path);
    made.map_err(|e| {
        let text = format!("cannot create the folder `{}`: {e}", path.display());
        Error::new(e.kind(), text)
    })
}

/// Makes a file, empty.
pub fn file(path: &Path) -> Result<File> {
    let mut options = fs_err::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Takes others' rights to a file away.
pub fn close(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

/// Writes a file so that whoever reads it finds the old or the new content,
/// never a part. Where a link stands, the file behind it is written.
///
/// # Errors
/// When the folder cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let path = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    self::folder(path.parent().unwrap_or(Path::new(".")))?;
    // Not the name of the new file, which nobody knows.
    put(&path, content).map_err(|e| {
        let text = format!(
            "cannot write `{}`: {}\nhint: see that its folder can be written, and that the disk is not full",
            path.display(),
            std::io::Error::from(e.kind())
        );
        Error::new(e.kind(), text)
    })
}

fn put(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut new, content)?;
    if let Ok(old) = fs_err::metadata(path) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(path).map_err(|e| e.error)?;
    Ok(())
}
