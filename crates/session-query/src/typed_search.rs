//! The search that a front end runs: a query with filters typed in it, and the options beside it.

use crate::error::QueryError;
use crate::invalid_filter::InvalidFilter;
use crate::live_index::Snapshot;
use crate::misspelt_query::CorrectedRequest;
use crate::typed_query::TypedQuery;
use crate::unmet_clause::{UnmetClause, find_unmet_clause};
use jiff::Zoned;
use session_core::Query;
use session_search::{
    FusionMode, Level, QueryEmbedding, RankingTuning, SearchFilter, SearchRequest, SearchResults,
    list_newest, search,
};
use session_store::{EmbeddingPause, SessionRow, with_subagents};

/// A search with the filters that are typed in its query and those of its options.
pub struct TypedSearch<'a> {
    /// The query, filters among its words.
    pub query: &'a str,
    /// The level: sessions or turns.
    pub level: Level,
    /// The filter of the options.
    pub filter: SearchFilter,
    /// The sessions from which the search is called; they and their subagents are left out.
    pub callers: &'a [&'a SessionRow],
    /// How the two lists are fused.
    pub fusion: FusionMode,
    /// Maximum number of hits.
    pub limit: usize,
}

/// The answer of a search.
pub struct SearchAnswer {
    /// The query as typed, filters among its words.
    pub query: String,
    /// The hits, with what was searched.
    pub results: SearchResults,
    /// Agents' ids of the sessions from which the search was called: they are not among the hits.
    pub left_out: Vec<String>,
    /// True where one of them passes the filters, but for that.
    pub leaves_out_match: bool,
    /// Whether the filter judges single turns.
    pub filters_turns: bool,
    /// Whether filters were typed in the query.
    pub has_typed_filters: bool,
    /// Words that were typed as filters, and searched as text.
    pub invalid_filters: Vec<InvalidFilter>,
    /// The filter that no turn meets by itself, where nothing was found.
    pub unmet: Option<UnmetClause>,
}

/// Answers a request from a snapshot, while a process that embeds in the background waits. Where the query has no text
/// the newest are listed; its text is embedded unless words alone are asked for. Words that no turn holds since they are
/// mistyped are corrected.
///
/// # Errors
/// When the query cannot be embedded, or the index fails.
pub(crate) fn answer_request(
    snapshot: &Snapshot,
    request: &SearchRequest,
    embed: impl Fn(&str) -> Result<Vec<QueryEmbedding>, QueryError>,
) -> Result<SearchResults, QueryError> {
    let Snapshot { index, sessions } = snapshot;
    if request.query.text.trim().is_empty() {
        return Ok(list_newest(index, sessions, request)?);
    }
    let _pause = EmbeddingPause::request(index.root());
    let answer = |request: &SearchRequest| -> Result<SearchResults, QueryError> {
        let embeddings = match request.fusion {
            FusionMode::LexicalOnly => Vec::new(),
            _ => embed(&request.query.text)?,
        };
        Ok(search(index, sessions, request, &embeddings)?)
    };
    let results = answer(request)?;
    match CorrectedRequest::new(index, request, &results)? {
        Some(corrected) => {
            let results = answer(&corrected.request)?;
            Ok(corrected.explain(results))
        }
        None => Ok(results),
    }
}

impl TypedSearch<'_> {
    /// Answers from a snapshot that has at least one session. Where there are no words beside filters, the newest are
    /// listed; its text is embedded unless words alone are asked for.
    ///
    /// # Errors
    /// When typed times contradict each other, the query cannot be embedded, or the index fails.
    pub fn answer(
        self,
        snapshot: &Snapshot,
        embed: impl Fn(&str) -> Result<Vec<QueryEmbedding>, QueryError>,
    ) -> Result<SearchAnswer, QueryError> {
        let typed = TypedQuery::parse(self.query);
        let request = self.request(&typed, &snapshot.sessions)?;
        let results = answer_request(snapshot, &request, embed)?;
        let unmet = match results.hits.is_empty() {
            true => {
                let Snapshot { index, sessions } = snapshot;
                find_unmet_clause(index, sessions, &request.filter.clauses)?
            }
            false => None,
        };
        Ok(SearchAnswer {
            query: self.query.to_owned(),
            results,
            unmet,
            left_out: self.callers.iter().map(|row| row.uid.clone()).collect(),
            leaves_out_match: self.leaves_out_match(&request.filter),
            filters_turns: request.filter.filters_turns(),
            has_typed_filters: !typed.conditions.is_empty(),
            invalid_filters: typed.invalid,
        })
    }

    /// Returns true where a caller passes the filters, but for being one.
    fn leaves_out_match(&self, filter: &SearchFilter) -> bool {
        let with_callers = SearchFilter {
            exclude: self.filter.exclude.clone(),
            ..filter.clone()
        };
        let mut callers = self.callers.iter();
        callers.any(|row| with_callers.passes_session(row))
    }

    fn request(&self, typed: &TypedQuery, all: &[SessionRow]) -> Result<SearchRequest, QueryError> {
        let mut filter = self.filter.clone();
        filter.clauses.extend(typed.clauses(Zoned::now)?);
        let callers = self.callers.iter().map(|row| row.id).collect();
        filter.exclude.extend(with_subagents(&callers, all));
        Ok(SearchRequest {
            query: Query::new(&typed.text),
            level: self.level,
            filter,
            fusion: self.fusion,
            tuning: RankingTuning::default(),
            limit: self.limit,
        })
    }
}
