//! Metrics of rankings as tables.

use crate::style::{FAINT, TITLE, paint};
use session_display::{Note, pad_to_columns, pluralize, sanitize_line, truncate_to_columns};
use session_eval::{EvalReport, LabelledSet, MetricAverages, RankingMetrics};
use session_query::PartlyEmbedded;
use unicode_width::UnicodeWidthStr;

/// Columns of the name of a category, at most, and of the number of its questions: with the metrics they are 80.
const MAX_NAME_WIDTH: usize = 22;
const COUNT_WIDTH: usize = 6;
/// Fewest columns of a metric.
const MIN_VALUE_WIDTH: usize = 6;

/// Formats what is left out of a set: labels, questions and right answers; `unknown` are targets that name no session.
pub fn format_set_notes(set: &LabelledSet, unknown: &[String]) -> Vec<String> {
    let unasked = set.unasked.first().map(|first| {
        let first = sanitize_line(first);
        match set.unasked.len() {
            1 => format!("1 label names no question: `{first}`"),
            count => format!("{count} labels name no question, the first is `{first}`"),
        }
    });
    let format_left_out = |what: &str, which: &[String]| {
        let first = sanitize_line(which.first()?);
        Some(format!("{what}: {}, as `{first}`", which.len()))
    };
    let unlabelled = "questions without a label, not counted";
    let unknown_answers = "right answers that name no session of this history, or several";
    let notes = [
        unasked,
        format_left_out(unlabelled, &set.unlabelled),
        format_left_out(unknown_answers, unknown),
    ];
    notes.into_iter().flatten().collect()
}

/// Formats how much of the user's history the measured model has embedded, and what embeds the rest.
pub fn format_partly_embedded(measured: &PartlyEmbedded) -> Note {
    let model = sanitize_line(&measured.model);
    let sessions = usize::try_from(measured.embedded.all_sessions).unwrap_or(usize::MAX);
    let text = format!(
        "{model} has embedded {} of {}; the others are ranked without it",
        measured.embedded.sessions,
        pluralize(sessions, "session")
    );
    let index = "`session-search index`";
    Note::new(text).with_hint(match measured.in_use {
        true => format!("run {index} first"),
        false => format!("run `session-search model use {model}` and {index} first"),
    })
}

/// Formats the metrics of a level, a row for each category.
pub fn format_report(report: &EvalReport) -> String {
    let mut title = format!(
        "{} level, {:.1} ms a question",
        report.level.name(),
        report.query_ms
    );
    if let Some(share) = report.shown_turn {
        title.push_str(&format!(", the right turn shown {share:.3}"));
    }
    let summaries = [("core", &report.core), ("all", &report.all)];
    // Questions without a category are among all.
    let named = report
        .categories
        .iter()
        .filter(|(name, _)| !name.is_empty());
    let named = named.map(|(name, averages)| (name.as_str(), averages));
    let rows: Vec<(String, &MetricAverages)> = summaries
        .into_iter()
        .chain(named)
        .map(|(name, averages)| {
            (
                truncate_to_columns(&sanitize_line(name), MAX_NAME_WIDTH),
                averages,
            )
        })
        .collect();
    let name_width = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let headings = RankingMetrics::NAMES.map(str::to_owned);
    let headings = join_cells("", name_width, "n", &headings);
    let mut out = format!("{}\n{}\n", paint(TITLE, title), paint(FAINT, headings));
    for (name, averages) in &rows {
        let values = averages.metrics.values().map(|value| format!("{value:.3}"));
        let count = averages.questions.to_string();
        out.push_str(&format!(
            "{}\n",
            join_cells(name, name_width, &count, &values)
        ));
    }
    out.push('\n');
    out
}

fn join_cells(name: &str, name_width: usize, count: &str, values: &[String; 8]) -> String {
    let name = pad_to_columns(name, name_width);
    let mut row = format!("{name}{count:>COUNT_WIDTH$}");
    for (heading, value) in RankingMetrics::NAMES.iter().zip(values) {
        let width = MIN_VALUE_WIDTH.max(heading.len() + 1);
        row.push_str(&format!("{value:>width$}"));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_query::EmbeddedSessions;

    #[test]
    fn a_model_is_embedded_by_before_it_is_measured() {
        let mut measured = PartlyEmbedded {
            model: "mine".to_owned(),
            embedded: EmbeddedSessions {
                sessions: 47,
                all_sessions: 271,
            },
            in_use: false,
        };
        let of_other = format_partly_embedded(&measured).to_string();
        assert!(
            of_other.starts_with(
                "mine has embedded 47 of 271 sessions; the others are ranked without it"
            )
        );
        assert!(of_other.contains("`session-search model use mine` and `session-search index`"));
        measured.in_use = true;
        let of_chosen = format_partly_embedded(&measured).to_string();
        assert!(
            of_chosen.ends_with("run `session-search index` first"),
            "{of_chosen}"
        );
    }
}
