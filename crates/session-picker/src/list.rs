//! The rows on the screen, and the one that is selected.

use crate::list_answer::{ListAnswer, ListRequest, ListRow};
use ratatui::layout::{Position, Rect};
use session_query::TypedQuery;
use session_search::Level;
use session_store::{SessionId, SessionRow};

/// Rows that are asked for at a time.
const PAGE_ROWS: usize = 50;
/// Rows before the end at which more are asked for.
const ROWS_AHEAD: usize = 15;

/// The rows of the list, with the one that is selected and those that are drawn.
#[derive(Debug)]
pub(crate) struct RowList {
    pub(crate) level: Level,
    pub(crate) rows: Vec<ListRow>,
    /// The words that the word index was asked for.
    pub(crate) terms: Vec<String>,
    /// Sessions that the filters let through; `None` before the first answer.
    pub(crate) sessions: Option<usize>,
    /// The mistake in a filter.
    pub(crate) mistake: Option<String>,
    /// The note on words of the query that nothing holds.
    pub(crate) unfound: Option<String>,
    /// The note on the filter for which nothing is found.
    pub(crate) unmet: Option<String>,
    /// The reason for which there is no answer.
    pub(crate) failure: Option<String>,
    pub(crate) selected: usize,
    /// The first row that is drawn.
    pub(crate) offset: usize,
    /// The area in which the rows were drawn last, and the lines of one.
    pub(crate) area: Rect,
    pub(crate) lines_per_row: u16,
    /// The rows are of another query, level or project than the one that is asked for.
    is_outdated: bool,
    /// The request that the rows answer.
    answered: Option<ListRequest>,
    /// The histories were read once.
    follows_refresh: bool,
    /// The histories were read in full before: a row that comes above the first one is news.
    keeps_first_row: bool,
    request_count: u64,
    limit: usize,
}

impl Default for RowList {
    fn default() -> Self {
        Self {
            level: Level::Session,
            rows: Vec::new(),
            terms: Vec::new(),
            sessions: None,
            mistake: None,
            unfound: None,
            unmet: None,
            failure: None,
            selected: 0,
            offset: 0,
            area: Rect::default(),
            lines_per_row: 1,
            is_outdated: false,
            answered: None,
            follows_refresh: false,
            keeps_first_row: false,
            request_count: 0,
            limit: PAGE_ROWS,
        }
    }
}

impl RowList {
    /// Returns the next request.
    pub(crate) fn make_request(&mut self, typed: &str, this_project: bool) -> ListRequest {
        self.request_count += 1;
        ListRequest {
            typed: typed.to_owned(),
            level: self.level,
            this_project,
            limit: self.limit,
            follows_refresh: self.follows_refresh,
            number: self.request_count,
        }
    }

    /// Takes an answer. The same list, read again, keeps the row that is selected, but the first one only when all
    /// histories were read before; another list begins at its first row. An answer to an older request than the one that
    /// is shown is dropped.
    pub(crate) fn set_answer(&mut self, listing: ListAnswer) {
        let shown = self.answered.as_ref();
        if shown.is_some_and(|shown| shown.number > listing.request.number) {
            return;
        }
        let is_same = shown.is_some_and(|shown| shown.is_same_list(&listing.request));
        let is_kept = is_same && (self.selected > 0 || self.keeps_first_row);
        let kept = self.selected_row().filter(|_| is_kept);
        let kept = kept.and_then(|row| listing.find_row(row));
        self.selected = if is_same {
            kept.unwrap_or(self.selected)
        } else {
            0
        };
        self.is_outdated = listing.request.number < self.request_count && self.is_outdated;
        self.answered = Some(listing.request);
        self.rows = listing.rows;
        self.terms = listing.terms;
        self.sessions = Some(listing.sessions);
        self.mistake = listing.mistake;
        self.unfound = listing.unfound;
        self.unmet = listing.unmet;
        self.failure = None;
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
    }

    /// Shows why there is no answer in the place of rows that answer another request.
    pub(crate) fn set_failure(&mut self, reason: String) {
        self.rows.clear();
        self.is_outdated = false;
        self.failure = Some(reason);
    }

    /// Notes that the histories were read, which the questions from now on follow.
    pub(crate) fn note_refresh(&mut self) {
        self.follows_refresh = true;
    }

    /// Keeps the first row selected from now on, too, whatever comes above it.
    pub(crate) fn keep_first_row(&mut self) {
        self.keeps_first_row = true;
    }

    /// Returns true while the rows that are asked for are still to come.
    pub(crate) fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Returns true if the query of the rows has filters.
    pub(crate) fn is_filtered(&self) -> bool {
        let typed = self.answered.as_ref().map(|request| &request.typed);
        typed.is_some_and(|typed| !TypedQuery::parse(typed).conditions.is_empty())
    }

    /// Begins a new list from its first row.
    pub(crate) fn reset(&mut self) {
        self.is_outdated = true;
        self.selected = 0;
        self.offset = 0;
        self.limit = PAGE_ROWS;
    }

    /// Returns the row that is selected.
    pub(crate) fn selected_row(&self) -> Option<&ListRow> {
        self.rows.get(self.selected)
    }

    /// Returns a session of the list.
    pub(crate) fn find_session(&self, id: SessionId) -> Option<&SessionRow> {
        let row = self.rows.iter().find(|row| row.session.id == id);
        row.map(|row| &row.session)
    }

    /// Moves the selection; returns true if more rows are to be asked for.
    pub(crate) fn move_by(&mut self, rows: isize) -> bool {
        let last = self.rows.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
        let is_short = self.rows.len() < self.limit;
        if is_short || self.selected + ROWS_AHEAD < self.rows.len() {
            return false;
        }
        self.limit += PAGE_ROWS;
        true
    }

    /// Formats which of the rows is selected: `7/50+` where more are read on the way down. Nothing where there is no row.
    pub(crate) fn format_position(&self) -> String {
        let more = if self.rows.len() < self.limit {
            ""
        } else {
            "+"
        };
        match self.rows.len() {
            0 => String::new(),
            count => format!("{}/{count}{more}", self.selected + 1),
        }
    }

    /// Returns the rows of a page.
    pub(crate) fn page_rows(&self) -> isize {
        let rows = self.area.height / self.lines_per_row.max(1);
        isize::try_from(rows.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Sets where rows are drawn, so that the one that is selected is among them.
    pub(crate) fn set_area(&mut self, area: Rect, lines_per_row: u16) {
        self.area = area;
        self.lines_per_row = lines_per_row;
        let visible = usize::from(area.height / lines_per_row).max(1);
        let first = (self.selected + 1).saturating_sub(visible);
        self.offset = self.offset.clamp(first, self.selected.max(first));
    }

    /// Returns the row that is drawn at a position.
    pub(crate) fn row_at(&self, position: Position) -> Option<usize> {
        let line = position.y.checked_sub(self.area.y)?;
        let at = self.offset + usize::from(line / self.lines_per_row);
        (self.area.contains(position) && at < self.rows.len()).then_some(at)
    }
}
