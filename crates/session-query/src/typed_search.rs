//! The search that a front end runs: a query with filters typed in it, and the options beside it.

use crate::error::QueryError;
use crate::live_index::Snapshot;
use crate::misspelt_query::correct_request;
use crate::named_session::NamedSessions;
use crate::resolved_filter::ResolvedFilter;
use crate::resolved_query::ResolvedQuery;
use crate::unmet_clause::find_unmet_clause;
use session_search::{
    FusionMode, Level, QueryEmbedding, RankingTuning, SearchFilter, SearchRequest, SearchResults,
    UnmetClause, list_newest, search,
};
use session_store::{EmbeddingPause, SessionRow};

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
    /// Ids of `session:ID` words that were typed with a turn (`ID:7`), which is ignored.
    ids_with_ignored_turn: Vec<String>,
}

/// The answer of a search.
pub struct SearchAnswer {
    /// The query, without the sessions that it names.
    pub query: ResolvedQuery,
    /// The filter of the options and of the query, without the calling sessions.
    pub filter: ResolvedFilter,
    /// The hits, with what was searched.
    pub results: SearchResults,
    /// The filter that no turn meets by itself, where nothing was found.
    pub unmet: Option<UnmetClause>,
    /// Ids of `session:ID` words that were typed with a turn (`ID:7`), which is ignored.
    ids_with_ignored_turn: Vec<String>,
}

impl SearchAnswer {
    /// Notes each ignored turn of a `session:ID` word.
    pub fn note_ignored_turns(&self) -> impl Iterator<Item = String> {
        let ids = self.ids_with_ignored_turn.iter();
        ids.map(|id| format!("`session:` takes no turn; all of {id} counts"))
    }
}

/// Answers a request from a snapshot, while a process that embeds in the background waits. Where the query has no text
/// the newest are listed; else its text is embedded, except for [`FusionMode::LexicalOnly`]. Words that no turn holds since
/// they are mistyped are corrected.
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
    /// listed; else `embed` embeds the text, except for [`FusionMode::LexicalOnly`].
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
            ids_with_ignored_turn,
        } = search;
        let results = answer_request(snapshot, &request, embed)?;
        let unmet = if results.hits.is_empty() {
            find_unmet_clause(index, sessions, &filter.search_filter.clauses)
        } else {
            None
        };
        Ok(SearchAnswer {
            query,
            filter,
            results,
            unmet,
            ids_with_ignored_turn,
        })
    }

    /// Returns the request for an index with these sessions.
    pub fn request(&self, all: &[SessionRow]) -> SearchRequest {
        self.request_for(&self.resolve(all))
    }

    /// Joins the filter of the options and those of the query. A calling session that is named is searched.
    fn resolve(&self, all: &[SessionRow]) -> ResolvedSearch {
        let mut query = self.query.clone();
        let mut filter = self.filter.clone();
        let mut callers = self.callers.to_vec();
        let mut ids_with_ignored_turn = Vec::new();
        filter.clauses.extend(query.clauses.iter().cloned());
        if let Some(named) = NamedSessions::find(&query.text, all) {
            named.narrow(&mut filter);
            callers.retain(|caller| !named.only_sessions.contains(&caller.id));
            if filter.includes_subagents {
                filter = filter.with_subagents_of_named(all);
            }
            query.text = named.text;
            ids_with_ignored_turn = named.ids_with_ignored_turn;
        }
        let filter = ResolvedFilter::new(filter, &callers, all);
        ResolvedSearch {
            query,
            filter,
            ids_with_ignored_turn,
        }
    }

    fn request_for(&self, search: &ResolvedSearch) -> SearchRequest {
        SearchRequest {
            query: search.query.words(),
            corrections: Vec::new(),
            level: self.level,
            filter: search.filter.search_filter.clone(),
            fusion: self.fusion,
            tuning: RankingTuning::default(),
            limit: self.limit,
        }
    }
}
