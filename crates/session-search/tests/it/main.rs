//! Search over indexes made by hand, with vectors made by hand.

mod edited_files;
mod explanation;
mod filters;
mod identifiers;
mod library;
mod newest;
mod ranking;
mod rescoring;
mod resolve;
mod sentences;
mod show;
mod spellings;
mod unfound_terms;
mod words_in_a_row;
