//! The parts of the program that a front end calls.

use session_config::Home;

/// The functions of the program that a front end calls while it stays open. `E` is the error type of the front end.
#[derive(Debug)]
pub struct FrontEndCallbacks<E> {
    /// Starts the process that embeds the sessions that the chosen model has not read.
    pub start_embedding: fn(&Home),
    /// Formats an error with its causes and what to do about it.
    pub describe_error: fn(E) -> String,
}

impl<E> Clone for FrontEndCallbacks<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for FrontEndCallbacks<E> {}
