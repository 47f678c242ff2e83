//! The index at rest, through its writer and readers.

mod compact;
mod completions;
mod contents;
mod copies;
mod damage;
mod files;
mod folder;
mod format;
mod highlight;
mod inflections;
mod lexical;
mod lost_turns;
mod mend;
mod misspellings;
mod new_documents;
mod npy;
mod pending_sessions;
mod queries;
mod random;
mod redaction;
mod substitutes;
mod support;
mod title_steps;
mod titles;
mod turns;
mod vectors;
