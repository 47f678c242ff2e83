//! Inverse document frequency.

/// Returns BM25's inverse document frequency, `ln(1 + (N - df + 0.5) / (df + 0.5))`, of a term that
/// `frequency` of `total` documents hold. It is above 0. Robertson and Zaragoza, "The Probabilistic
/// Relevance Framework: BM25 and Beyond" (2009), with the 1 that Lucene adds.
#[expect(clippy::cast_precision_loss, reason = "counts of documents are small")]
pub fn idf(total: u64, frequency: u64) -> f32 {
    let (n, df) = (total.max(frequency) as f32, frequency as f32);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::idf;

    #[test]
    fn rare_terms_weigh_more_and_common_ones_above_zero() {
        assert!(idf(100, 1) > idf(100, 50));
        assert!(idf(100, 100) > 0.0);
        assert_eq!(idf(1, 2), idf(2, 2));
        assert!((idf(10, 1) - 1.992_430_2).abs() < 1e-5);
    }
}
