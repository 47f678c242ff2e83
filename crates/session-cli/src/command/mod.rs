//! One file a command.

pub mod background;
pub mod demo;
pub mod eval;
pub mod fresh;
pub mod index;
pub mod model;
pub mod search;
pub mod show;
pub mod status;
