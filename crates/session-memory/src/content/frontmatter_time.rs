//! Times of frontmatter.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time of frontmatter, formatted as `2026-01-10T09:15:00Z`. A bare date is its midnight in UTC,
/// and a time without a zone is taken as UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrontmatterTime(pub Timestamp);

impl FrontmatterTime {
    /// Parses a time of a file; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(at) = text.parse::<Timestamp>() {
            return Some(Self(at));
        }
        let civil = text.replace(' ', "T").parse::<DateTime>();
        let civil = civil
            .or_else(|_| text.parse::<Date>().map(DateTime::from))
            .ok()?;
        Some(Self(civil.to_zoned(TimeZone::UTC).ok()?.timestamp()))
    }

    /// Formats the day in UTC: `2026-01-10`.
    pub fn day(self) -> String {
        self.0.strftime("%Y-%m-%d").to_string()
    }

    /// Returns true if the id of a memory, `mem-20260110-091500`, has this day: in local time, so that it may be the
    /// one before or after.
    pub(crate) fn matches_day_of_id(self, id: &str) -> bool {
        let day = id.get("mem-".len().."mem-20260110".len());
        let day = day.and_then(|day| Date::strptime("%Y%m%d", day).ok());
        let own = self.0.to_zoned(TimeZone::UTC).date();
        day.is_some_and(|day| (own - day).get_days().abs() <= 1)
    }

    /// Counts whole days from this time to `now`, at least 0.
    pub(crate) fn days_until(self, now: Timestamp) -> u32 {
        let seconds = now.as_second().saturating_sub(self.0.as_second());
        u32::try_from(seconds.max(0) / 86_400).unwrap_or(u32::MAX)
    }
}

impl From<&Zoned> for FrontmatterTime {
    fn from(now: &Zoned) -> Self {
        Self(now.timestamp())
    }
}

impl std::fmt::Display for FrontmatterTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl Serialize for FrontmatterTime {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FrontmatterTime {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let wrong = || {
            serde::de::Error::custom(format!(
                "`{text}` is not a time such as 2026-01-10T09:15:00Z"
            ))
        };
        Self::parse(&text).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_parsed_with_or_without_a_zone() {
        let check = |text: &str, expected: &str| {
            let read = FrontmatterTime::parse(text).map_or("none".into(), |m| m.to_string());
            assert_eq!(read, expected, "{text}");
        };
        check("2026-01-10T09:15:00Z", "2026-01-10T09:15:00Z");
        check("2026-01-10T09:15:00+02:00", "2026-01-10T07:15:00Z");
        check("2026-01-10 09:15", "2026-01-10T09:15:00Z");
        check("2026-01-10", "2026-01-10T00:00:00Z");
        check("soon", "none");
    }
}
