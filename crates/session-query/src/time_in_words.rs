//! A time at the end of a query that names a subject, too: `docker bug yesterday`. Its words are searched as they stand,
//! and a filter of time is what the user is told of.

use crate::day_question::find_asked_time;
use crate::query_tokens::{format_filter, quote_value};
use crate::typed_query::FilterField;
use crate::typed_search::SearchAnswer;
use jiff::Zoned;
use jiff::fmt::strtime::BrokenDownTime;
use session_report::{TimeRange, TypedRange};

/// Filters that leave what lies within a time.
const WITHIN: &[FilterField] = &[FilterField::Since, FilterField::Until];
const SINCE: &[FilterField] = &[FilterField::Since];
const UNTIL: &[FilterField] = &[FilterField::Until];

/// Words before a time, and the filters that say the same.
const PREPOSITIONS: [(&str, &[FilterField]); 5] = [
    ("during", WITHIN),
    ("in", WITHIN),
    ("on", WITHIN),
    ("since", SINCE),
    ("until", UNTIL),
];

/// Words before a time that take what lies within it out, or begin or end at it.
const EXCLUDING_WORDS: [&str; 10] = [
    "after", "and", "before", "between", "by", "except", "not", "than", "till", "to",
];

/// Words between a time and the word that says what it means: `before the end of last week`.
const FILLERS: [&str; 6] = ["the", "of", "beginning", "start", "middle", "end"];

/// First words of times that need no preposition.
const PLAIN_BEGINNINGS: [&str; 4] = ["last", "this", "today", "yesterday"];

/// Numbers that are written as words, from one on.
const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// The first year that a number is taken for: there were no coding agents before.
const FIRST_YEAR: i16 = 2020;

/// Words that are times by themselves, and more often something else.
const UNITS: [&str; 3] = ["week", "month", "year"];

/// Most words of such a time: `3 weeks ago`, `february 21 2026`.
const MAX_TIME_WORDS: usize = 3;

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
    let words: Vec<&str> = query.split_whitespace().collect();
    let lengths = (1..=MAX_TIME_WORDS).rev();
    let starts = lengths.filter_map(|length| words.len().checked_sub(length));
    let ends = starts.map(|start| words.split_at(start));
    let mut times = ends.map(|(before, time)| {
        let time = normalize_time(&time.join(" ").to_lowercase(), now);
        (before, time)
    });
    let (before, time) = times.find(|(_, time)| is_time(time, now))?;
    let has_subject = before.iter().any(|word| !is_before_a_time(word));
    let is_named = is_named(&time) || is_past_year(&time, now);
    let fields = find_fields(before, &time, now).filter(|_| has_subject && is_named)?;
    is_whole_range(fields, &time, now).then(|| format_filters(fields, &time))
}

fn is_time(text: &str, now: fn() -> Zoned) -> bool {
    TimeRange::parse(TypedRange::Within(text), now).is_ok()
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

/// Returns a time as filters read it: `2 weeks ago` of `two weeks ago`, `june 2025` of `last june` and `june last year`.
fn normalize_time(time: &str, now: fn() -> Zoned) -> String {
    let words: Vec<&str> = time.split(' ').collect();
    let today = now().date();
    let normal = match *words.as_slice() {
        [count, unit, "ago"] => {
            let number = NUMBERS.iter().position(|number| *number == count);
            number.map(|number| format!("{} {unit} ago", number + 1))
        }
        ["last", month] => parse_month(month).map(|number| {
            let year = today.year() - i16::from(number >= today.month());
            format!("{month} {year}")
        }),
        ["this", month] => {
            let begun = parse_month(month).filter(|number| *number <= today.month());
            begun.map(|_| format!("{month} {}", today.year()))
        }
        [month, which @ ("last" | "this"), "year"] => {
            let year = today.year() - i16::from(which == "last");
            parse_month(month).map(|_| format!("{month} {year}"))
        }
        _ => None,
    };
    normal.unwrap_or_else(|| time.to_owned())
}

/// Parses the English name of a month to its number.
fn parse_month(name: &str) -> Option<i8> {
    BrokenDownTime::parse("%B", name).ok()?.month()
}

/// Returns true for a year in which there may be sessions.
fn is_past_year(time: &str, now: fn() -> Zoned) -> bool {
    let year = time.parse::<i16>();
    year.is_ok_and(|year| (FIRST_YEAR..=now().year()).contains(&year))
}

/// Returns the filters that say what a time means behind other words. A while ago is a moment, from which all counts; a
/// while alone is how long something takes.
fn find_fields(before: &[&str], time: &str, now: fn() -> Zoned) -> Option<&'static [FilterField]> {
    let mut leads = before.iter().rev().map(|word| word.to_lowercase());
    let lead = leads.find(|word| !FILLERS.contains(&word.as_str()))?;
    // `June of last year` is less than last year.
    let is_part_of_time = is_named(&lead) && is_time(&lead, now);
    if is_part_of_time || EXCLUDING_WORDS.contains(&lead.as_str()) {
        return None;
    }
    let preposition = find_preposition(&lead);
    if time.ends_with(" ago") {
        return preposition
            .filter(|fields| *fields == UNTIL)
            .or(Some(SINCE));
    }
    if is_while(time, now) {
        return ["last", "since"].contains(&lead.as_str()).then_some(SINCE);
    }
    if is_past_year(time, now) {
        return preposition.filter(|_| lead != "on");
    }
    let first = time.split(' ').next()?;
    let is_plain = PLAIN_BEGINNINGS.contains(&first) || is_month_of_year(time);
    preposition.or(is_plain.then_some(WITHIN))
}

/// Returns true for a length of time: `3 days`.
fn is_while(time: &str, now: fn() -> Zoned) -> bool {
    let range = TimeRange::parse(TypedRange::Within(time), now);
    !time.contains('-') && range.is_ok_and(|range| range.until_ms.is_none())
}

/// Returns true for the name of a month with a year behind it.
fn is_month_of_year(time: &str) -> bool {
    let Some((month, year)) = time.split_once(' ') else {
        return false;
    };
    parse_month(month).is_some()
        && year.len() == 4
        && year.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns true for a date and for a time in words: a number alone, `3m`, `dec` and `week` are seldom times in a sentence.
fn is_named(time: &str) -> bool {
    let has_digit = time.contains(is_digit);
    let mut words = time.split(' ').filter(|word| !word.contains(is_digit));
    let is_name = |word: &str| !UNITS.contains(&word) && (word.len() > 3 || has_digit);
    time.contains('-') || words.any(is_name)
}

fn is_digit(char: char) -> bool {
    char.is_ascii_digit()
}

fn find_preposition(word: &str) -> Option<&'static [FilterField]> {
    let known = |(name, _): &&(&str, _)| word.eq_ignore_ascii_case(name);
    Some(PREPOSITIONS.iter().find(known)?.1)
}

/// Returns true for a word that leads to a time and is no subject.
fn is_before_a_time(word: &str) -> bool {
    let is_known = |known: &str| word.eq_ignore_ascii_case(known);
    ["from", "last", "of", "the"].into_iter().any(is_known) || find_preposition(word).is_some()
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
                Some("since:\"june 2025\" until:\"june 2025\""),
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
                Some("since:\"june 2025\" until:\"june 2025\""),
            ),
            (
                "lamp wiring last february",
                Some("since:\"february 2026\" until:\"february 2026\""),
            ),
            (
                "lamp wiring this March",
                Some("since:\"march 2026\" until:\"march 2026\""),
            ),
            (
                "lamp wiring June 2025",
                Some("since:\"june 2025\" until:\"june 2025\""),
            ),
            ("lamp wiring two weeks ago", Some("since:\"2 weeks ago\"")),
            ("lamp wiring in 2025", Some("since:2025 until:2025")),
            (
                "the lamp that we wired on monday",
                Some("since:monday until:monday"),
            ),
            ("lamp wiring this june", None),
            ("lamp wiring in 1024", None),
            ("lamp wiring in 2048", None),
            ("lamp wiring 2025", None),
        ]);
    }
}
