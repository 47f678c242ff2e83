//! How much of a text the bundled models read: English, and what the glossary translates.

use crate::text::terms::remove_stop_words;
use session_core::text::{GlossarySegment, is_unspaced, segment_by_glossary};

/// The least readable fraction of a text that is embedded.
const MIN_READABLE: f32 = 0.5;

/// Returns true if an English model reads enough of a text to compare it.
pub(crate) fn is_mostly_readable(text: &str) -> bool {
    readable_fraction(text) >= MIN_READABLE
}

/// Returns the fraction of a text's letters that an English model reads, 0 to 1: all but those
/// without a translation.
fn readable_fraction(text: &str) -> f32 {
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
    if !text.contains(is_unspaced) {
        return if letters(text) > 0 { 1.0 } else { 0.0 };
    }
    let text = remove_stop_words(text);
    let unknown = |segment: &GlossarySegment<'_>| match segment.english {
        Some(_) => 0,
        None => segment
            .text
            .chars()
            .filter(|c| is_unspaced(*c) && c.is_alphanumeric())
            .count(),
    };
    let unknown: usize = segment_by_glossary(&text).iter().map(unknown).sum();
    #[expect(clippy::cast_precision_loss, reason = "characters of a line")]
    match letters(&text) {
        0 => 0.0,
        all => 1.0 - unknown as f32 / all as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readable_fraction_counts_letters_with_a_translation() {
        assert!(readable_fraction("raise the pool") >= 1.0);
        assert!(readable_fraction("连接池的 timeout") >= 1.0);
        assert!(readable_fraction("邮编读进来变成数字了") < 0.5);
        assert!(readable_fraction("的") <= 0.0);
        assert!(readable_fraction("🚀 !") <= 0.0);
    }
}
