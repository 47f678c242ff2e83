//! RFC 3339 times.

/// Milliseconds since 1970 of a time like `2026-03-02T09:00:00.000Z`, with or
/// without fraction, in UTC or with an offset.
pub(super) fn milliseconds(text: &str) -> Option<i64> {
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
    let [year, month, day] = numbers(date, '-')?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

fn clock_ms(clock: &str) -> Option<i64> {
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let [hours, minutes, seconds] = numbers(whole, ':')?;
    let mut ms = 0;
    for place in 0..3 {
        let digit = fraction.as_bytes().get(place).copied().unwrap_or(b'0');
        ms = ms * 10 + i64::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    Some((hours * 3600 + minutes * 60 + seconds) * 1000 + ms)
}

fn offset_seconds(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first()? {
        b'Z' | b'z' => return Some(0),
        b'+' => 1,
        _ => -1,
    };
    let [hours, minutes] = numbers(zone.get(1..)?, ':')?;
    Some(sign * (hours * 3600 + minutes * 60))
}

fn numbers<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let mut parts = text.split(separator);
    let mut out = [0; N];
    for number in &mut out {
        let part = parts.next().filter(|p| p.len() <= 4)?;
        *number = i64::from(part.parse::<u16>().ok()?);
    }
    parts.next().is_none().then_some(out)
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
            ("yesterday at nine", None),
            ("2026-03-02T09:00:00.x00Z", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }
}
