//! Queries as they are typed, and an index that stays open.

mod completion;
mod open_index;
mod project_folder;
mod typed_query;
