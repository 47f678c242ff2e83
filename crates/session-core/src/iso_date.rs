//! Dates as ISO 8601 writes them, and with slashes.

/// Returns true for a day or a month in digits, the year first: `2026-07-22`, `2026/07/22`, `2026-07`.
pub fn is_iso_date(text: &str) -> bool {
    let has_slashes = text.contains('/');
    let parts: Vec<&str> = text.split(if has_slashes { '/' } else { '-' }).collect();
    match parts[..] {
        [year, month, day] => is_year(year) && is_up_to(12, month) && is_up_to(31, day),
        [year, month] => !has_slashes && is_year(year) && is_up_to(12, month),
        _ => false,
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for a number of two digits from 1 on.
fn is_up_to(greatest: u8, text: &str) -> bool {
    let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        && text
            .parse()
            .is_ok_and(|number| (1..=greatest).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_begins_with_the_year() {
        for date in ["2026-07-22", "2026/07/22", "2026-07"] {
            assert!(is_iso_date(date), "{date}");
        }
        for other in [
            "2026",
            "2026/07",
            "2026-13",
            "2026-07-00",
            "2026-7-2",
            "22-07-2026",
            "2026-07/22",
            "2026-07-22-01",
            "2026-07-22.md",
            "",
        ] {
            assert!(!is_iso_date(other), "{other}");
        }
    }
}
