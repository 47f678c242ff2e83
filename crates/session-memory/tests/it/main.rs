//! Memories through the public types of the crate.

#[cfg(unix)]
mod conversation_trust;
mod import;
mod import_again;
mod inherited_fields;
mod injector;
mod life_cycle;
mod redaction;
mod search;
mod session_start;
mod store;
mod support;
mod trigger_relevance;
mod triggers;
#[cfg(unix)]
mod trust;
mod views;
