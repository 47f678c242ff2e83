//! Pull requests and issues, which are named by a number.

/// Most digits of such a number: more are an id of something else.
const MAX_DIGITS: usize = 6;
/// Fewest digits of one without `#`: smaller numbers count things.
const MIN_BARE_DIGITS: usize = 2;
/// Words before such a number.
const KINDS: [&str; 6] = ["pr", "prs", "mr", "issue", "issues", "pull"];
/// Beginnings by which a text names such a number.
const BEGINNINGS: [&str; 8] = [
    "#",
    "pull/",
    "issues/",
    "merge_requests/",
    "pr ",
    "pull request ",
    "issue ",
    "pr-",
];

/// A pull request or an issue, as `#172`, `PR 172` and `…/pull/172` name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueNumber<'a> {
    number: &'a str,
}

impl<'a> IssueNumber<'a> {
    /// Reads `#172`.
    pub fn parse(word: &'a str) -> Option<Self> {
        let number = word.strip_prefix('#')?;
        is_number(number, 1).then_some(Self { number })
    }

    /// Reads a number behind the word for its kind: `PR 172`.
    pub(crate) fn parse_pair(kind: &str, number: &'a str) -> Option<Self> {
        let is_kind = KINDS.contains(&kind.to_lowercase().as_str());
        (is_kind && is_number(number, MIN_BARE_DIGITS)).then_some(Self { number })
    }

    /// Returns true if a text names it.
    pub fn occurs_in(&self, text: &str) -> bool {
        let mut matches = text.match_indices(self.number);
        matches.any(|(at, _)| {
            let goes_on = text.as_bytes().get(at + self.number.len());
            let follows = |begin: &&str| {
                let before = at
                    .checked_sub(begin.len())
                    .and_then(|from| text.get(from..at));
                before.is_some_and(|before| before.eq_ignore_ascii_case(begin))
            };
            !goes_on.is_some_and(u8::is_ascii_digit) && BEGINNINGS.iter().any(follows)
        })
    }
}

fn is_number(text: &str, min_digits: usize) -> bool {
    (min_digits..=MAX_DIGITS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_number_is_found_in_all_spellings() {
        let number = IssueNumber::parse("#172").unwrap();
        for text in [
            "fixes #172.",
            "see https://example.com/o/r/pull/172",
            "https://example.com/o/r/issues/172#c1",
            "o/r#172",
            "PR 172 is green",
            "the Pull Request 172",
        ] {
            assert!(number.occurs_in(text), "{text}");
        }
        for text in ["line 172", "#1721", "172", "pull/1172", "é172"] {
            assert!(!number.occurs_in(text), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_issue_numbers() {
        assert_eq!(IssueNumber::parse("#abc"), None);
        assert_eq!(IssueNumber::parse("#1234567"), None);
        assert_eq!(IssueNumber::parse("172"), None);
        assert!(IssueNumber::parse_pair("PR", "172").is_some());
        assert_eq!(IssueNumber::parse_pair("PR", "5"), None);
        assert_eq!(IssueNumber::parse_pair("line", "172"), None);
    }
}
