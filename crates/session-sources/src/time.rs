//! RFC 3339 times.

/// Milliseconds since 1970 of a time like `2026-03-02T09:00:00.000Z`, with or
/// without fraction, in UTC or with an offset. Anything that is no such time,
/// or no day of the calendar, is `None`.
pub fn milliseconds(text: &str) -> Option<i64> {
    let (date, rest) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.as_bytes().get(10), Some(b'T' | b't' | b' ')) {
        return None;
    }
    let zone_at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone_at);
    let seconds = days(date)? * 86_400 - offset_seconds(zone)?;
    Some(seconds * 1000 + clock_ms(clock)?)
}

/// Days since 1970 of `YYYY-MM-DD` (Howard Hinnant's `days_from_civil`).
fn days(date: &str) -> Option<i64> {
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A minute may have a leap second.
fn clock_ms(clock: &str) -> Option<i64> {
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hours, minutes, seconds] = numbers(whole, ':', [2, 2, 2])?;
    if hours > 23 || minutes > 59 || seconds > 60 || !is_digits(fraction) {
        return None;
    }
    let digits = fraction.bytes().chain([b'0', b'0']).take(3);
    let ms = digits.fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0'));
    Some((hours * 3600 + minutes * 60 + seconds) * 1000 + ms)
}

fn offset_seconds(zone: &str) -> Option<i64> {
    let sign = match zone {
        "Z" | "z" => return Some(0),
        _ if zone.starts_with('+') => 1,
        _ => -1,
    };
    let [hours, minutes] = numbers(zone.get(1..)?, ':', [2, 2])?;
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Numbers of so many digits each.
fn numbers<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut out = [0; N];
    for (number, width) in out.iter_mut().zip(widths) {
        let part = parts.next()?;
        *number = part
            .parse()
            .ok()
            .filter(|_| part.len() == width && is_digits(part))?;
    }
    parts.next().is_none().then_some(out)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
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
            ("9999-12-31T23:59:59Z", Some(253_402_300_799_000)),
            ("2026-03-02T23:59:60Z", Some(1_772_496_000_000)),
            ("2026-03-02T09:00:00.12Z", Some(1_772_442_000_120)),
            ("2026-03-02T99:99:99Z", None),
            ("2026-03-02T24:00:00Z", None),
            ("2026-03-02T09:60:00Z", None),
            ("2026-03-02T09:00:00+99:99", None),
            ("2026-03-02T09:00:00+24:00", None),
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
