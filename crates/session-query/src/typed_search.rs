//! The search that a front end runs: a query with filters typed in it, and the options beside it.

use crate::error::QueryError;
use crate::live_index::Snapshot;
use crate::misspelt_query::correct_request;
use crate::named_session::NamedSessions;
use crate::resolved_filter::ResolvedFilter;
use crate::resolved_query::ResolvedQuery;
use crate::unmet_clause::{UnmetClause, find_unmet_clause};
use session_search::{
    FusionMode, QueryEmbedding, RankingTuning, SearchFilter, SearchRequest, SearchResults,
    list_newest, search,
};
use session_store::{EmbeddingPause, Level, SessionRow};

/// A search with the filters that are typed in its query and those of its options.
pub struct TypedSearch<'a> {
    /// The query.
    pub query: &'a ResolvedQuery,
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

/// A search whose sessions are those of an index.
struct ResolvedSearch {
    query: ResolvedQuery,
    filter: ResolvedFilter,
    /// The ids in the query behind which turns stand.
    with_turns: Vec<String>,
}

/// The answer of a search.
pub struct SearchAnswer {
    /// The query, without the sessions that it names.
    pub query: ResolvedQuery,
    /// The filter of the options and of the query, without the sessions that ask.
    pub filter: ResolvedFilter,
    /// The hits, with what was searched.
    pub results: SearchResults,
    /// The filter that no turn meets by itself, where nothing was found.
    pub unmet: Option<UnmetClause>,
    /// The ids of `session:ID` in the query behind which turns stand, which do not count.
    with_turns: Vec<String>,
}

impl SearchAnswer {
    /// Says of each session that the query names with turns that all of it counts.
    pub fn note_ignored_turns(&self) -> impl Iterator<Item = String> {
        let ids = self.with_turns.iter();
        ids.map(|id| format!("`session:` takes no turn; all of {id} counts"))
    }
}

/// Answers a request from a snapshot, while a process that embeds in the background waits. Where the query has no text
/// the newest are listed; else its text is embedded, unless words alone are asked for. Words that no turn holds since they
/// are mistyped are corrected.
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
    match correct_request(index, request, &results)? {
        Some(corrected) => answer(&corrected),
        None => Ok(results),
    }
}

impl TypedSearch<'_> {
    /// Answers from a snapshot that has at least one session. Where the query has no text beside its filters the newest are
    /// listed; else `embed` embeds the text, unless words alone are asked for.
    ///
    /// # Errors
    /// When the query cannot be embedded, or the index fails.
    pub fn answer(
        &self,
        snapshot: &Snapshot,
        embed: impl Fn(&str) -> Result<Vec<QueryEmbedding>, QueryError>,
    ) -> Result<SearchAnswer, QueryError> {
        let Snapshot { index, sessions } = snapshot;
        let search = self.resolve(sessions);
        let request = self.request_for(&search);
        let ResolvedSearch {
            query,
            filter,
            with_turns,
        } = search;
        let results = answer_request(snapshot, &request, embed)?;
        let unmet = if results.hits.is_empty() {
            find_unmet_clause(index, sessions, &filter.filter.clauses)
        } else {
            None
        };
        Ok(SearchAnswer {
            query,
            filter,
            results,
            unmet,
            with_turns,
        })
    }

    /// Returns the request for an index with these sessions.
    pub fn request(&self, all: &[SessionRow]) -> SearchRequest {
        self.request_for(&self.resolve(all))
    }

    /// Joins the filter of the options and those of the query. A session that is named is searched though it asks.
    fn resolve(&self, all: &[SessionRow]) -> ResolvedSearch {
        let mut query = self.query.clone();
        let mut filter = self.filter.clone();
        let mut callers = self.callers.to_vec();
        let mut with_turns = Vec::new();
        filter.clauses.extend(query.clauses.iter().cloned());
        if let Some(named) = NamedSessions::find(&query.text, all) {
            named.narrow(&mut filter);
            callers.retain(|caller| !named.only.contains(&caller.id));
            if filter.subagents {
                filter = filter.including_subagents(all);
            }
            query.text = named.text;
            with_turns = named.with_turns;
        }
        let filter = ResolvedFilter::new(filter, &callers, all);
        ResolvedSearch {
            query,
            filter,
            with_turns,
        }
    }

    fn request_for(&self, search: &ResolvedSearch) -> SearchRequest {
        SearchRequest {
            query: search.query.words(),
            corrections: Vec::new(),
            level: self.level,
            filter: search.filter.filter.clone(),
            fusion: self.fusion,
            tuning: RankingTuning::default(),
            limit: self.limit,
        }
    }
}
