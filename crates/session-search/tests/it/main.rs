//! Search over indexes made by hand, with vectors made by hand.

mod edited_files;
mod exchanges;
mod explanation;
mod filtered_lists;
mod filters;
mod identifiers;
mod library;
mod newest;
mod ranking;
mod rescoring;
mod resolved_session;
mod sentences;
mod spellings;
mod unfound_terms;
mod unheld_identifiers;
mod words_in_a_row;
