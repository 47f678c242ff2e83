//! Which secrets are replaced, and what only looks like one.

mod arguments;
mod commands;
mod decomposed_letters;
mod everyday_forms;
mod passwords;
mod redaction;
mod stored_contents;
mod support;
mod values;
mod vendor_keys;
