//! `search`: lists sessions, or turns with `--depth 2`.

use crate::CommandOutcome;
use crate::args::{RankingArgs, SearchArgs, join_query};
use crate::command::{demo, memory};
use crate::output::notes::{print_note, print_notes};
use crate::output::{self, is_styled, json, notes, terminal_width};
use crate::shared::{background, caller, filter, lock_wait, refreshed_index};
use anyhow::Result;
use session_config::Home;
use session_core::Query;
use session_display::{
    Note, Preview, SessionIds, make_plain_previews, make_previews, now_without_zone_name,
};
use session_indexer::RefreshOutcome;
use session_output::{
    JsonSearch, SearchListing, compact_json_without_history, format_unembedded_sessions,
    format_unread_history, format_unreadable_paths,
};
use session_query::{
    LiveAnswer, QueryError, QueryModels, QueryRefresh, ResolvedQuery, SearchAnswer, SearchEngine,
    Snapshot, SnapshotAnswer, TypedSearch,
};
use session_report::{WorkScope, WorkSummary};
use session_search::{FusionMode, HitOrder, Level, QueryEmbedding, SearchHit, SearchResults};
use session_store::{Reader, SessionRow};

/// Runs the command.
pub fn run(args: &SearchArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let engine = SearchEngine::new(home.clone())?;
    let policy = engine.read_policy()?;
    let models = engine.models();
    let live = refreshed_index::live_index(&engine, &policy);
    let is_slow = !args.ranking.keyword_only && models.chosen().is_some();
    let query = parse_query(args)?;
    let warm = is_slow.then_some(|| models.warm(&engine.redact(&Query::new(&query.text).text)));
    let answer = |snapshot: &Snapshot| {
        let callers = caller::find_calling_sessions(&args.filter, &home, &snapshot.sessions);
        let embed = |query: &str| engine.embed(&snapshot.index, query);
        answer_search(args, &query, snapshot, &callers, embed)
    };
    let named = filter::named_sessions(&args.filter);
    let refresh = if args.no_refresh {
        QueryRefresh::IfMissing
    } else {
        if !named.is_empty() {
            engine.refresh_for_sessions(&live, &named, lock_wait::note_update_wait)?;
        }
        QueryRefresh::DuringAnswer
    };
    let LiveAnswer { found, refresh } = live.answer(refresh, warm, answer)?;
    refresh.iter().try_for_each(refreshed_index::note_refresh)?;
    if !args.json && !args.compact {
        print_notes(refresh.as_ref().and_then(format_unreadable_paths))?;
    }
    let Some(SnapshotAnswer { answer, snapshot }) = found else {
        let reason = || match Reader::open(&home.index_directory) {
            _ if refresh.is_none() => format_unread_history(),
            index => {
                refreshed_index::explain_no_history(&home, &policy.exclusions, index.as_ref().ok())
            }
        };
        return report_no_history(args, &query, reason, refresh.as_ref());
    };
    note_coverage(models, &snapshot, &home)?;
    let has_pending_sessions = models.has_pending_sessions(&snapshot.index)?;
    let found = print_search(args, &answer, &snapshot.sessions, refresh.as_ref())?;
    if has_pending_sessions {
        background::start(&home);
    }
    // The process ends, and its memory with it.
    std::mem::forget(snapshot);
    Ok(found)
}

/// Notes models that failed, and sessions that the chosen model has not read where these are many.
fn note_coverage(models: &QueryModels, snapshot: &Snapshot, home: &Home) -> Result<()> {
    let due = models.find_unembedded_sessions(&snapshot.index, snapshot.sessions.len())?;
    // Whether a background process goes on with them is asked last: on macOS that starts a process.
    print_notes(due.map(|due| format_unembedded_sessions(&due, home.allows_background())))?;
    print_notes(models.failures().iter().map(|failure| failure.note()))
}

/// An answer with what is printed of each hit.
pub struct AnswerWithPreviews {
    pub answer: SearchAnswer,
    /// The preview of each hit.
    previews: Vec<Preview>,
    /// The work summary of each hit, where requested.
    work: Vec<WorkSummary>,
    /// True where the built-in demo answers.
    pub is_demo: bool,
}

impl AnswerWithPreviews {
    /// Returns the answer with what is printed beside it.
    pub fn make_listing<'a>(
        &'a self,
        args: &'a SearchArgs,
        sessions: &'a [SessionRow],
        refreshed: Option<&'a RefreshOutcome>,
    ) -> SearchListing<'a> {
        let is_ranked = self.answer.results.order == HitOrder::Relevance;
        SearchListing {
            answer: &self.answer,
            sessions,
            ids: SessionIds::new(sessions),
            previews: &self.previews,
            work: &self.work,
            with: args.with.concat(),
            refreshed,
            explain: args.ranking.explain && is_ranked,
            is_demo: self.is_demo,
            now: now_without_zone_name,
        }
    }
}

/// Answers from an index that holds something, without the sessions of
/// `callers` and what they started.
pub fn answer_search(
    args: &SearchArgs,
    query: &ResolvedQuery,
    snapshot: &Snapshot,
    callers: &[&SessionRow],
    embed: impl Fn(&str) -> Result<Vec<QueryEmbedding>, QueryError>,
) -> Result<AnswerWithPreviews> {
    let search = TypedSearch {
        query,
        level: level_of_depth(args.depth),
        filter: filter::parse_filter(&args.filter, &snapshot.sessions)?,
        callers,
        fusion: fusion_mode(&args.ranking),
        limit: args.limit,
    };
    let answer = search.answer(snapshot, embed)?;
    let results = &answer.results;
    let summarized: &[SearchHit] = if args.with.is_empty() {
        &[]
    } else {
        &results.hits
    };
    let work = summarized
        .iter()
        .map(|hit| summarize(&snapshot.index, results.level, hit));
    Ok(AnswerWithPreviews {
        work: work.collect::<Result<_>>()?,
        previews: make_previews_for(args, results)?,
        is_demo: false,
        answer,
    })
}

/// Returns the previews of all hits, with the words of the query where these are shown.
fn make_previews_for(args: &SearchArgs, results: &SearchResults) -> Result<Vec<Preview>> {
    if args.compact {
        return Ok(Vec::new());
    }
    if args.json || is_styled() {
        Ok(make_previews(results)?)
    } else {
        Ok(make_plain_previews(results))
    }
}

/// Returns the level that `--depth` names.
fn level_of_depth(depth: u8) -> Level {
    match depth {
        1 => Level::Session,
        _ => Level::Turn,
    }
}

/// Parses the query with its filters.
pub fn parse_query(args: &SearchArgs) -> Result<ResolvedQuery> {
    Ok(ResolvedQuery::parse(&query_text(args)).map_err(QueryError::from)?)
}

/// Returns the words of the query as one text.
pub fn query_text(args: &SearchArgs) -> String {
    join_query(std::iter::once(&args.query).chain(&args.more))
}

/// Prints an answer.
pub fn print_search(
    args: &SearchArgs,
    formatted: &AnswerWithPreviews,
    sessions: &[SessionRow],
    refreshed: Option<&RefreshOutcome>,
) -> Result<CommandOutcome> {
    let answer = &formatted.answer;
    let listing = formatted.make_listing(args, sessions, refreshed);
    let related = find_related_memories(args, &answer.query)?;
    if let (Some(related), false) = (&related, args.json) {
        output::print(related.format(listing.explain))?;
    }
    let found = outcome_of_results(&answer.results);
    note_about_answer(args, &listing)?;
    if found == CommandOutcome::NotFound {
        note_nothing_found(args, &listing)?;
    }
    if args.compact {
        json::print_text(&listing.compact_json()?)?;
    } else if args.json {
        let memories = related.as_ref().map(memory::RelatedMemories::json);
        json::print(&listing.to_json().with_memories(memories))?;
    } else if found == CommandOutcome::Found {
        output::print(listing.format(terminal_width()))?;
    }
    Ok(outcome_with_memories(related.as_ref(), found))
}

/// Returns that something is found where memories answer, else what was found without them.
fn outcome_with_memories(
    related: Option<&memory::RelatedMemories>,
    otherwise: CommandOutcome,
) -> CommandOutcome {
    if related.is_some_and(|related| !related.is_empty()) {
        CommandOutcome::Found
    } else {
        otherwise
    }
}

/// Finds the memories that answer the words of the query, where they are asked for.
fn find_related_memories(
    args: &SearchArgs,
    query: &ResolvedQuery,
) -> Result<Option<memory::RelatedMemories>> {
    let find = || memory::find_related(&query.text);
    args.memories.then(find).transpose()
}

/// Notes what was made of the query: filters that are none, the caller that is left out, words that nothing holds.
fn note_about_answer(args: &SearchArgs, listing: &SearchListing<'_>) -> Result<()> {
    print_notes(listing.format_invalid_filters())?;
    print_notes(listing.answer.note_ignored_turns())?;
    print_notes(filter::note_searched_turns(&args.filter))?;
    print_notes(filter::note_excluded_turns(&args.filter))?;
    if args.json {
        return Ok(());
    }
    caller::note_left_out(&listing.answer.filter.excluded_callers)?;
    print_notes(listing.format_time_note())?;
    for note in listing.format_unfound_words() {
        notes::print_line(notes::fit_to_terminal(&note))?;
    }
    Ok(())
}

/// Notes why nothing was found; beside JSON, whose hints say it, one filter alone that leaves nothing.
fn note_nothing_found(args: &SearchArgs, listing: &SearchListing<'_>) -> Result<()> {
    if !args.json {
        return notes::print_reason(listing.format_nothing());
    }
    let unmet = listing.format_unmet_filter();
    unmet.map_or(Ok(()), notes::print_line)
}

/// Summarizes the work of a session, or of the turn that was found.
fn summarize(index: &Reader, level: Level, hit: &SearchHit) -> Result<WorkSummary> {
    let found = hit.turn.as_ref().map(|turn| turn.index);
    let scope = match (level, found) {
        (Level::Turn, Some(turn)) => WorkScope::Turn(turn),
        _ => WorkScope::Session { found },
    };
    Ok(WorkSummary::read(index, hit.session.id, scope)?)
}

/// Returns whether there is a hit.
pub fn outcome_of_results(results: &SearchResults) -> CommandOutcome {
    CommandOutcome::from_found(!results.hits.is_empty())
}

fn fusion_mode(args: &RankingArgs) -> FusionMode {
    match (args.vector_only, args.keyword_only) {
        (true, _) => FusionMode::DenseOnly,
        (_, true) => FusionMode::LexicalOnly,
        _ => args.alpha.map_or(FusionMode::Adaptive, FusionMode::Fixed),
    }
}

fn report_no_history(
    args: &SearchArgs,
    query: &ResolvedQuery,
    explain: impl FnOnce() -> Note,
    refreshed: Option<&RefreshOutcome>,
) -> Result<CommandOutcome> {
    if args.or_demo {
        let is_unread = refreshed.is_some_and(|outcome| outcome.unreadable_paths > 0);
        print_note(if is_unread {
            "no history of this machine could be read; this is the built-in demo"
        } else {
            "this machine has no history yet; this is the built-in demo"
        })?;
        return demo::run_search_in_demo(args);
    }
    let related = find_related_memories(args, query)?;
    if let (Some(related), false) = (&related, args.json) {
        output::print(related.format(args.ranking.explain))?;
    }
    let reason = explain();
    notes::print_reason_or_note(&reason, args.json)?;
    let (query, hints) = (&query.typed, reason.sentences());
    if args.compact {
        json::print_text(&compact_json_without_history(query, refreshed, &hints)?)?;
    } else if args.json {
        let level = level_of_depth(args.depth);
        let memories = related.as_ref().map(memory::RelatedMemories::json);
        let answer = JsonSearch::without_history(query, level, refreshed, hints);
        json::print(&answer.with_memories(memories))?;
    }
    let otherwise = CommandOutcome::NotFound;
    Ok(outcome_with_memories(related.as_ref(), otherwise))
}
