//! One file a command.

pub mod background;
pub mod caller;
pub mod config;
pub mod demo;
pub mod dialog;
pub mod digest;
pub mod doctor;
pub mod eval;
pub mod filter;
pub mod forget;
pub mod found;
pub mod hook;
pub mod index;
pub mod inject;
pub mod manual;
pub mod memory;
pub mod model;
pub mod refresh;
pub mod resume;
pub mod search;
pub mod setup;
pub mod show;
pub mod skill;
pub mod stats;
pub mod status;
pub mod trust;
