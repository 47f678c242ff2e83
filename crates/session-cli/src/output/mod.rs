//! How things look, on a terminal and as JSON.

pub mod human;
pub mod json;
pub mod progress;
pub mod session;
pub mod show;
pub mod style;
