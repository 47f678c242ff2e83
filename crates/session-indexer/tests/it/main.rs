//! Refreshes of an index, from histories written by hand.

mod budget;
mod changed_rules;
mod continued_redaction;
mod embedder;
mod embedding;
mod exclusions;
mod forgotten_branch;
mod growth;
mod home;
mod locked;
mod markers;
mod other_homes;
mod prompts;
mod repeated_sessions;
#[cfg(unix)]
mod several_paths;
mod state;
mod stored_redaction;
mod vanished;
