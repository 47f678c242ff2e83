//! How scores came to be, for people.

use crate::output::human::plural;
use crate::output::layout::{Field, INDENT, flow, fold, line};
use crate::output::style::FAINT;
use session_core::Standing;
use session_search::{Explanation, Hit};

/// What each list said of a hit.
pub fn of_hit(hit: &Hit, width: usize) -> String {
    let part = |name: &str, standing: Option<Standing>| match standing {
        Some(s) => format!(
            "{name} {:.3} (rank {}, scaled {:.3})",
            s.score, s.rank, s.scaled
        ),
        None => format!("{name} -"),
    };
    let parts = [part("bm25", hit.lexical), part("cosine", hit.dense)];
    flow(&parts.map(|p| Field::whole(FAINT, p)), INDENT, width)
}

/// What the two lists and the words of the query are worth.
pub fn of_search(explanation: &Explanation, width: usize) -> String {
    let fusion = &explanation.fusion;
    let scales = format!(
        "score = {:.2} x dense + {:.2} x lexical; the best dense hit is worth {:.2}, the best lexical hit {:.2}",
        fusion.alpha,
        1.0 - fusion.alpha,
        fusion.dense_top,
        fusion.lexical_top
    );
    let mut out = String::from("\n");
    for scale in fold(&scales, width) {
        out.push_str(&format!("{scale}\n"));
    }
    for term in &explanation.terms {
        let worth = format!(
            "{}, idf {:.2}",
            plural(term.turns as usize, "turn"),
            term.idf
        );
        let room = width.saturating_sub(worth.len() + 4);
        out.push_str(&format!("  {}: {worth}\n", line(&term.term, room.min(40))));
    }
    out
}
