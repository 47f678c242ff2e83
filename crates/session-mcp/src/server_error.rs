//! Errors of the server.

use rmcp::service::ServerInitializeError;
use std::io;
use thiserror::Error;
use tokio::task::JoinError;

/// The reason for which the server did not serve.
#[derive(Debug, Error)]
pub enum ServerError {
    /// There is no thread for the work.
    #[error("the worker cannot start")]
    Worker(#[source] io::Error),
    /// There is no runtime for the protocol.
    #[error("the server cannot start")]
    Runtime(#[source] io::Error),
    /// The handshake failed.
    #[error("the client does not speak the protocol")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The task that serves the client failed.
    #[error(transparent)]
    Task(#[from] JoinError),
}
