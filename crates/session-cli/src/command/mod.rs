//! The commands, a file or a folder each, and what several of them share: how the index is opened (`refresh`,
//! `filtered_history`, `work_history`), filters as typed (`filter`), the session that asks (`caller`), consent (`dialog`),
//! text from stdin (`stdin`) and the process that embeds (`background`).

pub mod background;
pub mod browse;
pub mod caller;
pub mod config;
pub mod demo;
pub mod dialog;
pub mod digest;
pub mod doctor;
pub mod eval;
pub mod export;
pub mod filter;
pub mod filtered_history;
pub mod fix;
pub mod forget;
pub mod hook;
pub mod index;
pub mod inject;
pub mod manual;
pub mod mcp;
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
pub mod stdin;
pub mod trust;
pub mod turn_listing;
pub mod work_history;
