//! Shannon entropy.

/// Returns the Shannon entropy of a text in bits per byte: `-sum(p * log2 p)` over its bytes.
#[expect(clippy::cast_precision_loss, reason = "lengths of secrets are small")]
pub(crate) fn shannon_entropy(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = text.len().max(1) as f64;
    let shares = counts.iter().filter(|count| **count > 0);
    shares
        .map(|count| *count as f64 / length)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::shannon_entropy;

    #[test]
    fn entropy_is_that_of_the_distribution_of_bytes() {
        assert!(shannon_entropy("").abs() < 1e-9);
        assert!(shannon_entropy("aaaa").abs() < 1e-9);
        assert!((shannon_entropy("abab") - 1.0).abs() < 1e-9);
        assert!((shannon_entropy("abcdefgh") - 3.0).abs() < 1e-9);
    }
}
