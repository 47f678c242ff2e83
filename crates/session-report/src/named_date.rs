//! Days and months whose month is named: `may 2026`, `february`, `feb 12`, `12 Feb 2026`.

use crate::time_range::Time;
use jiff::civil::Date;
use jiff::fmt::strtime::BrokenDownTime;

/// Parses a day or a month by the English name of its month, or the name's first three letters, to its days. Without a year
/// it is the last one that has begun. `None` for any other text.
pub(crate) fn parse_named_date(text: &str, today: Date) -> Option<Time> {
    let text = text.replace(',', " ").to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    match *words.as_slice() {
        [month] => {
            last_begun(today, |year| Date::new(year, parse_month(month)?, 1).ok()).map(Time::month)
        }
        [month, year] if is_year(year) => Some(Time::month(
            Date::new(year.parse().ok()?, parse_month(month)?, 1).ok()?,
        )),
        [first, second] => {
            let typed = MonthDay::parse(first, second)?;
            last_begun(today, |year| typed.in_year(year)).map(Time::day)
        }
        [first, second, year] if is_year(year) => {
            let typed = MonthDay::parse(first, second)?;
            typed.in_year(year.parse().ok()?).map(Time::day)
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
fn last_begun(today: Date, in_year: impl Fn(i16) -> Option<Date>) -> Option<Date> {
    let years = (0..=LEAP_YEARS_APART).filter_map(|back| today.year().checked_sub(back));
    let mut dates = years.filter_map(in_year);
    dates.find(|date| *date <= today)
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses the English name of a month, or its first three letters, to its number.
fn parse_month(name: &str) -> Option<i8> {
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
        assert_eq!(parse("april"), "2025-04-01..2025-04-30");
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
