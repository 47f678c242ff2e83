//! Searches for all questions of a labelled set.

use crate::set::{EvalError, LabelledQuestion, LabelledSet, QuestionScope};
use session_core::TurnAddress;
use session_search::{
    FilterClause, FilterCondition, FusionMode, Level, ProjectPattern, QueryEmbedding,
    RankingTuning, SearchHit, SearchRequest, SearchResults, search,
};
use session_store::{Reader, SessionRow};
use std::time::{Duration, Instant};

/// Number of hits that are kept of each question: more than the ten that the deepest measure reads, for another judge.
const MAX_HITS: usize = 20;

/// The options with which all questions of a set are searched.
pub struct EvalOptions<'a> {
    /// Sessions or turns.
    pub level: Level,
    /// How the two lists are fused.
    pub fusion: FusionMode,
    /// The constants of the ranking.
    pub tuning: RankingTuning,
    /// Whether all sessions are searched, whatever a question's scope.
    pub pooled: bool,
    /// Embeds a query by each model, the best model first.
    pub embed: &'a dyn Fn(&str) -> Result<Vec<QueryEmbedding>, EvalError>,
    /// Receives the number of questions that have been searched.
    pub progress: &'a dyn Fn(usize),
}

/// The ranking that a search returned for one question.
#[derive(Debug, Clone)]
pub struct EvaluatedRanking {
    /// The question's id.
    pub question: String,
    /// Session ids, or `session:turn`, best first.
    pub targets: Vec<String>,
    /// Their scores: the probabilities that they answer.
    pub scores: Vec<f32>,
    /// The turn that is shown of the first, as `session:turn`.
    pub shown_turn: Option<String>,
    /// The time from words to hits.
    pub took: Duration,
}

/// Searches for every question of a set that has labels at the level.
///
/// # Errors
/// When the index or a model fails.
pub fn evaluate(
    set: &LabelledSet,
    index: &Reader,
    options: &EvalOptions<'_>,
) -> Result<Vec<EvaluatedRanking>, EvalError> {
    let sessions = index.sessions()?;
    let asked = set
        .questions
        .iter()
        .filter(|q| set.relevant_targets(options.level, &q.id).is_some());
    let mut rankings = Vec::new();
    for question in asked {
        rankings.push(evaluate_question(question, index, &sessions, options)?);
        (options.progress)(rankings.len());
    }
    Ok(rankings)
}

/// Searches for one question.
fn evaluate_question(
    question: &LabelledQuestion,
    index: &Reader,
    sessions: &[SessionRow],
    options: &EvalOptions<'_>,
) -> Result<EvaluatedRanking, EvalError> {
    let began = Instant::now();
    let mut request = SearchRequest {
        level: options.level,
        fusion: options.fusion,
        tuning: options.tuning,
        limit: MAX_HITS,
        ..SearchRequest::new(&question.query)
    };
    if question.scope == QuestionScope::Project && !options.pooled {
        let project = question.cwd.clone().map(ProjectPattern::Part);
        let clauses = project.map(FilterCondition::Project).map(FilterClause::new);
        request.filter.clauses.extend(clauses);
    }
    let embeddings = (options.embed)(&request.query.text)?;
    let results = search(index, sessions, &request, &embeddings)?;
    Ok(EvaluatedRanking {
        question: question.id.clone(),
        scores: results.hits.iter().map(|h| h.probability).collect(),
        shown_turn: results.hits.first().and_then(turn_name),
        targets: list_targets(&results),
        took: began.elapsed(),
    })
}

fn list_targets(results: &SearchResults) -> Vec<String> {
    let name = |hit: &SearchHit| match results.level {
        Level::Turn => turn_name(hit).unwrap_or_else(|| hit.session.uid.clone()),
        Level::Session => hit.session.uid.clone(),
    };
    results.hits.iter().map(name).collect()
}

fn turn_name(hit: &SearchHit) -> Option<String> {
    let turn = hit.turn.as_ref()?;
    Some(TurnAddress::new(&hit.session.uid, turn.index).to_string())
}

/// Formats rankings as lines `question TAB target TAB score`. A billionth of the rank is subtracted from each score, so that a
/// program which sorts by score keeps the order of ties.
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
