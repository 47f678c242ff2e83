//! Finds a time at the end of a query with a subject (`docker bug yesterday`), or a date that no turn holds, for which a time
//! filter is suggested.

use crate::day_question::{find_time_of_question, parse_bare_time};
use crate::query_tokens::{format_filter, quote_value};
use crate::typed_query::FilterField;
use crate::typed_search::SearchAnswer;
use jiff::Zoned;
use session_core::is_iso_date;

/// Words before a time that take what lies within it out, or begin or end at it.
const EXCLUDING_WORDS: [&str; 10] = [
    "after", "and", "before", "between", "by", "except", "not", "than", "till", "to",
];

/// Words between a time and the word that says what it means: `before the end of last week`.
const FILLERS: [&str; 6] = ["the", "of", "beginning", "start", "middle", "end"];

/// Other words that lead to a time and are no subject.
const LEADS: [&str; 7] = ["during", "from", "in", "last", "on", "since", "until"];

/// Short names of months, which are words, too: they are months behind one of [`MONTH_LEADS`]. `dec` is not among them.
const SHORT_MONTHS: [&str; 9] = [
    "jan", "feb", "apr", "may", "jun", "jul", "aug", "oct", "nov",
];

/// Words before a short name of a month.
const MONTH_LEADS: [&str; 6] = ["during", "from", "in", "of", "since", "until"];

/// First words of times that need no preposition.
const PLAIN_BEGINNINGS: [&str; 4] = ["last", "this", "today", "yesterday"];

/// The first year that a number is taken for: there were no coding agents before.
const FIRST_YEAR: i16 = 2020;

/// Most words of such a time: `3 weeks ago`, `february 21 last year`.
const MAX_TIME_WORDS: usize = 4;

/// A way to limit a search to the time that its query names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeSuggestion {
    /// A digest of this time: the query names nothing else.
    Digest(String),
    /// This filter, such as `when:yesterday`: the query has a subject, too.
    Filter(String),
}

impl TimeSuggestion {
    /// Finds how to limit a search to the time that its query names, where it names one and no filter does so already.
    pub fn find(answer: &SearchAnswer, now: fn() -> Zoned) -> Option<Self> {
        if let Some(time) = find_time_of_question(&answer.query.typed, now) {
            return Some(Self::Digest(time));
        }
        if answer.filter.search_filter.limits_time() {
            return None;
        }
        let (text, unfound) = (&answer.query.text, &answer.results.explanation.unfound);
        find_time_in_words(text, now)
            .or_else(|| find_missing_date(text, &unfound.missing, now))
            .map(Self::Filter)
    }

    /// Returns a note on it; `format_digest_note` formats that on a digest of a time.
    pub fn into_note(self, format_digest_note: impl FnOnce(&str) -> String) -> String {
        match self {
            Self::Digest(time) => format_digest_note(&time),
            Self::Filter(filter) => {
                format!("the time is searched as text; `{filter}` in its place keeps to it")
            }
        }
    }
}

/// Returns the filter that leaves what lies within a time: `when:yesterday`.
pub fn format_time_filter(time: &str) -> String {
    format_filter_of(FilterField::When, time)
}

fn format_filter_of(field: FilterField, time: &str) -> String {
    // A time holds no quote.
    let time = quote_value(time).unwrap_or_default();
    format_filter(false, field, &time)
}

/// Returns the filter that says the same as the time at the end of a query: `when:september` of `refactor in september`. The
/// longest end that is a time counts.
fn find_time_in_words(query: &str, now: fn() -> Zoned) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '.', '!']);
    if query.contains('"') {
        return None;
    }
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let starts = (1..=MAX_TIME_WORDS).rev();
    let starts = starts.filter_map(|length| words.len().checked_sub(length));
    let mut ends = starts.map(|start| (&words[..start], words[start..].join(" ")));
    let (before, time) = ends.find(|(_, time)| parse_bare_time(time, now).is_some())?;
    let is_filler = |word: &&String| FILLERS.contains(&word.as_str());
    let is_subject = |word: &&String| !is_filler(word) && !LEADS.contains(&word.as_str());
    before.iter().find(is_subject)?;
    let lead = before.iter().rev().find(|word| !is_filler(word))?;
    // `June of last year` is less than last year.
    let is_part_of_time = parse_bare_time(lead, now).is_some() && is_unambiguous(lead, now);
    let follows = before.last()?;
    let is_month = SHORT_MONTHS.contains(&time.as_str()) && MONTH_LEADS.contains(&follows.as_str());
    let is_time = is_month || is_unambiguous(&time, now);
    if is_part_of_time || EXCLUDING_WORDS.contains(&lead.as_str()) || !is_time {
        return None;
    }
    // `The end of april` lies in it, whatever stands before.
    let lead = match follows.as_str() {
        "of" if !matches!(lead.as_str(), "since" | "until") => "in",
        _ => lead,
    };
    let field = find_field(lead, &time, now)?;
    Some(format_filter_of(field, &time))
}

/// Returns the filter that says the same as the date in a query that no turn holds, wherever it stands: `when:2026-07-22` of
/// `2026-07-22 gradient`. Two dates are a range, or not meant as times.
fn find_missing_date(query: &str, missing: &[String], now: fn() -> Zoned) -> Option<String> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let dates = words.iter().map(|word| bare(word)).enumerate();
    let mut dates = dates.filter(|(_, word)| is_iso_date(word));
    let (Some((at, date)), None) = (dates.next(), dates.next()) else {
        return None;
    };
    let is_held = !missing.contains(&date);
    let (before, after) = (&words[..at], &words[at + 1..]);
    let is_filler = |word: &&String| FILLERS.contains(&word.as_str());
    let is_subject = |word: &&String| {
        word.contains(char::is_alphabetic) && !is_filler(word) && !LEADS.contains(&word.as_str())
    };
    before.iter().chain(after).find(is_subject)?;
    let lead = before.iter().rev().find(|word| !is_filler(word));
    let lead = lead.map_or("", String::as_str);
    if is_held || query.contains('"') || EXCLUDING_WORDS.contains(&lead) {
        return None;
    }
    let time = date.replace('/', "-");
    parse_bare_time(&time, now)?;
    let field = find_field(lead, &time, now).unwrap_or(FilterField::When);
    Some(format_filter_of(field, &time))
}

/// Returns true for a text that is seldom something else than a time: a number alone, `3m`, `dec` and `week` are.
fn is_unambiguous(time: &str, now: fn() -> Zoned) -> bool {
    let is_number = time.bytes().all(|byte| byte.is_ascii_digit());
    time.len() > 3 && time != "week" && (!is_number || is_past_year(time, now))
}

/// Returns true for a year in which there may be sessions.
fn is_past_year(time: &str, now: fn() -> Zoned) -> bool {
    let year = time.parse::<i16>();
    year.is_ok_and(|year| (FIRST_YEAR..=now().year()).contains(&year))
}

/// Returns the filter field for a time behind a word. `2 weeks ago` is a moment: all since then is meant. `2 weeks` alone is a
/// duration, and no filter.
fn find_field(lead: &str, time: &str, now: fn() -> Zoned) -> Option<FilterField> {
    use FilterField::{Since, Until, When};
    let is_moment = parse_bare_time(time, now)?.until_ms.is_none();
    let is_duration = is_moment && !time.contains('-');
    let is_ago = time.ends_with(" ago") || (is_duration && time.starts_with("last "));
    match lead {
        "since" => Some(Since),
        "until" if is_ago || !is_duration => Some(Until),
        _ if is_ago => Some(Since),
        _ if is_moment => None,
        "during" | "in" => Some(When),
        "on" if !is_past_year(time, now) => Some(When),
        _ => is_plain(time).then_some(When),
    }
}

/// Returns true for a time that needs no preposition: `last week`, `june 2025`, `july 16`.
fn is_plain(time: &str) -> bool {
    let first = time.split(' ').next().unwrap_or_default();
    let last = time.rsplit(' ').next().unwrap_or_default();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_day_of_month = time.split(' ').count() == 2 && is_number(first) != is_number(last);
    let names_year = last == "year" || last.parse().is_ok_and(|year: i16| year >= FIRST_YEAR);
    PLAIN_BEGINNINGS.contains(&first) || (first != last && names_year) || is_day_of_month
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed_query::TypedQuery;

    /// Compares the filter of queries on March 30, 2026.
    fn check<const N: usize>(expected: [(&str, Option<&str>); N]) {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        for (query, filter) in expected {
            let found = find_time_in_words(query, now);
            assert_eq!(found.as_deref(), filter, "{query}");
            let typed = TypedQuery::parse(&found.unwrap_or_default());
            assert_eq!((typed.text.as_str(), typed.invalid.len()), ("", 0));
        }
    }

    #[test]
    fn a_while_is_a_time_only_where_it_lies_in_the_past() {
        check([
            ("the token expires in 3 days", None),
            ("timeout in 30 minutes", None),
            ("retry until 30 minutes", None),
            ("wait for 3 weeks", None),
            ("lamp on 2026-03-02T09:30", None),
            (
                "lamp since 2026-03-02T09:30",
                Some("since:2026-03-02t09:30"),
            ),
            ("lamp since 3 days", Some("since:\"3 days\"")),
            ("lamp in the last 3 days", Some("since:\"last 3 days\"")),
            ("lamp until 3 days ago", Some("until:\"3 days ago\"")),
            ("in the last 3 days", None),
        ]);
    }

    #[test]
    fn a_date_that_no_turn_holds_becomes_a_filter_wherever_it_stands() {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        let missing = ["2026-02-12", "2026/02/12", "2026-02", "2026-02-31"];
        let missing = missing.map(str::to_owned);
        for (query, filter) in [
            ("lamp 2026-02-12", Some("when:2026-02-12")),
            ("2026-02-12 lamp", Some("when:2026-02-12")),
            ("lamp 2026/02/12, the wick", Some("when:2026-02-12")),
            ("lamp 2026-02", Some("when:2026-02")),
            ("lamp 2026-02-12 12:30", Some("when:2026-02-12")),
            ("since 2026-02-12 the lamp", Some("since:2026-02-12")),
            // A turn holds these.
            ("lamp 2026-02-13", None),
            ("lamp 2026-01", None),
            ("lamp \"2026-02-12\"", None),
            ("lamp before 2026-02-12", None),
            ("lamp 2026-02-12 to 2026-02-13", None),
            ("lamp 2026-02-31", None),
            ("2026-02-12 12:30", None),
        ] {
            let found = find_missing_date(query, &missing, now);
            assert_eq!(found.as_deref(), filter, "{query}");
        }
    }

    #[test]
    fn what_lies_outside_of_a_time_is_no_filter_for_it() {
        check([
            ("deploy before last june", None),
            ("deploy before 21 february 2026", None),
            ("bugs after yesterday", None),
            ("bugs after the end of last week", None),
            ("sessions older than last week", None),
            ("sessions older than 3 weeks ago", None),
            ("bugs before this month", None),
            ("cipher not today", None),
            ("release by last monday", None),
            ("the day before yesterday", None),
            ("lamp between monday and yesterday", None),
        ]);
    }

    #[test]
    fn a_part_of_a_year_is_no_year_and_a_number_no_time() {
        check([
            ("listen on 2025", None),
            ("server on 2024", None),
            ("lamp on 12 feb", Some("when:\"12 feb\"")),
            ("lamp during 2025", Some("when:2025")),
            ("lamp since 2025", Some("since:2025")),
            ("lamp june last year", Some("when:\"june last year\"")),
            ("lamp in June of last year", None),
            ("lamp monday last week", None),
            ("lamp at the end of last week", Some("when:\"last week\"")),
        ]);
    }

    #[test]
    fn a_time_at_the_end_becomes_filters() {
        check([
            ("docker bug yesterday", Some("when:yesterday")),
            ("refactor in September?", Some("when:september")),
            (
                "the migration of last tuesday",
                Some("when:\"last tuesday\""),
            ),
            (
                "what did we fix in the parser 3 weeks ago",
                Some("since:\"3 weeks ago\""),
            ),
            (
                "lamp wiring since february 21",
                Some("since:\"february 21\""),
            ),
            ("lamp wiring in the last week", Some("when:\"last week\"")),
            ("lamp until 2026-01-05", Some("until:2026-01-05")),
            ("lamp on feb 12", Some("when:\"feb 12\"")),
            ("error: lamp this week", Some("when:\"this week\"")),
            // The day itself would be in the range.
            ("lamp before 2026-01-05", None),
            ("convert hex in dec", None),
            ("dashboards in week", None),
            ("may fix", None),
            ("fix may", None),
            ("yesterday", None),
            ("in march", None),
            ("from the last week", None),
            ("the build fails in 3m", None),
            ("lamp in 7", None),
            ("cron on every monday morning", None),
            ("\"the release of yesterday\"", None),
            ("", None),
        ]);
    }

    #[test]
    fn months_years_weekdays_and_written_numbers_become_filters() {
        check([
            ("lamp wiring of last june", Some("when:\"last june\"")),
            ("lamp wiring last february", Some("when:\"last february\"")),
            ("lamp wiring this March", Some("when:\"this march\"")),
            ("lamp wiring June 2025", Some("when:\"june 2025\"")),
            ("lamp wiring two weeks ago", Some("since:\"two weeks ago\"")),
            ("lamp wiring in 2025", Some("when:2025")),
            ("the lamp that we wired on monday", Some("when:monday")),
            (
                "lamp wiring february 12 last year",
                Some("when:\"february 12 last year\""),
            ),
            ("lamp wiring a week ago", Some("since:\"a week ago\"")),
            (
                "lamp wiring in the last two weeks",
                Some("since:\"last two weeks\""),
            ),
            ("tar archives in may", Some("when:may")),
            ("lamp wiring since feb", Some("since:feb")),
            ("lamp at the end of april", Some("when:april")),
            ("lamp at the end of feb", Some("when:feb")),
            ("footer, july 16", Some("when:\"july 16\"")),
            ("footer from 16 july", Some("when:\"16 july\"")),
            ("lamp since the beginning of april", Some("since:april")),
            ("lamp until the end of april", Some("until:april")),
            (
                "lamp since the start of last week",
                Some("since:\"last week\""),
            ),
            ("footer july", None),
            ("lamp before the end of april", None),
            ("lamp wiring before two weeks ago", None),
            ("lamp wiring not last june", None),
            ("lamp wiring this june", None),
            ("lamp wiring in 1024", None),
            ("lamp wiring in 2048", None),
            ("lamp wiring 2025", None),
        ]);
    }
}
