//! The ends of a typed range, each written as one time.

use crate::time_range::{parse_day_of_month, parse_time};
use jiff::Zoned;

/// The two ends of a range, as each is written without the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeEnds {
    /// The beginning; `None` where it is open.
    pub since: Option<String>,
    /// The end; `None` where it is open.
    pub until: Option<String>,
}

impl RangeEnds {
    /// Splits `FROM..TO`, with a day of the month (`2026-02-12..13`) written in full. `None` where an end is no time, or
    /// both are open.
    pub fn parse(range: &str, now: &Zoned) -> Option<Self> {
        let (since, until) = range.split_once("..")?;
        let (since, until) = (since.trim(), until.trim());
        let until = match parse_day_of_month(since, until, now) {
            Some(day) => day.to_string(),
            None => until.to_owned(),
        };
        let is_time = |end: &str| end.is_empty() || parse_time(end, now).is_ok();
        let ends = Self {
            since: non_empty(since),
            until: non_empty(&until),
        };
        let is_open = ends.since.is_none() && ends.until.is_none();
        (!is_open && is_time(since) && is_time(&until)).then_some(ends)
    }
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(range: &str) -> String {
        let now = "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        match RangeEnds::parse(range, &now) {
            Some(ends) => format!("{:?} {:?}", ends.since, ends.until),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn each_end_of_a_range_is_a_time() {
        let check = |range: &str, expected: &str| assert_eq!(ends(range), expected, "{range}");
        check("2026-02-12..13", r#"Some("2026-02-12") Some("2026-02-13")"#);
        check("feb 12 .. 14", r#"Some("feb 12") Some("2026-02-14")"#);
        check("feb 12..feb 14", r#"Some("feb 12") Some("feb 14")"#);
        check("2026-02..", r#"Some("2026-02") None"#);
        check("..2026-02", r#"None Some("2026-02")"#);
        for other in [
            "..",
            "2026-02-12..30",
            "soon..today",
            "today..soon",
            "1..2..3",
            "today",
        ] {
            check(other, "none");
        }
    }
}
