//! Keywords of a memory, and the most common ones of several.

use crate::content::memory::Memory;
use crate::text::terms;
use session_core::text::is_unspaced;
use session_core::{Query, Term};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The most keywords that are chosen for a memory.
const MAX_CHOSEN_KEYWORDS: usize = 8;
/// The most characters of a keyword: a longer run of letters is no word.
const MAX_KEYWORD_CHARS: usize = 64;
/// The most characters of a segment without spaces that counts as a word.
const MAX_UNSPACED_CHARS: usize = 6;

/// A part of what stands in place of a secret, which says nothing about the memory.
const REDACTION_MARK: &str = "redacted:";

/// Chooses keywords: tags, identifiers, words of the topic, words of the key information, in this
/// order. The texts are redacted already, so that no part of a secret becomes a keyword.
pub(crate) fn choose_keywords(topic: &str, key_info: &[String], tags: &[String]) -> Vec<String> {
    let text = format!("{topic} {}", key_info.join(" "));
    let identifiers = find_keyword_candidates(&text);
    let identifiers = identifiers.into_iter().filter(|word| word.is_identifier);
    let words = find_keyword_candidates(topic);
    let words = words.into_iter().chain(find_keyword_candidates(&text));
    let all = identifiers.chain(words).map(|word| word.text);
    let mut out: Vec<String> = Vec::new();
    for word in tags.iter().cloned().chain(all) {
        let is_new = !out
            .iter()
            .any(|known| known.to_lowercase() == word.to_lowercase());
        let is_short = word.chars().count() <= MAX_KEYWORD_CHARS;
        if is_new && is_short && out.len() < MAX_CHOSEN_KEYWORDS {
            out.push(word);
        }
    }
    out
}

/// A word of a text that is no stop word.
struct KeywordCandidate {
    text: String,
    is_identifier: bool,
}

/// Finds the words of a text that are no stop words.
fn find_keyword_candidates(text: &str) -> Vec<KeywordCandidate> {
    let mut out = Vec::new();
    for Term { text, exact } in Query::new(&text.replace('"', " ")).terms {
        if !text.contains(is_unspaced) {
            let word = text.trim_matches(|c: char| !c.is_alphanumeric());
            let is_word = word.chars().count() > 2 && word.chars().any(char::is_alphabetic);
            if is_word && !word.contains(REDACTION_MARK) {
                out.push(KeywordCandidate {
                    text: word.to_owned(),
                    is_identifier: exact,
                });
            }
            continue;
        }
        let is_separator = |c: char| !is_unspaced(c);
        for segment in terms::remove_stop_words(&text).split(is_separator) {
            if (2..=MAX_UNSPACED_CHARS).contains(&segment.chars().count()) {
                out.push(KeywordCandidate {
                    text: segment.to_owned(),
                    is_identifier: false,
                });
            }
        }
    }
    out
}

/// Returns the `limit` most common keywords of memories; equally common ones of important, then of
/// new memories first.
pub(crate) fn most_common_keywords(memories: &[Memory], limit: usize) -> Vec<String> {
    struct KeywordCount {
        count: usize,
        first: usize,
        keyword: String,
    }
    let mut counts: HashMap<String, KeywordCount> = HashMap::new();
    let mut order: Vec<&Memory> = memories.iter().collect();
    order.sort_by_key(|m| Reverse((m.front.importance, m.updated(), m.front.id.clone())));
    let words = order.iter().flat_map(|m| m.front.keywords.iter());
    for (first, word) in words.enumerate() {
        let entry = counts.entry(word.to_lowercase());
        let new = || KeywordCount {
            count: 0,
            first,
            keyword: word.clone(),
        };
        entry.or_insert_with(new).count += 1;
    }
    let mut counted: Vec<KeywordCount> = counts.into_values().collect();
    counted.sort_by_key(|word| (Reverse(word.count), word.first));
    let keywords = counted.into_iter().map(|word| word.keyword);
    keywords.take(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_before_identifiers_before_words() {
        let info = ["Raise DB_POOL_SIZE to 20 under load".to_owned()];
        let words = choose_keywords("Connection pool too small", &info, &["db".into()]);
        assert_eq!(
            words,
            [
                "db",
                "DB_POOL_SIZE",
                "Connection",
                "pool",
                "small",
                "Raise",
                "load"
            ]
        );
        let info = ["the token is [redacted:github-token]".to_owned()];
        assert_eq!(choose_keywords("Deploy", &info, &[]), ["Deploy", "token"]);
        let long = "l".repeat(65);
        let info = [format!("{long} and {}", &long[1..])];
        assert_eq!(
            choose_keywords("Deploy", &info, &[long]),
            ["Deploy", &info[0][70..]]
        );
        let words = choose_keywords("数据库连接池太小", &["把超时设置为30秒".into()], &[]);
        assert_eq!(words.len(), 1, "{words:?}");
    }
}
