//! Fixtures that the tests of several crates share: temporary homes, histories of Claude Code and OpenCode,
//! runs of a program, and servers on loopback. It knows no type of the other crates.

pub mod claude;
pub mod endpoint_server;
pub mod files;
pub mod home;
mod http;
pub mod hub_server;
pub mod opencode;
pub mod process;
#[cfg(unix)]
pub mod tmux;
