//! The three levels of the demo.

use crate::search_json::JsonSearch;
use crate::shell::{format_command, format_next_command, is_repeatable, quote_query};
use crate::style::{FAINT, TITLE, paint};
use serde::Serialize;
use session_export::{ShownSession, ShownTurn};

/// The three levels of the demo; those after nothing was found are null.
#[derive(Serialize)]
pub struct JsonDemo<'a> {
    /// The sessions that were found.
    pub sessions: JsonSearch<'a>,
    /// The turns of the best session.
    pub turns: Option<JsonSearch<'a>>,
    /// The best turn in full.
    pub shown: Option<ShownSession<'a, Vec<ShownTurn<'a>>>>,
}

/// Formats what is done next, and how it is typed: the second word of a search is its query.
pub fn format_step(title: &str, words: &[&str], width: usize) -> String {
    let mut typed: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    if let ["search", query, ..] = words {
        typed[1] = quote_query(query);
    }
    let command = format_command(&typed, 2, width);
    format!(
        "\n{}\n{}\n\n",
        paint(TITLE, title),
        paint(FAINT, format!("$ {command}"))
    )
}

/// Formats the command that shows all levels of the demo for a query.
pub fn format_demo_command(query: &str, width: usize) -> String {
    let query = is_repeatable(query).then(|| quote_query(query));
    let typed: Vec<String> = std::iter::once("demo".to_owned()).chain(query).collect();
    format_next_command(&typed, width)
}
