//! Projects of sessions whose working directory is gone.

use session_core::SessionMeta;
use session_sources::is_network_path;
use session_store::{FileId, StoreError, Writer};
use std::path::Path;

/// Keeps the project that the index knows of a session without one whose working directory is gone: it may have been a
/// git worktree, and nothing on disk tells its project any more.
pub(super) fn keep_known_project(
    writer: &Writer,
    file: FileId,
    source: &str,
    meta: &mut SessionMeta,
) -> Result<(), StoreError> {
    if is_folder_gone(meta) {
        meta.project = writer.known_project(file, source, meta)?;
    }
    Ok(())
}

/// Returns true if the working directory of a session without a project is gone.
fn is_folder_gone(meta: &SessionMeta) -> bool {
    let directory = meta.cwd.as_deref().filter(|_| meta.project.is_none());
    // Of a directory in a network there is no project either.
    directory.is_some_and(|directory| !is_network_path(directory) && !Path::new(directory).exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::KnownTurns;

    #[test]
    fn the_project_of_a_folder_that_is_gone_stays() {
        let directory = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(&directory.path().join("index")).unwrap();
        let source = "claude";
        let file = writer.upsert_file(source, "/h/a.jsonl").unwrap();
        let directory = directory.path().join("worktree");
        fs_err::create_dir(&directory).unwrap();
        let mut open = |project: Option<&str>| {
            let mut meta = SessionMeta {
                id: "a".to_owned(),
                cwd: directory.to_str().map(str::to_owned),
                project: project.map(str::to_owned),
                ..SessionMeta::default()
            };
            keep_known_project(&writer, file, source, &mut meta).unwrap();
            let turns = KnownTurns::Replace;
            writer.open_session(file, source, &meta, turns).unwrap();
            let all = writer.reader().unwrap().sessions().unwrap();
            all[0].project.clone()
        };
        assert_eq!(open(Some("/w/app")).as_deref(), Some("/w/app"));
        assert_eq!(open(None).as_deref(), directory.to_str(), "it has left it");
        open(Some("/w/app"));
        fs_err::remove_dir(&directory).unwrap();
        assert_eq!(open(None).as_deref(), Some("/w/app"));
        assert_eq!(open(Some("/w/kiln")).as_deref(), Some("/w/kiln"));
    }
}
