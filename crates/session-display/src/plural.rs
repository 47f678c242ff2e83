//! Counts with their noun.

/// Returns a count with its noun, which takes `s`, or `ies` for a `y` after a consonant.
pub fn pluralize(count: usize, noun: &str) -> String {
    let stem = noun
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (count, stem) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_counted() {
        for (count, noun, expected) in [
            (1, "copy", "1 copy"),
            (2, "copy", "2 copies"),
            (0, "turn", "0 turns"),
            (2, "day", "2 days"),
        ] {
            assert_eq!(pluralize(count, noun), expected);
        }
    }
}
