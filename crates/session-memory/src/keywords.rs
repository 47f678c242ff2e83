//! The words by which a memory is recalled.

use crate::memory::Memory;
use crate::terms;
use session_core::{Query, Term};
use std::collections::HashMap;

/// Words that are chosen for a memory.
const CHOSEN: usize = 8;
/// Longest piece of a script without spaces that is taken for a word.
const PIECE: usize = 6;

/// Words for a memory: its tags, what is an identifier, what its topic says,
/// what its key information says, in this order.
pub(crate) fn of(topic: &str, key_info: &[String], tags: &[String]) -> Vec<String> {
    let text = format!("{topic} {}", key_info.join(" "));
    let named = words(&text).into_iter().filter(|(_, exact)| *exact);
    let plain = words(topic).into_iter().chain(words(&text));
    let all = named.chain(plain).map(|(word, _)| word);
    let mut out: Vec<String> = Vec::new();
    for word in tags.iter().cloned().chain(all) {
        let is_new = !out
            .iter()
            .any(|known| known.to_lowercase() == word.to_lowercase());
        if is_new && out.len() < CHOSEN {
            out.push(word);
        }
    }
    out
}

/// The words of a text that say something, and whether they are identifiers.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    for Term { text, exact } in Query::new(&text.replace('"', " ")).terms {
        if !text.contains(terms::is_unspaced) {
            let word = text.trim_matches(|c: char| !c.is_alphanumeric());
            if word.chars().count() > 2 && word.chars().any(char::is_alphabetic) {
                out.push((word.to_owned(), exact));
            }
            continue;
        }
        let is_part = |c: char| !terms::is_unspaced(c);
        for piece in terms::without_between(&text).split(is_part) {
            if (2..=PIECE).contains(&piece.chars().count()) {
                out.push((piece.to_owned(), false));
            }
        }
    }
    out
}

/// The words that most memories are recalled by: at most `most`, those of
/// important and of new memories first where they are equally common.
pub fn most_common(memories: &[Memory], most: usize) -> Vec<String> {
    let mut counts: HashMap<String, (usize, usize, String)> = HashMap::new();
    let mut order: Vec<&Memory> = memories.iter().collect();
    order.sort_by_key(|m| std::cmp::Reverse((m.front.importance, m.updated(), m.front.id.clone())));
    let words = order.iter().flat_map(|m| m.front.keywords.iter());
    for (place, word) in words.enumerate() {
        let entry = counts.entry(word.to_lowercase());
        entry.or_insert_with(|| (0, place, word.clone())).0 += 1;
    }
    let mut words: Vec<(usize, usize, String)> = counts.into_values().collect();
    words.sort_by_key(|(count, place, _)| (std::cmp::Reverse(*count), *place));
    words
        .into_iter()
        .take(most)
        .map(|(.., word)| word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_names_and_words_are_chosen() {
        let info = ["Raise DB_POOL_SIZE to 20 under load".to_owned()];
        let words = of("Connection pool too small", &info, &["db".into()]);
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
        let words = of("数据库连接池太小", &["把超时设置为30秒".into()], &[]);
        assert_eq!(words.len(), 1, "{words:?}");
    }
}
