//! The progress of a long operation.

/// The progress of an operation in parts of equal size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The number of parts that are done.
    pub done: u64,
    /// The number of all parts.
    pub total: u64,
}
