//! Metrics of rankings as tables.

use crate::layout::safe_line;
use crate::style::{FAINT, TITLE, paint};
use session_eval::{Averages, Metrics, Report};
use session_search::Level;

/// Formats the metrics of a level, a row for each category.
pub fn format_report(report: &Report) -> String {
    let names: String = Metrics::NAMES.iter().map(|n| format!("{n:>8}")).collect();
    let title = format!(
        "{} level, {:.1} ms a question",
        level_name(report.level),
        report.query_ms
    );
    let mut out = format!(
        "{}\n{}\n",
        paint(TITLE, title),
        paint(FAINT, format!("{:<28}{:>6}{names}", "", "n"))
    );
    let named = report
        .categories
        .iter()
        .map(|(name, averages)| (name.as_str(), averages));
    for (name, averages) in [("core", &report.core), ("all", &report.all)]
        .into_iter()
        .chain(named)
    {
        out.push_str(&row(name, averages));
    }
    out.push('\n');
    out
}

fn row(name: &str, averages: &Averages) -> String {
    let values: String = averages
        .metrics
        .values()
        .iter()
        .map(|v| format!("{v:>8.3}"))
        .collect();
    format!("{:<28}{:>6}{values}\n", safe_line(name), averages.questions)
}

/// Returns the name of a level.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Session => "session",
        Level::Turn => "turn",
    }
}
