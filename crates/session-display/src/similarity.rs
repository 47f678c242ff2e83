//! The similarity of names, by which a misspelled one is found.

/// Least similarity of a name that is taken for another spelling of what was typed.
pub(crate) const MIN_SIMILARITY: f64 = 0.85;

/// Returns the similarity of two names by Jaro and Winkler, 0 to 1, whatever their case.
pub(crate) fn name_similarity(wanted: &str, name: &str) -> f64 {
    strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase())
}
