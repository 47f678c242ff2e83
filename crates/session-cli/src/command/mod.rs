//! One file a command.

pub mod background;
pub mod caller;
pub mod demo;
pub mod eval;
pub mod fresh;
pub mod index;
pub mod manual;
pub mod model;
pub mod resume;
pub mod search;
pub mod setup;
pub mod show;
pub mod skill;
pub mod status;
