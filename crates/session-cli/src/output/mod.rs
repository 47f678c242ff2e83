//! How things look, on a terminal and as JSON.

pub mod compact;
pub mod download;
pub mod explanation;
pub mod human;
pub mod json;
pub mod layout;
pub mod memory;
pub mod progress;
pub mod session;
pub mod shell;
pub mod show;
pub mod style;
