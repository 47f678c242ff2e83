//! Numbers of rows, a type for each table.

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;
use std::fmt;

macro_rules! row_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Makes an id of the number of a row.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Returns the number as an index into a column by number.
            pub fn as_index(self) -> usize {
                usize::try_from(self.0).unwrap_or_default()
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.0.into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }
    )*};
}

row_ids! {
    /// The number of a history file in the index.
    FileId
    /// The number of a session in the index.
    SessionId
    /// The number of a turn in the index; a newer turn has a greater one.
    TurnId
    /// The number of a model in the index.
    ModelId
    /// The number of a frame of contents.
    FrameId
}

/// A turn with the session in which it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionTurn {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
}

impl SessionTurn {
    /// Reads a row that begins with a turn and its session.
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            turn: row.get(0)?,
            session: row.get(1)?,
        })
    }
}
