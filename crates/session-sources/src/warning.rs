//! Warnings about files, as the sources make them.

use crate::{Retry, Warning, WarningKind};
use session_core::TurnSpan;
use std::io;
use std::path::Path;

/// Returns the warning for a path, with one count and no offset.
pub(crate) fn warning(path: &Path, reason: impl ToString) -> Warning {
    Warning {
        path: path.to_owned(),
        offset: None,
        reason: reason.to_string(),
        count: 1,
        retry: Retry::FullRead,
        kind: WarningKind::Unreadable,
    }
}

/// Returns the warning for a path of a kind that callers treat in its own way.
pub(crate) fn warning_of_kind(kind: WarningKind, path: &Path, reason: impl ToString) -> Warning {
    Warning {
        kind,
        ..warning(path, reason)
    }
}

/// Returns the warning for a file that cannot be read now.
pub(crate) fn unread_warning(path: &Path, error: &io::Error) -> Warning {
    Warning {
        retry: Retry::NextRefresh,
        ..warning(path, error)
    }
}

/// Returns the warning for a turn that is to be shown and is not there.
pub(crate) fn missing_turn_warning(path: &Path, span: TurnSpan) -> Warning {
    Warning {
        offset: Some(span.start),
        ..warning(path, "no turn begins here any more")
    }
}
