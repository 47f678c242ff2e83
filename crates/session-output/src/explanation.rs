//! How scores came to be, for people.

use crate::layout::{INDENT, LineField, lay_out_fields, wrap_hanging};
use crate::style::FAINT;
use session_core::ListScore;
use session_display::{fit_line, pluralize};
use session_search::{CosineStats, ListWeight, SearchExplanation, SearchHit};
use session_store::TermStats;

/// Formats the figures of a hit.
pub(crate) fn format_hit_explanation(hit: &SearchHit, width: usize) -> String {
    let part = |name: &str, list_score: Option<ListScore>| match list_score {
        Some(s) => format!(
            "{name} {:.3} (rank {}, scaled {:.3})",
            s.score, s.rank, s.scaled
        ),
        None => format!("{name} -"),
    };
    let mut parts = vec![part("lexical", hit.lexical), part("dense", hit.dense)];
    parts.push(format!("fused {:.3}", hit.fused_score));
    if hit.turn.is_some() && hit.context_factor < 1.0 {
        parts.push(format!("session x {:.2}", hit.context_factor));
    }
    if hit.exact_factor < 1.0 {
        parts.push(format!(
            "names and phrases it lacks x {:.2}",
            hit.exact_factor
        ));
    }
    let fields: Vec<LineField> = parts
        .into_iter()
        .map(|p| LineField::whole(FAINT, p))
        .collect();
    lay_out_fields(&fields, INDENT, width)
}

/// Formats the figures of a search: weights, models, terms.
pub(crate) fn format_search_explanation(explanation: &SearchExplanation, width: usize) -> String {
    let mut out = String::from("\n");
    let fused = [format_fusion(explanation), format_weights(explanation)];
    let models = explanation.cosines.iter().map(format_cosine_stats);
    let named = explanation
        .rare_exact_terms
        .iter()
        .map(|term| format_identifier(term));
    for text in fused.into_iter().chain(models).chain(named) {
        out.push_str(&wrap_hanging(&text, width));
    }
    for term in &explanation.terms {
        out.push_str(&format_term(term, width));
    }
    out
}

fn format_fusion(explanation: &SearchExplanation) -> String {
    let alpha = explanation.weights.alpha;
    format!(
        "fused = {:.2} x dense + {:.2} x lexical; the score is the probability of an answer",
        alpha,
        1.0 - alpha
    )
}

fn format_weights(explanation: &SearchExplanation) -> String {
    let side = |name: &str, side: ListWeight| {
        format!(
            "{name}: strength {:.3}, confidence {:.2}",
            side.strength, side.confidence
        )
    };
    let weights = &explanation.weights;
    format!(
        "{}; {}",
        side("dense", weights.dense),
        side("lexical", weights.lexical)
    )
}

fn format_cosine_stats(stats: &CosineStats) -> String {
    format!(
        "{}: weight {:.2}, best cosine {:.3}, mean {:.3}, z {:.2}, strength {:.3}",
        stats.model, stats.weight, stats.best, stats.mean, stats.z, stats.strength
    )
}

fn format_identifier(term: &str) -> String {
    format!("few sessions hold {term}: they are first")
}

fn format_term(term: &TermStats, width: usize) -> String {
    let figures = format!(
        "{}, idf {:.2}",
        pluralize(term.turns as usize, "turn"),
        term.idf
    );
    let room = width.saturating_sub(figures.len() + 4);
    format!("  {}: {figures}\n", fit_line(&term.term, room.min(40)))
}
