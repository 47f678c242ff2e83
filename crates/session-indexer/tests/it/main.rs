//! Refreshes of an index, from histories written by hand.

mod budget;
mod embedder;
mod embedding;
mod exclusions;
mod growth;
mod home;
mod locked;
mod markers;
mod narrowed_rules;
mod other_homes;
mod prompts;
mod repeated_sessions;
#[cfg(unix)]
mod several_paths;
mod state;
mod vanished;
mod worktree_projects;
