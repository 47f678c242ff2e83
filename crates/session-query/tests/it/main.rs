//! Queries as they are typed, an index that stays open, and the choice of models.

mod completion;
mod corrections;
mod eval_index;
mod model_choice;
mod open_index;
mod project_folder;
mod query_models;
mod search_engine;
mod typed_query;
