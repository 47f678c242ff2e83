//! How things look, on a terminal and as JSON.

pub mod calendar;
pub mod compact;
pub mod diff;
pub mod digest;
pub mod download;
pub mod explanation;
pub mod found;
pub mod human;
pub mod json;
pub mod layout;
pub mod memory;
pub mod notes;
pub mod pager;
pub mod preview;
pub mod progress;
pub mod session;
pub mod session_items;
pub mod shell;
pub mod show;
pub mod style;
pub mod units;
pub mod work;
