//! A time at the end of a query that names a subject, too: `docker bug yesterday`. Its words are searched as they stand,
//! and a filter of time is what the user is told of.

use crate::day_question::find_asked_time;
use crate::query_tokens::{format_filter, quote_value};
use crate::typed_query::FilterField;
use crate::typed_search::SearchAnswer;
use jiff::Zoned;
use session_report::{TimeRange, TypedRange};

/// Filters that leave what lies within a time.
const WITHIN: &[FilterField] = &[FilterField::Since, FilterField::Until];
const SINCE: &[FilterField] = &[FilterField::Since];
const UNTIL: &[FilterField] = &[FilterField::Until];

/// Words before a time that take what lies within it out, or begin or end at it.
const EXCLUDING_WORDS: [&str; 10] = [
    "after", "and", "before", "between", "by", "except", "not", "than", "till", "to",
];

/// Words between a time and the word that says what it means: `before the end of last week`.
const FILLERS: [&str; 6] = ["the", "of", "beginning", "start", "middle", "end"];

/// Other words that lead to a time and are no subject.
const LEADS: [&str; 7] = ["during", "from", "in", "last", "on", "since", "until"];

/// First words of times that need no preposition.
const PLAIN_BEGINNINGS: [&str; 4] = ["last", "this", "today", "yesterday"];

/// The first year that a number is taken for: there were no coding agents before.
const FIRST_YEAR: i16 = 2020;

/// Most words of such a time: `3 weeks ago`, `february 21 last year`.
const MAX_TIME_WORDS: usize = 4;

/// Says what keeps to the time that a query has in words, where it has one: what `format_list` says of the time, where
/// nothing else is asked for, and filters, where there is a subject beside it.
pub fn note_time_in_words(
    answer: &SearchAnswer,
    now: fn() -> Zoned,
    format_list: impl FnOnce(&str) -> String,
) -> Option<String> {
    if let Some(time) = find_asked_time(&answer.query.typed, now) {
        return Some(format_list(&time));
    }
    if answer.filter.filter.limits_time() {
        return None;
    }
    let filters = find_time_in_words(&answer.query.text, now)?;
    Some(format!(
        "the time is searched as text; `{filters}` in its place keeps to it"
    ))
}

/// Returns filters that leave what lies within a time: `since:yesterday until:yesterday`.
pub fn format_time_filters(time: &str) -> String {
    format_filters(WITHIN, time)
}

fn format_filters(fields: &[FilterField], time: &str) -> String {
    // A time holds no quote.
    let time = quote_value(time).unwrap_or_default();
    let filters = fields.iter();
    let filters = filters.map(|field| format_filter(false, *field, &time));
    filters.collect::<Vec<_>>().join(" ")
}

/// Returns the filters that say the same as the time at the end of a query: `since:september until:september` of `refactor
/// in september`. The longest end that is a time counts.
fn find_time_in_words(query: &str, now: fn() -> Zoned) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '.', '!']);
    if query.contains('"') {
        return None;
    }
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let starts = (1..=MAX_TIME_WORDS).rev();
    let starts = starts.filter_map(|length| words.len().checked_sub(length));
    let mut ends = starts.map(|start| (&words[..start], words[start..].join(" ")));
    let (before, time) = ends.find(|(_, time)| parse_time(time, now).is_some())?;
    let is_filler = |word: &&String| FILLERS.contains(&word.as_str());
    let is_subject = |word: &&String| !is_filler(word) && !LEADS.contains(&word.as_str());
    before.iter().find(is_subject)?;
    let lead = before.iter().rev().find(|word| !is_filler(word))?;
    // `June of last year` is less than last year.
    let is_part_of_time = parse_time(lead, now).is_some() && is_unambiguous(lead, now);
    if is_part_of_time || EXCLUDING_WORDS.contains(&lead.as_str()) || !is_unambiguous(&time, now) {
        return None;
    }
    let fields = find_fields(lead, &time, now)?;
    is_whole_range(fields, &time, now).then(|| format_filters(fields, &time))
}

fn parse_time(text: &str, now: fn() -> Zoned) -> Option<TimeRange> {
    TimeRange::parse(TypedRange::Within(text), now).ok()
}

/// Returns true where filters with one time let something through: between a moment and itself lies nothing.
fn is_whole_range(fields: &[FilterField], time: &str, now: fn() -> Zoned) -> bool {
    let end = |field| fields.contains(&field).then_some(time);
    let typed = TypedRange::Between {
        since: end(FilterField::Since),
        until: end(FilterField::Until),
    };
    TimeRange::parse(typed, now).is_ok()
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

/// Returns the filters that say what a time means behind a word. A while ago is a moment, from which all counts; a while
/// alone is how long something takes.
fn find_fields(lead: &str, time: &str, now: fn() -> Zoned) -> Option<&'static [FilterField]> {
    let is_moment = parse_time(time, now)?.until_ms.is_none();
    let is_while = is_moment && !time.contains('-');
    let is_ago = time.ends_with(" ago");
    match lead {
        "since" => Some(SINCE),
        "until" if is_ago || !is_while => Some(UNTIL),
        _ if is_ago => Some(SINCE),
        "last" if is_while => Some(SINCE),
        _ if is_while => None,
        "during" | "in" => Some(WITHIN),
        "on" if !is_past_year(time, now) => Some(WITHIN),
        _ => is_plain(time).then_some(WITHIN),
    }
}

/// Returns true for a time that needs no preposition: `last week`, `june 2025`.
fn is_plain(time: &str) -> bool {
    let first = time.split(' ').next().unwrap_or_default();
    let last = time.rsplit(' ').next().unwrap_or_default();
    let names_year = last == "year" || last.parse().is_ok_and(|year: i16| year >= FIRST_YEAR);
    PLAIN_BEGINNINGS.contains(&first) || (first != last && names_year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed_query::TypedQuery;

    /// Compares the filters of queries on March 30, 2026.
    fn check<const N: usize>(expected: [(&str, Option<&str>); N]) {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        for (query, filters) in expected {
            let found = find_time_in_words(query, now);
            assert_eq!(found.as_deref(), filters, "{query}");
            let range = found.map(|found| read_range(&found, now));
            assert!(range.is_none_or(|range| range.is_ok()), "{query}");
        }
    }

    /// Parses the range that filters let through.
    fn read_range(
        filters: &str,
        now: fn() -> Zoned,
    ) -> Result<TimeRange, session_report::TimeError> {
        let query = TypedQuery::parse(filters);
        assert_eq!((query.text.as_str(), query.invalid.len()), ("", 0));
        let find = |field| {
            let mut conditions = query.conditions.iter();
            let found = conditions.find(|condition| condition.field == field)?;
            Some(found.value.as_str())
        };
        let (since, until) = (find(FilterField::Since), find(FilterField::Until));
        TimeRange::parse(TypedRange::Between { since, until }, now)
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
            ("lamp in the last 3 days", Some("since:\"3 days\"")),
            ("lamp until 3 days ago", Some("until:\"3 days ago\"")),
            ("in the last 3 days", None),
        ]);
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
            ("lamp on 12 feb", Some("since:\"12 feb\" until:\"12 feb\"")),
            ("lamp during 2025", Some("since:2025 until:2025")),
            ("lamp since 2025", Some("since:2025")),
            (
                "lamp june last year",
                Some("since:\"june last year\" until:\"june last year\""),
            ),
            ("lamp in June of last year", None),
            ("lamp monday last week", None),
            (
                "lamp at the end of last week",
                Some("since:\"last week\" until:\"last week\""),
            ),
        ]);
    }

    #[test]
    fn a_time_at_the_end_becomes_filters() {
        check([
            (
                "docker bug yesterday",
                Some("since:yesterday until:yesterday"),
            ),
            (
                "refactor in September?",
                Some("since:september until:september"),
            ),
            (
                "the migration of last tuesday",
                Some("since:\"last tuesday\" until:\"last tuesday\""),
            ),
            (
                "what did we fix in the parser 3 weeks ago",
                Some("since:\"3 weeks ago\""),
            ),
            (
                "lamp wiring since february 21",
                Some("since:\"february 21\""),
            ),
            (
                "lamp wiring in the last week",
                Some("since:\"last week\" until:\"last week\""),
            ),
            ("lamp until 2026-01-05", Some("until:2026-01-05")),
            ("lamp on feb 12", Some("since:\"feb 12\" until:\"feb 12\"")),
            (
                "error: lamp this week",
                Some("since:\"this week\" until:\"this week\""),
            ),
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
            (
                "lamp wiring of last june",
                Some("since:\"last june\" until:\"last june\""),
            ),
            (
                "lamp wiring last february",
                Some("since:\"last february\" until:\"last february\""),
            ),
            (
                "lamp wiring this March",
                Some("since:\"this march\" until:\"this march\""),
            ),
            (
                "lamp wiring June 2025",
                Some("since:\"june 2025\" until:\"june 2025\""),
            ),
            ("lamp wiring two weeks ago", Some("since:\"two weeks ago\"")),
            ("lamp wiring in 2025", Some("since:2025 until:2025")),
            (
                "the lamp that we wired on monday",
                Some("since:monday until:monday"),
            ),
            (
                "lamp wiring february 12 last year",
                Some("since:\"february 12 last year\" until:\"february 12 last year\""),
            ),
            ("lamp wiring a week ago", Some("since:\"a week ago\"")),
            (
                "lamp wiring in the last two weeks",
                Some("since:\"two weeks\""),
            ),
            ("lamp wiring before two weeks ago", None),
            ("lamp wiring not last june", None),
            ("lamp wiring this june", None),
            ("lamp wiring in 1024", None),
            ("lamp wiring in 2048", None),
            ("lamp wiring 2025", None),
        ]);
    }
}
