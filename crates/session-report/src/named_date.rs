//! Days and months whose month is named: `may 2026`, `february`, `last june`, `june last year`, `feb 12`, `12 Feb 2026`.

use crate::time_range::Time;
use jiff::civil::Date;
use jiff::fmt::strtime::BrokenDownTime;

/// Parses a day or a month by the English name of its month, or the name's first three letters, to its days. Without a year
/// it is the last one that has begun, and `last june` the last one that is over. `None` for any other text.
pub(crate) fn parse_named_date(text: &str, today: Date) -> Option<Time> {
    let text = text.replace(',', " ").to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let first_of_month = |month, year| Date::new(year, parse_month(month)?, 1).ok();
    let this_month = today.first_of_month();
    match *words.as_slice() {
        ["last", month] => {
            let is_over = |first: &Date| *first < this_month;
            last_date(today, |year| first_of_month(month, year).filter(is_over)).map(Time::month)
        }
        ["this", month] => {
            let first = first_of_month(month, today.year())?;
            (first <= this_month).then(|| Time::month(first))
        }
        _ => parse_dated(&words, today),
    }
}

/// Parses a day or a month before a year, or without one.
fn parse_dated(words: &[&str], today: Date) -> Option<Time> {
    let (date, year) = match words {
        [date @ .., "last", "year"] => (date, Some(today.year().checked_sub(1)?)),
        [date @ .., "this", "year"] => (date, Some(today.year())),
        [date @ .., year] if is_year(year) => (date, Some(year.parse().ok()?)),
        date => (date, None),
    };
    let in_year = |find: &dyn Fn(i16) -> Option<Date>| match year {
        Some(year) => find(year),
        None => last_date(today, find),
    };
    match *date {
        [month] => {
            let month = parse_month(month)?;
            in_year(&|year| Date::new(year, month, 1).ok()).map(Time::month)
        }
        [first, second] => {
            let typed = MonthDay::parse(first, second)?;
            in_year(&|year| typed.in_year(year)).map(Time::day)
        }
        _ => None,
    }
}

/// A day of a month in any year.
#[derive(Clone, Copy)]
struct MonthDay {
    month: i8,
    day: i8,
}

impl MonthDay {
    /// Parses `feb 12` and `12 feb`.
    fn parse(first: &str, second: &str) -> Option<Self> {
        let (month, day) = match parse_month(first) {
            Some(month) => (month, second),
            None => (parse_month(second)?, first),
        };
        let day = day.bytes().all(|b| b.is_ascii_digit()).then_some(day)?;
        Some(Self {
            month,
            day: day.parse().ok()?,
        })
    }

    fn in_year(self, year: i16) -> Option<Date> {
        Date::new(year, self.month, self.day).ok()
    }
}

/// Most years between a 29 February and the next one: 1900 had none.
const LEAP_YEARS_APART: i16 = 8;

/// Returns the date of this year, or of the last one in which it is there and has begun.
fn last_date(today: Date, in_year: impl Fn(i16) -> Option<Date>) -> Option<Date> {
    let years = (0..=LEAP_YEARS_APART).filter_map(|back| today.year().checked_sub(back));
    let mut dates = years.filter_map(in_year);
    dates.find(|date| *date <= today)
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses the English name of a month, its first three letters, or `sept`, to its number.
fn parse_month(name: &str) -> Option<i8> {
    let name = if name == "sept" { "sep" } else { name };
    let parse = |format| BrokenDownTime::parse(format, name).ok()?.month();
    ["%B", "%b"].into_iter().find_map(parse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn parse(text: &str) -> String {
        parse_on(date(2026, 3, 30), text)
    }

    fn parse_on(today: Date, text: &str) -> String {
        match parse_named_date(text, today) {
            Some(Time::Days { first, last }) if first == last => first.to_string(),
            Some(Time::Days { first, last }) => format!("{first}..{last}"),
            Some(Time::Instant(_)) | None => "none".to_owned(),
        }
    }

    #[test]
    fn months_are_named() {
        assert_eq!(parse("may 2026"), "2026-05-01..2026-05-31");
        assert_eq!(parse("February"), "2026-02-01..2026-02-28");
        assert_eq!(parse("mar"), "2026-03-01..2026-03-31");
        assert_eq!(parse("sept"), "2025-09-01..2025-09-30");
        assert_eq!(parse("april"), "2025-04-01..2025-04-30");
    }

    #[test]
    fn months_are_named_by_their_year() {
        assert_eq!(parse("last june"), "2025-06-01..2025-06-30");
        assert_eq!(parse("Last  Feb"), "2026-02-01..2026-02-28");
        assert_eq!(parse("last march"), "2025-03-01..2025-03-31");
        assert_eq!(parse("this March"), "2026-03-01..2026-03-31");
        assert_eq!(parse("this june"), "none");
        assert_eq!(parse("june last year"), "2025-06-01..2025-06-30");
        assert_eq!(parse("feb this year"), "2026-02-01..2026-02-28");
        assert_eq!(parse("12 feb last year"), "2025-02-12");
        assert_eq!(parse("last year"), "none");
    }

    #[test]
    fn days_have_named_months() {
        assert_eq!(parse("feb 12"), "2026-02-12");
        assert_eq!(parse("12 Feb 2026"), "2026-02-12");
        assert_eq!(parse("Feb 12, 2025"), "2025-02-12");
        assert_eq!(parse("march 31"), "2025-03-31");
        assert_eq!(parse("30 mar"), "2026-03-30");
        assert_eq!(parse("feb 29"), "2024-02-29");
        assert_eq!(parse_on(date(1904, 2, 28), "29 feb"), "1896-02-29");
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "soon",
            "feb 31",
            "feb -1",
            "feb feb",
            "12",
            "2026",
            "mayor 2026",
            "may 26 26",
        ] {
            assert_eq!(parse(text), "none", "{text}");
        }
    }
}
