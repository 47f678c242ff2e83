//! Refreshes of an index, from histories written by hand.

mod budget;
mod embedder;
mod embedding;
mod exclusions;
mod growth;
mod home;
mod locked;
mod other_homes;
mod prompts;
mod state;
mod vanished;
