//! Asking all questions.

use crate::set::{EvalError, LabelledQuestion, LabelledSet, QuestionScope};
use session_core::{Query, TurnAddress};
use session_search::{
    FilterClause, FilterCondition, FusionMode, Level, ProjectPattern, QueryEmbedding,
    RankingTuning, SearchRequest, SearchResults, search,
};
use session_store::{Reader, SessionRow};
use std::time::{Duration, Instant};

/// Hits kept of each question.
const MAX_HITS: usize = 20;

/// The options with which all questions of a set are searched.
pub struct EvalOptions<'a> {
    /// Sessions or turns.
    pub level: Level,
    /// How the two lists are weighed.
    pub fusion: FusionMode,
    /// The constants of the ranking.
    pub tuning: RankingTuning,
    /// Ask in all sessions, whatever a question's scope.
    pub pooled: bool,
    /// Makes a query's vectors, the best model's first.
    pub embed: &'a dyn Fn(&str) -> Result<Vec<QueryEmbedding>, EvalError>,
    /// Hears how many questions have been asked.
    pub progress: &'a dyn Fn(usize),
}

/// The ranking that a search returned for one question.
#[derive(Debug, Clone)]
pub struct EvaluatedRanking {
    /// Its id.
    pub question: String,
    /// Session ids, or `session:turn`, best first.
    pub targets: Vec<String>,
    /// Their scores.
    pub scores: Vec<f32>,
    /// From words to hits.
    pub took: Duration,
}

/// Asks every question of a set that has labels at the level.
///
/// # Errors
/// When the index or a model fails.
pub fn evaluate(
    set: &LabelledSet,
    index: &Reader,
    ask: &EvalOptions<'_>,
) -> Result<Vec<EvaluatedRanking>, EvalError> {
    let sessions = index.sessions()?;
    let asked = set
        .questions
        .iter()
        .filter(|q| set.relevant_targets(ask.level, &q.id).is_some());
    let mut rankings = Vec::new();
    for question in asked {
        rankings.push(one(question, index, &sessions, ask)?);
        (ask.progress)(rankings.len());
    }
    Ok(rankings)
}

fn one(
    question: &LabelledQuestion,
    index: &Reader,
    sessions: &[SessionRow],
    ask: &EvalOptions<'_>,
) -> Result<EvaluatedRanking, EvalError> {
    let began = Instant::now();
    let mut request = SearchRequest {
        level: ask.level,
        fusion: ask.fusion,
        tuning: ask.tuning,
        limit: MAX_HITS,
        ..SearchRequest::new("")
    };
    request.query = Query::new(&question.query);
    if question.scope == QuestionScope::Project && !ask.pooled {
        let project = question.cwd.clone().map(ProjectPattern::Part);
        let clauses = project.map(FilterCondition::Project).map(FilterClause::new);
        request.filter.clauses.extend(clauses);
    }
    let dense = (ask.embed)(&request.query.text)?;
    let results = search(index, sessions, &request, &dense)?;
    Ok(EvaluatedRanking {
        question: question.id.clone(),
        scores: results.hits.iter().map(|h| h.score).collect(),
        targets: list_targets(&results),
        took: began.elapsed(),
    })
}

fn list_targets(results: &SearchResults) -> Vec<String> {
    let name = |hit: &session_search::SearchHit| match (results.level, &hit.turn) {
        (Level::Turn, Some(turn)) => TurnAddress::new(&hit.session.uid, turn.index).to_string(),
        _ => hit.session.uid.clone(),
    };
    results.hits.iter().map(name).collect()
}

/// Formats rankings as lines `question TAB target TAB score`. The score falls by rank, so that ties stay in order.
pub fn format_run(rankings: &[EvaluatedRanking]) -> String {
    let mut out = String::new();
    for ranking in rankings {
        for (rank, (target, score)) in ranking.targets.iter().zip(&ranking.scores).enumerate() {
            let falling = f64::from(*score) - rank as f64 * 1e-9;
            out.push_str(&format!("{}\t{target}\t{falling:.9}\n", ranking.question));
        }
    }
    out
}
