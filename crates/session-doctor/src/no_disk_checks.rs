//! The checks of the index's directory on systems without modes: there are none.

use crate::finding::DoctorFinding;
use std::path::Path;

/// Checks nothing.
pub(crate) fn check_disk(_: &Path, _: &Path) -> Vec<DoctorFinding> {
    Vec::new()
}

/// Does nothing.
///
/// # Errors
/// Never.
pub fn close_permissions(_: &Path) -> std::io::Result<()> {
    Ok(())
}
