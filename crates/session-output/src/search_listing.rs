//! Search results for people.

use crate::explanation;
use crate::index_notes::format_unreadable_paths;
use crate::layout::{GAP, INDENT, LineField, TitledLine, lay_out_titled};
use crate::preview::format_preview;
use crate::searched_scope::{SearchedScope, format_same_filters};
use crate::session_label::{make_gone_field, make_title_field};
use crate::shell::{self, format_next_command};
use crate::style::{FAINT, ID, TITLE, band_style, paint};
use crate::turn_heading::make_project_field;
use crate::units::format_sources;
use crate::work::{WorkPart, format_more, format_work, join_names, list_file_names};
use anstyle::Style;
use jiff::Zoned;
use session_agents::resume_line;
use session_core::{ConfidenceBand, TurnAddress, TurnRange};
use session_display::{
    Note, Preview, SessionIds, UnfoundHints, fit_line, format_day, format_unfound_terms,
    format_unmet_clause, pluralize, sanitize_line,
};
use session_indexer::RefreshOutcome;
use session_query::{InvalidFilter, SearchAnswer, TimeSuggestion};
use session_report::WorkSummary;
use session_search::{HitOrder, Level, SearchHit};
use session_store::SessionRow;
use unicode_width::UnicodeWidthStr;

/// Fewest columns in which a query or names of files say something.
const MIN_FIELD_WIDTH: usize = 24;
/// Most names of files.
const MAX_FILES: usize = 4;
/// The least probability that two decimals show.
const LEAST_PROBABILITY: f32 = 0.01;
/// Part of the greatest lexical score from which a hit holds the query's words as others do.
const FULL_LEXICAL_SHARE: f32 = 1.0 / 3.0;
/// Most columns of a word in a note.
const MAX_WORD_COLUMNS: usize = 48;
/// The sentence where nothing was found.
const NOTHING: &str = "nothing found";
/// The note on a query of signs alone: `🎉`, `?!`.
const NO_WORD: &str = "the query has no word to search";
/// Whose hits those of the demo are, where no heading says it.
const DEMO_HINT: &str =
    "the hits are of the built-in demo, not of this machine's history: no other command finds them";
const SUBAGENTS_HINT: &str = "search them with --subagents";
const FILES_LABEL: &str = "files: ";
/// Between names of files and the command that resumes the session.
const COMMAND_GAP: usize = 4;

/// The answer of a search with what is printed beside it, in three shapes: [`SearchListing::format`],
/// [`SearchListing::to_json`] and [`SearchListing::compact_json`].
pub struct SearchListing<'a> {
    /// The answer.
    pub answer: &'a SearchAnswer,
    /// All sessions of the index.
    pub sessions: &'a [SessionRow],
    /// Their ids: one is as short as the others allow.
    pub ids: SessionIds<'a>,
    /// The preview of each hit.
    pub previews: &'a [Preview],
    /// The work summary of each hit, where requested.
    pub work: &'a [WorkSummary],
    /// The parts of it that are printed.
    pub with: Vec<WorkPart>,
    /// The refresh before the answer; none where nobody looked for changes.
    pub refreshed: Option<&'a RefreshOutcome>,
    /// True where each score is explained.
    pub explain: bool,
    /// True for the built-in demo, whose ids name nothing outside of it.
    pub is_demo: bool,
    /// The time as which words of the query such as `yesterday` are seen; called only where it has such words.
    pub now: fn() -> Zoned,
}

impl SearchListing<'_> {
    /// Formats the answer for a terminal of so many columns. Weak hits beside a strong one take a line
    /// each, so that the strong one stays on the screen.
    pub fn format(&self, width: usize) -> String {
        let results = &self.answer.results;
        let mut out = self.format_heading(width);
        let mut after_brief = false;
        let scores = results.hits.iter().map(|hit| format_score(hit).width());
        let score_width = scores.max().unwrap_or(0);
        let lines = results.hits.iter();
        let lines = lines.map(|hit| self.first_line(hit, score_width));
        let lines = lay_out_titled(lines, width);
        for ((n, hit), line) in results.hits.iter().enumerate().zip(lines) {
            let is_brief = self.is_brief(hit);
            if !(is_brief && after_brief) {
                out.push('\n');
            }
            out.push_str(&line);
            if !is_brief {
                out.push_str(&self.format_details(n, hit, width));
            }
            after_brief = is_brief;
        }
        if self.explain {
            out.push_str(&explanation::format_search_explanation(
                &results.explanation,
                width,
            ));
        }
        if self.is_demo {
            out
        } else {
            out + &self.format_next_command(width)
        }
    }

    /// Returns true for a weak hit beside a strong one that holds less of the query's words, where nothing more about
    /// hits was requested.
    fn is_brief(&self, hit: &SearchHit) -> bool {
        let results = &self.answer.results;
        let is_ranked = results.order == HitOrder::Relevance;
        let is_plain = !self.explain && self.work.is_empty();
        let has_strong = || {
            results
                .hits
                .iter()
                .any(|hit| hit.band == ConfidenceBand::Strong)
        };
        let holds_words = hit
            .lexical
            .is_some_and(|list| list.scaled >= FULL_LEXICAL_SHARE);
        is_ranked && is_plain && hit.band == ConfidenceBand::Weak && !holds_words && has_strong()
    }

    /// Formats what stands below the first line of the `n`th hit.
    fn format_details(&self, n: usize, hit: &SearchHit, width: usize) -> String {
        let preview = self.previews.get(n).map(|of| format_preview(of, width));
        let work = self.work.get(n).map(|of| self.format_work(of, hit, width));
        let explanation = self
            .explain
            .then(|| explanation::format_hit_explanation(hit, width));
        let (preview, work) = (preview.unwrap_or_default(), work.unwrap_or_default());
        let names = if self.with.contains(&WorkPart::Files) {
            Vec::new()
        } else {
            // they stand among the work
            list_file_names(hit.files.iter().map(String::as_str))
        };
        let command = self.resume_command(&hit.session);
        let last = format_last_lines(&names, command.as_deref(), width);
        preview + &work + &last + &explanation.unwrap_or_default()
    }

    /// Formats the parts of a work summary that were asked for, below lines that say whose they are.
    fn format_work(&self, work: &WorkSummary, hit: &SearchHit, width: usize) -> String {
        let of = match (self.level(), &hit.turn) {
            (Level::Turn, Some(_)) => "turn",
            _ => "whole session",
        };
        let has_task = work.task_turn.is_some();
        let parts = self.with.iter().copied();
        let (task, rest): (Vec<_>, Vec<_>) = parts.partition(|part| has_task && part.is_of_task());
        let begin = work.task_turn.unwrap_or_default();
        let address = TurnAddress::new(self.ids.short_id(&hit.session), begin);
        let blocks = [
            (format!("asked in {address}:"), task),
            (format!("done in the {of}:"), rest),
        ];
        let blocks = blocks
            .iter()
            .map(|(heading, parts)| format_work_block(heading, &format_work(work, parts, width)));
        blocks.collect()
    }

    /// Formats the words that are searched as text, though they begin as a filter does.
    pub fn format_invalid_filters(&self) -> impl Iterator<Item = String> {
        let invalid = self.answer.query.invalid_filters.iter();
        invalid.map(InvalidFilter::note)
    }

    /// Formats which command lists what was done at the time that the query names in words, where it names one.
    pub fn format_time_note(&self) -> Option<String> {
        let suggestion = TimeSuggestion::find(self.answer, self.now)?;
        Some(suggestion.into_note(|time| {
            let filters = format_same_filters(&self.answer.filter);
            format!("`session-search digest {time}`{filters} lists what was done then")
        }))
    }

    /// Formats that no turn passes one of the filters; `None` if nothing was found for another reason. Beside other words
    /// the filter may be a word of pasted text, and a time a word of its own (`after:100`), so that a hint says how it is
    /// searched as text.
    pub fn format_unmet_filter(&self) -> Option<Note> {
        let note = format_unmet_clause(self.answer.unmet.as_ref()?, self.sessions)?;
        let query = &self.answer.query;
        let may_be_text =
            !query.text.trim().is_empty() || self.answer.filter.search_filter.limits_time();
        let is_told = !query.clauses.is_empty() && may_be_text;
        Some(note.with_hints(is_told.then_some("in double quotes a filter is searched as text")))
    }

    /// Formats why nothing was found.
    pub fn format_nothing(&self) -> Note {
        let format_scope = || self.searched_scope().format_nothing(NOTHING);
        let no_word = self.answer.query.has_no_word();
        let no_word = no_word.then(|| Note::new(NO_WORD));
        let unmet = self.format_unmet_filter();
        unmet.or(no_word).unwrap_or_else(format_scope)
    }

    /// Lists the hints of the JSON: words that look like filters and are none, the filter that a time in words would be, the
    /// history that answers with its unread files, and why nothing was found if the filters or a query without words may be
    /// the reason.
    pub(crate) fn hints(&self) -> Vec<String> {
        let notes = self.format_invalid_filters().chain(self.format_time_note());
        let mut hints: Vec<String> = notes.collect();
        hints.extend(self.is_demo.then(|| DEMO_HINT.to_owned()));
        let unread = self.refreshed.and_then(format_unreadable_paths);
        hints.extend(unread.iter().flat_map(Note::sentences));
        let has_reason = self.searched_scope().is_filtered || self.answer.query.has_no_word();
        if self.answer.results.hits.is_empty() && has_reason {
            hints.extend(self.format_nothing().sentences());
        }
        hints
    }

    /// Returns the sessions that were searched.
    fn searched_scope(&self) -> SearchedScope {
        let sessions = self.answer.results.searched.sessions;
        SearchedScope::new(&self.answer.filter, sessions, self.sessions)
    }

    /// Formats the words of the query that no searched session holds, a note for each place where they are.
    /// None where one filter leaves nothing: it leaves out any word.
    pub fn format_unfound_words(&self) -> Vec<String> {
        if self.answer.unmet.is_some() {
            return Vec::new();
        }
        let hints = UnfoundHints {
            subagents: SUBAGENTS_HINT,
            show: &|id| format_show_command(id, &self.answer.query.typed),
        };
        let mut notes = format_unfound_terms(&self.answer.results, hints);
        let missing = &self.answer.results.explanation.unfound.missing;
        notes.extend(format_wildcard(&self.answer.query.typed, missing));
        notes
    }

    /// Returns the query and the counts; on two lines where the query would be
    /// cut to little.
    fn format_heading(&self, width: usize) -> String {
        let name = match self.answer.results.level {
            Level::Session => "SESSIONS",
            Level::Turn => "TURNS",
        };
        let counts = fit_line(&self.format_counts(), width.saturating_sub(INDENT));
        let query = sanitize_line(&self.answer.query.typed);
        let room = width.saturating_sub(name.len() + 4);
        let beside = room.saturating_sub(GAP + counts.width());
        let fits = query.width().min(MIN_FIELD_WIDTH) <= beside;
        let (room, gap) = if fits {
            (beside, " ".repeat(GAP))
        } else {
            (room, format!("\n{}", " ".repeat(INDENT)))
        };
        let (name, counts) = (paint(TITLE, name), paint(FAINT, counts));
        format!("{name}  \"{}\"{gap}{counts}\n", fit_line(&query, room))
    }

    /// Returns the command that resumes a session, from any folder; `None` if nothing resumes it.
    fn resume_command(&self, session: &SessionRow) -> Option<String> {
        let is_resumable = !self.is_demo && resume_line(session).is_some();
        is_resumable.then(|| {
            let id = self.ids.short_id(session);
            format!("session-search resume {}", shell::quote_word(&id))
        })
    }

    fn level(&self) -> Level {
        self.answer.results.level
    }

    fn format_counts(&self) -> String {
        let searched = &self.answer.results.searched;
        let sessions = pluralize(searched.sessions, "session");
        let projects = pluralize(searched.projects, "project");
        let sources = format_sources(&searched.sources);
        format!("{sessions}, {projects}{sources}")
    }

    fn first_line(&self, hit: &SearchHit, score_width: usize) -> TitledLine {
        let session = &hit.session;
        let id = self.ids.short_id(session);
        let turns = session.turns;
        // Also of a session: the passage below is of that turn.
        let address = match &hit.turn {
            Some(turn) => TurnAddress::new(id, turn.index).to_string(),
            None => id,
        };
        let count = pluralize(turns as usize, "turn");
        let day = format_day(hit.time_ms);
        let mut fields = Vec::from_iter(self.score_field(hit, score_width));
        fields.extend([
            LineField::whole(Style::new(), sanitize_line(&session.source)),
            LineField::whole(ID, address),
            make_project_field(session),
            LineField::whole(FAINT, day),
            LineField::whole(Style::new(), count),
        ]);
        fields.extend(make_gone_field(session));
        TitledLine {
            fields,
            title: make_title_field(session),
        }
    }

    /// Returns the field of the probability with its band, padded to a width, where hits are ranked.
    fn score_field(&self, hit: &SearchHit, width: usize) -> Option<LineField> {
        let score = format!("{:<width$}", format_score(hit));
        let field = LineField::whole(band_style(hit.band), score);
        (self.answer.results.order == HitOrder::Relevance).then_some(field)
    }

    /// Formats the command that goes on from the first hit.
    fn format_next_command(&self, width: usize) -> String {
        let Some(first) = self.answer.results.hits.first() else {
            return String::new();
        };
        let id = self.ids.short_id(&first.session);
        let arguments = match (self.level(), &first.turn) {
            (Level::Turn, Some(turn)) => {
                let last = (turn.index + 2).min(first.session.turns.saturating_sub(1));
                let turns = TurnRange(turn.index.saturating_sub(2)..=last);
                let address = TurnAddress::new(id, turns).to_string();
                vec!["show".to_owned(), shell::quote_word(&address)]
            }
            (_, turn) if !shell::is_repeatable(&self.answer.query.typed) => {
                let address = match turn {
                    Some(turn) => TurnAddress::new(id, turn.index).to_string(),
                    None => id,
                };
                vec!["show".to_owned(), shell::quote_word(&address)]
            }
            _ => {
                let (query, id) = (
                    shell::quote_query(&self.answer.query.typed),
                    shell::quote_word(&id),
                );
                let options = ["--depth", "2", "--session", &id];
                let arguments = if self.answer.query.typed.starts_with('-') {
                    [&["search"], &options[..], &["--", &query]].concat()
                } else {
                    [&["search", &query], &options[..]].concat()
                };
                arguments.into_iter().map(str::to_owned).collect()
            }
        };
        format_next_command(&arguments, width)
    }
}

/// Formats that a `*` behind a word that nothing holds stands for no ending.
fn format_wildcard(query: &str, missing: &[String]) -> Option<String> {
    let word = missing
        .iter()
        .find(|word| query.contains(&format!("{word}*")))?;
    let word = fit_line(word, MAX_WORD_COLUMNS);
    Some(format!(
        "a `*` stands for nothing: `{word}` was searched as a word"
    ))
}

/// Formats parts of a work summary below their heading; nothing where there are none.
fn format_work_block(heading: &str, parts: &str) -> String {
    if parts.is_empty() {
        String::new()
    } else {
        format!("{}{}\n{parts}", " ".repeat(INDENT), paint(FAINT, heading))
    }
}

/// Formats names of files and the command that resumes the session: beside each
/// other where there is room, else on lines of their own.
fn format_last_lines(names: &[String], command: Option<&str>, width: usize) -> String {
    let columns = width.saturating_sub(INDENT);
    let alone =
        || format_files(names, columns).unwrap_or_else(|| format_first_file(names, columns));
    let lines = match command.map(|command| format_resume(command, columns)) {
        None => vec![alone()],
        Some(resume) => {
            let room = columns.saturating_sub(COMMAND_GAP + resume.width());
            let beside =
                format_files(names, room).filter(|_| room >= MIN_FIELD_WIDTH || names.len() == 1);
            let resume = paint(FAINT, resume);
            match beside {
                Some(files) => vec![format!("{files}{}{resume}", " ".repeat(COMMAND_GAP))],
                None => vec![alone(), resume],
            }
        }
    };
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines.map(|line| format!("    {line}\n")).collect()
}

/// Formats the command that resumes a session behind its label. It is never cut: where it is too long it goes without its
/// label, and at worst beyond the width.
fn format_resume(command: &str, columns: usize) -> String {
    let labelled = format!("resume: {command}");
    if labelled.width() <= columns {
        labelled
    } else {
        command.to_owned()
    }
}

/// Formats the probability of a hit with its band.
fn format_score(hit: &SearchHit) -> String {
    format!(
        "[{} {}]",
        format_probability(hit.probability),
        hit.band.name()
    )
}

/// Formats a probability with two decimals. A probability that they would make zero is formatted as `<.01`.
fn format_probability(probability: f32) -> String {
    match probability {
        p if p < LEAST_PROBABILITY / 2.0 => "<.01".to_owned(),
        p => format!("{p:.2}"),
    }
}

/// Formats as many names as there is room for, if there is for one.
fn format_files(names: &[String], columns: usize) -> Option<String> {
    let room = columns.saturating_sub(FILES_LABEL.len());
    let most = names.len().min(MAX_FILES);
    let list = (1..=most)
        .rev()
        .map(|shown| join_names(names, shown))
        .find(|list| list.width() <= room)?;
    Some(format!("{}{list}", paint(FAINT, FILES_LABEL)))
}

/// Formats the first name, cut; empty where there is none.
fn format_first_file(names: &[String], columns: usize) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let more = format_more(names.len(), 1);
    let more = more.map_or(String::new(), |more| format!(" {more}"));
    let room = columns.saturating_sub(FILES_LABEL.len() + more.len());
    format!(
        "{}{}{more}",
        paint(FAINT, FILES_LABEL),
        fit_line(first, room)
    )
}

/// Formats the command that reads a session, or the turns of it that the query is the address of.
fn format_show_command(id: &str, query: &str) -> String {
    let query = query.trim();
    let turns = query.strip_prefix(id);
    let turns = turns.and_then(|rest| rest.strip_prefix(':')?.parse::<TurnRange>().ok());
    let address = if turns.is_some() { query } else { id };
    format!(
        "`session-search show {}`",
        shell::quote_word(&sanitize_line(address))
    )
}

#[cfg(test)]
mod tests {
    use super::format_wildcard;

    #[test]
    fn a_star_behind_a_word_that_nothing_holds_is_told_of() {
        let missing = ["fla".to_owned()];
        assert_eq!(
            format_wildcard("why fla*", &missing).unwrap(),
            "a `*` stands for nothing: `fla` was searched as a word"
        );
        assert_eq!(format_wildcard("why fla * x", &missing), None);
        assert_eq!(format_wildcard("fla*", &[]), None);
    }
}
