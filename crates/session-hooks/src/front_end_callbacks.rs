//! The parts of the program that a front end asks for.

use crate::memories::Memories;
use session_config::Home;

/// The functions by which the program takes part in the work of a front end that stays open. `E` is the
/// error that the front end meets.
#[derive(Debug)]
pub struct FrontEndCallbacks<E> {
    /// Starts the process that embeds the sessions that the chosen model has not read.
    pub start_embedding: fn(&Home),
    /// Updates what follows the memories after one was saved; returns notes for the user.
    pub memories_changed: fn(&Memories) -> Vec<String>,
    /// Formats an error with its causes and what to do about it.
    pub describe_error: fn(E) -> String,
}

impl<E> Clone for FrontEndCallbacks<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for FrontEndCallbacks<E> {}
