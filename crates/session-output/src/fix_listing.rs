//! Cures of an error, for people and as JSON.

use crate::layout::{INDENT, LineField, fit_line, lay_out_fields, sanitize_line};
use crate::searched_scope::SearchedScope;
use crate::session_label::{
    format_minute, format_rfc3339, make_gone_field, project_label, session_title, short_id,
};
use crate::style::{FAILED, FAINT, ID, PROJECT, TITLE, paint};
use anstyle::Style;
use serde::Serialize;
use session_core::TurnAddress;
use session_display::pluralize;
use session_query::{FoundCure, FoundCures};
use session_report::Cure;
use session_store::SessionRow;

/// Columns of what a line tells.
const LABEL_WIDTH: usize = 9;
/// Most files and most commands of a cure.
const MAX_ITEMS: usize = 5;

/// Cures of an error, those of the project at hand first.
pub struct FixListing<'a> {
    /// The error, as typed.
    pub error: &'a str,
    /// All that was found.
    pub found: &'a FoundCures,
    /// All sessions of the index: an id is as short as they allow.
    pub all: &'a [SessionRow],
    /// Ids of the sessions that this was asked from.
    pub left_out: &'a [String],
    /// The index is as the histories are.
    pub is_complete: bool,
    /// Most cures shown.
    pub limit: usize,
    /// Columns to fill.
    pub width: usize,
}

impl FixListing<'_> {
    /// Formats the listing for a terminal.
    pub fn format(&self) -> String {
        let fixes = &self.found.fixes;
        let counts = format!(
            "{} of {} that failed with it",
            pluralize(fixes.len(), "cure"),
            pluralize(self.found.turns, "turn")
        );
        let heading = [
            LineField::whole(TITLE, "FIXES"),
            LineField::cut_to(
                Style::new(),
                format!("\"{}\"", fit_line(self.error, self.width / 2)),
                20,
            ),
            LineField::whole(FAINT, counts),
        ];
        let mut out = lay_out_fields(&heading, 0, self.width);
        for fix in fixes.iter().take(self.limit) {
            out.push('\n');
            out.push_str(&self.format_fix(fix));
        }
        let more = fixes.len().saturating_sub(self.limit);
        if more > 0 {
            let note = format!("and {more} more; --limit shows them");
            out.push_str(&format!("\n{}\n", paint(FAINT, note)));
        }
        out
    }

    /// Returns why there is nothing to list.
    pub fn format_nothing(&self, scope: &SearchedScope) -> String {
        let turns = self.found.turns;
        match (self.found.signatures.is_empty(), turns) {
            (true, _) => {
                "nothing in that tells one error from others\nhint: give the line that says what failed".to_owned()
            }
            (_, 0) if scope.is_filtered => scope.format_nothing("no command failed with that error"),
            (_, 0) => {
                "no command failed with that error\nhint: give the whole line, as it was printed".to_owned()
            }
            _ => format!(
                "{} failed with that error, and no fix of it is known",
                pluralize(turns, "turn")
            ),
        }
    }

    fn format_fix(&self, fix: &FoundCure) -> String {
        let session = &fix.session;
        let address = TurnAddress::new(short_id(session, self.all), fix.cure.turn);
        let mut fields = vec![
            LineField::whole(FAINT, format_minute(fix.cure.time_ms.or(session.ended_ms))),
            LineField::whole(ID, address.to_string()),
            LineField::whole(PROJECT, fit_line(project_label(session), 24)),
        ];
        fields.extend(make_gone_field(session));
        fields.push(LineField::cut_to(TITLE, session_title(session), 24));
        let mut out = lay_out_fields(&fields, 0, self.width);
        for (label, style, text) in format_cure_lines(&fix.cure, session) {
            let columns = self.width.saturating_sub(INDENT + LABEL_WIDTH);
            let label = paint(style, format!("{label:<LABEL_WIDTH$}"));
            out.push_str(&format!(
                "{}{label}{}\n",
                " ".repeat(INDENT),
                fit_line(&text, columns)
            ));
        }
        out
    }

    /// Returns the listing as JSON.
    pub fn to_json(&self) -> JsonFixes<'_> {
        let fixes = self.found.fixes.iter().take(self.limit);
        JsonFixes {
            error: self.error,
            signatures: self
                .found
                .signatures
                .iter()
                .map(ToString::to_string)
                .collect(),
            fixes: self.found.fixes.len(),
            turns: self.found.turns,
            common: self.found.is_common,
            complete: self.is_complete,
            left_out: self.left_out,
            found: fixes.map(to_json_fix).collect(),
        }
    }
}

/// Returns what a cure was, a line each: what it tells, in which style, and the text.
fn format_cure_lines(cure: &Cure, session: &SessionRow) -> Vec<(&'static str, Style, String)> {
    let mut lines = vec![
        ("error", FAILED, cure.error.clone()),
        (
            "failed",
            FAILED,
            format!("$ {}", sanitize_line(&cure.command)),
        ),
    ];
    if !cure.files.is_empty() {
        let root = session.project.as_deref().unwrap_or_default();
        let files = cure.files.iter().map(|path| strip_root(path, root));
        lines.push(("edited", PROJECT, join_listed(files)));
    }
    let commands = cure.commands.iter().take(MAX_ITEMS);
    lines.extend(commands.map(|command| ("ran", PROJECT, format!("$ {}", sanitize_line(command)))));
    let more = cure.commands.len().saturating_sub(MAX_ITEMS);
    if more > 0 {
        lines.push(("", FAINT, format!("+{more}")));
    }
    lines.extend(
        cure.answer
            .iter()
            .map(|answer| ("answer", FAINT, answer.clone())),
    );
    lines
}

fn join_listed<'t>(items: impl ExactSizeIterator<Item = &'t str>) -> String {
    let more = items.len().saturating_sub(MAX_ITEMS);
    let mut texts: Vec<String> = items.take(MAX_ITEMS).map(str::to_owned).collect();
    if more > 0 {
        texts.push(format!("+{more}"));
    }
    texts.join(", ")
}

fn strip_root<'p>(path: &'p str, root: &str) -> &'p str {
    let below = path.strip_prefix(root);
    below
        .and_then(|path| path.strip_prefix(['/', '\\']))
        .unwrap_or(path)
}

/// Cures as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonFixes<'a> {
    error: &'a str,
    signatures: Vec<String>,
    fixes: usize,
    turns: usize,
    common: bool,
    complete: bool,
    left_out: &'a [String],
    found: Vec<JsonFix<'a>>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    source: &'a str,
    session: &'a str,
    project: &'a str,
    path: Option<&'a str>,
    date: Option<String>,
    title: Option<&'a str>,
    parent: Option<&'a str>,
    gone: bool,
    here: bool,
    #[serde(flatten)]
    cure: &'a Cure,
}

fn to_json_fix(fix: &FoundCure) -> JsonFix<'_> {
    let session = &fix.session;
    JsonFix {
        source: &session.source,
        session: &session.uid,
        project: project_label(session),
        path: session.project.as_deref(),
        date: format_rfc3339(fix.cure.time_ms.or(session.ended_ms)),
        title: session.title.as_deref(),
        parent: session.parent.as_deref(),
        gone: session.gone,
        here: fix.is_here,
        cure: &fix.cure,
    }
}
