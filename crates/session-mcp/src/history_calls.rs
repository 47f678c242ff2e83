//! The calls to which an answer of `history` leads.

use crate::answer::{format_call, format_rest_call};
use crate::arguments::{HistoryKind, is_for_all};
use crate::filter_arguments::{DroppedFields, FilterArguments};
use crate::history_tool::HistoryReading;
use serde_json::Value;
use session_core::TurnAddress;
use session_core::text::collapse_whitespace;
use session_query::{FilterField, TypedQuery};
use session_search::FilterClause;

impl HistoryReading<'_> {
    /// Returns the call that shows the first of what was found, or else the one that looks further: without the filter that
    /// no turn meets, or the narrowest, else for the words of the pattern.
    pub(crate) fn format_next_call(
        &self,
        first: Option<TurnAddress>,
        unmet: Option<&FilterClause>,
    ) -> String {
        if let Some(first) = first {
            return self.format_show_call(&first);
        }
        let what = self.arguments.what;
        if what == HistoryKind::Fixes && is_for_all(&self.query.text) {
            return self.format_wider_call(HistoryKind::Errors, |_| true);
        }
        let dropped = DroppedFields::find(unmet, &self.filter.clauses);
        if dropped.is_empty() {
            self.format_search_call()
        } else {
            self.format_wider_call(what, |field| dropped.keeps(field))
        }
    }

    /// Returns the call that shows a turn: brief, since outputs in full are pages, but for the output with an error.
    fn format_show_call(&self, turn: &TurnAddress) -> String {
        let (only, brief) = match self.arguments.what {
            HistoryKind::Edits => (Some("edits"), None),
            HistoryKind::Errors => (None, None),
            _ => (None, Some(true)),
        };
        let id = turn.to_string().into();
        format_call(
            "show",
            &[("id", id), ("brief", brief.into()), ("only", only.into())],
        )
    }

    /// Returns the call for the items from `offset` on. An offset and no time: commands are not in the order of time alone,
    /// and turns may have one time or none.
    pub(crate) fn format_page_call(&self, offset: usize) -> String {
        let arguments = self.arguments;
        let mut call = self.describe_pattern(arguments.what, &arguments.pattern);
        call.extend(FilterArguments::from(arguments).describe());
        call.push(("limit", arguments.limit.into()));
        format_rest_call("history", call, offset)
    }

    /// Returns the call for the cures of all programs.
    pub(crate) fn format_call_without_command(&self) -> String {
        let arguments = self.arguments;
        let mut call = self.describe_pattern(arguments.what, &arguments.pattern);
        call.retain(|(name, _)| *name != "command");
        call.extend(FilterArguments::from(arguments).describe());
        format_call("history", &call)
    }

    /// Returns the call for the same pattern with the filters that are kept.
    fn format_wider_call(
        &self,
        what: HistoryKind,
        is_kept: impl Fn(FilterField) -> bool,
    ) -> String {
        let pattern = match self.query.format_with_fields(&is_kept) {
            pattern if pattern.is_empty() => "*".to_owned(),
            pattern => pattern,
        };
        let filters = FilterArguments::from(self.arguments).with_fields(is_kept);
        let mut call = self.describe_pattern(what, &pattern);
        call.extend(filters.describe());
        format_call("history", &call)
    }

    /// Returns the call that searches for the words of the pattern with the same filters; for the newest where it has none.
    fn format_search_call(&self) -> String {
        let words = collapse_whitespace(&self.query.text.replace('*', " "));
        let words = Some(words).filter(|words| words.contains(char::is_alphanumeric));
        let level = words.is_some().then_some("turn");
        let query = TypedQuery {
            text: words.unwrap_or_default(),
            ..self.query.clone()
        };
        let query = query.format_with_fields(|_| true);
        let mut call = vec![("query", query.into()), ("level", level.into())];
        call.extend(FilterArguments::from(self.arguments).describe());
        format_call("search", &call)
    }

    /// Returns the arguments that say what is looked for.
    fn describe_pattern(&self, what: HistoryKind, pattern: &str) -> Vec<(&'static str, Value)> {
        let command = self.arguments.command.as_deref();
        let command = command.filter(|_| what == HistoryKind::Fixes);
        let failed = self.arguments.failed && what == HistoryKind::Commands;
        vec![
            ("what", what.name().into()),
            (
                "pattern",
                Some(pattern).filter(|text| !text.is_empty()).into(),
            ),
            ("command", command.into()),
            ("failed", failed.then_some(true).into()),
        ]
    }
}
