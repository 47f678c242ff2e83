//! Texts before they are parts of a memory: words, the YAML of a file, and secrets.

pub(crate) mod line_ends;
pub(crate) mod secret_text;
pub(crate) mod stop_words;
pub(crate) mod string_list;
pub(crate) mod terms;
pub(crate) mod yaml_file;
