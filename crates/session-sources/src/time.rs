//! RFC 3339 times.

use jiff::Timestamp;

/// Returns the milliseconds since 1970 of a time like `2026-03-02T09:00:00.000Z`, with or without fraction, in UTC or with an
/// offset. `None` for what is no such time, or no day of the calendar.
pub fn milliseconds(text: &str) -> Option<i64> {
    Some(text.parse::<Timestamp>().ok()?.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn times_are_read() {
        let cases = [
            ("1970-01-01T00:00:00.000Z", Some(0)),
            ("2026-03-02T09:00:00.123Z", Some(1_772_442_000_123)),
            ("2026-03-02T09:00:00Z", Some(1_772_442_000_000)),
            ("2026-03-02T10:30:00.1+01:30", Some(1_772_442_000_100)),
            ("2024-02-29T23:59:59.999999Z", Some(1_709_251_199_999)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("2026-13-02T09:00:00Z", None),
            ("2026-03-02", None),
            ("9999-12-30T22:00:00Z", Some(253_402_207_200_000)),
            ("2026-03-02T23:59:60Z", Some(1_772_495_999_000)),
            ("2026-03-02T09:00:00.12Z", Some(1_772_442_000_120)),
            ("2026-03-02T99:99:99Z", None),
            ("2026-03-02T24:00:00Z", None),
            ("2026-03-02T09:60:00Z", None),
            ("2026-03-02T09:00:00+99:99", None),
            ("2026-03-02T09:00:00-01:60", None),
            ("2026-03-02T09:00:00Zulu", None),
            ("2026-03-02T09:00:00", None),
            ("2026-03-02T9:00:000Z", None),
            ("2026-03-02T09:00:00.Z", None),
            ("2026-03-02T09:00:00.1234xZ", None),
            ("2026-02-29T09:00:00Z", None),
            ("2026-04-31T09:00:00Z", None),
            ("2026-00-10T09:00:00Z", None),
            ("-005-03-02T09:00:00Z", None),
            ("+005-03-02T09:00:00Z", None),
            ("12026-03-02T09:00:00Z", None),
            ("yesterday at nine", None),
            ("2026-03-02T09:00:00.x00Z", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
