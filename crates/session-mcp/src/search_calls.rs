//! The calls to which an answer of `search` leads.

use crate::answer::{format_call, format_rest_call};
use crate::arguments::is_for_all;
use crate::call_error::CallError;
use crate::filter_arguments::{DroppedFields, FilterArguments};
use crate::index_view::IndexView;
use crate::search_tool::SearchCall;
use serde_json::Value;
use session_core::text::collapse_whitespace;
use session_core::{Query, TurnAddress, TurnContent, TurnWindow};
use session_query::{SearchAnswer, TypedQuery};
use session_search::{Level, SearchHit};

impl SearchCall<'_> {
    /// Returns the call that shows the session whose id is the query or, where nothing was found, is in it; else the one that
    /// shows the best hit, or looks further.
    pub(crate) fn format_next_call(
        &self,
        answer: &SearchAnswer,
        view: IndexView<'_>,
    ) -> Result<String, CallError> {
        let results = &answer.results;
        let is_sought =
            |_: &&String| results.hits.is_empty() || Query::new(&self.query.text).terms.len() == 1;
        let ids = &results.explanation.unfound.session_ids;
        let first = results.hits.get(self.offset()).or(results.hits.first());
        Ok(match (ids.first().filter(is_sought), first) {
            (Some(id), _) => format_call("show", &[("id", id.as_str().into())]),
            (None, Some(best)) => format_show_call(best, view)?,
            (None, None) => self.format_wider_call(answer),
        })
    }

    /// Returns the call that looks further than one that found nothing: without the filter that no turn meets, or the
    /// narrowest, or else for the newest. What no session has is in no turn, either, whatever the filters.
    fn format_wider_call(&self, answer: &SearchAnswer) -> String {
        let unmet = answer.unmet.as_ref().map(|unmet| &unmet.clause);
        let dropped = DroppedFields::find(unmet, &answer.filter.search_filter.clauses);
        let is_any_searched = answer.results.searched.sessions > 0;
        let is_unknown = is_any_searched && has_only_unknown_words(answer);
        // Filters that leave no session, of which none can be told to be the reason, are dropped together.
        let drops_all = !is_any_searched && dropped.is_empty();
        let is_kept = |field| is_unknown || (dropped.keeps(field) && !drops_all);
        let mut query = TypedQuery::parse(&self.arguments.query);
        let is_for_newest = is_unknown || (is_any_searched && dropped.is_empty());
        if is_for_newest || is_for_all(&query.text) {
            query.text.clear();
        }
        let filters = FilterArguments::from(self.arguments).with_fields(is_kept);
        let query = query.format_with_fields(is_kept);
        let mut call = vec![("query", query.into()), ("level", self.level_argument())];
        call.extend(filters.describe());
        format_call("search", &call)
    }

    /// Returns the call for the hits from `offset` on. An offset and no time: a session would be listed again by its turns
    /// before that.
    pub(crate) fn format_page_call(&self, offset: usize) -> String {
        let arguments = self.arguments;
        let mut call = vec![
            ("query", arguments.query.as_str().into()),
            ("level", self.level_argument()),
        ];
        call.extend(FilterArguments::from(arguments).describe());
        call.extend([
            ("subagents", arguments.subagents.then_some(true).into()),
            ("limit", arguments.limit.into()),
        ]);
        format_rest_call("search", call, offset)
    }

    /// Returns the level, null where it need not be given.
    fn level_argument(&self) -> Value {
        match self.arguments.level {
            Level::Session => Value::Null,
            Level::Turn => "turn".into(),
        }
    }
}

/// Returns true if no turn of the index holds a word of the query.
fn has_only_unknown_words(answer: &SearchAnswer) -> bool {
    let count = Query::new(&answer.query.text).terms.len();
    count > 0 && answer.results.explanation.unfound.missing.len() == count
}

/// Returns the call that shows a hit and the turn after it. Brief, since outputs in full put the passage pages away; not the
/// turn before, which would be read first. In full where the passage is of an output, which a brief one may be cut before.
fn format_show_call(hit: &SearchHit, view: IndexView<'_>) -> Result<String, CallError> {
    let session = &hit.session;
    let content = hit
        .turn
        .as_ref()
        .map(|turn| view.snapshot.index.content(turn.id));
    let content = content.transpose()?;
    let is_of_output = content.is_some_and(|content| is_of_error(&hit.preview, &content));
    let first = hit.turn.as_ref().map_or(0, |turn| turn.index);
    let range = TurnWindow::with_next_turn(first, session.turns);
    let id = TurnAddress::new(view.short_id(session), range).to_string();
    let brief = (!is_of_output).then_some(true);
    Ok(format_call(
        "show",
        &[("id", id.into()), ("brief", brief.into())],
    ))
}

/// Returns true if a passage is of an error line of a turn, and neither of the prompt nor of the answer.
fn is_of_error(passage: &str, content: &TurnContent) -> bool {
    let passage = passage.trim_matches(|c: char| c == '…' || c.is_whitespace());
    let passage = collapse_whitespace(passage);
    let has_passage = |text: &String| collapse_whitespace(text).contains(&passage);
    let words = [&content.prompt, &content.answer];
    content.errors.iter().any(has_passage) && !words.into_iter().any(has_passage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_of_an_error_is_none_of_the_conversation() {
        let content = TurnContent {
            prompt: "the lamps flicker".into(),
            answer: "error: no oil".into(),
            errors: vec!["error: no oil".into(), "error:  the lamp is  worn".into()],
            ..TurnContent::default()
        };
        for (passage, expected) in [
            ("… the lamp is worn", true),
            ("error: the lamp…", true),
            ("error: no oil", false),
            ("the lamps flicker", false),
            ("make lamps", false),
        ] {
            assert_eq!(is_of_error(passage, &content), expected, "{passage}");
        }
    }
}
