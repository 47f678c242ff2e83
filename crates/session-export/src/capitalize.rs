//! Notes as sentences.

/// Returns a note with a capital letter at its beginning.
pub(crate) fn capitalize(note: &str) -> String {
    let mut rest = note.chars();
    let first = rest.next().map(|first| first.to_uppercase());
    first.into_iter().flatten().chain(rest).collect()
}
