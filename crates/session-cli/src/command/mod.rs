//! The commands, a file or a folder each.

pub mod browse;
pub mod config;
pub mod demo;
pub mod digest;
pub mod doctor;
pub mod eval;
pub mod export;
pub mod fix;
pub mod forget;
pub mod hook;
pub mod index;
pub mod inject;
pub mod manual;
pub mod mcp;
pub mod memory;
pub mod model;
pub mod resume;
pub mod search;
pub mod setup;
pub mod show;
pub mod skill;
pub mod stats;
pub mod status;
pub mod trust;
pub mod turn_listing;
