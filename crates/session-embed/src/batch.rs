//! Texts that go through a model together.

/// Some texts, and the rows of their vectors.
pub(crate) struct TokenBatch<'a> {
    /// The tokens of each text.
    pub ids: &'a [Vec<u32>],
    /// A row a text.
    pub vectors: &'a mut [f32],
}

/// Divides texts into batches of about as many tokens.
pub(crate) fn split_batches<'a>(
    mut ids: &'a [Vec<u32>],
    mut vectors: &'a mut [f32],
    dims: usize,
    tokens: usize,
) -> Vec<TokenBatch<'a>> {
    let mut batches = Vec::new();
    while !ids.is_empty() {
        let mut count = 0;
        let full = ids.iter().position(|text| {
            count += text.len();
            count >= tokens
        });
        let (some, rest) = ids.split_at(full.map_or(ids.len(), |at| at + 1));
        let (rows, rest_rows) = vectors.split_at_mut(some.len() * dims);
        batches.push(TokenBatch {
            ids: some,
            vectors: rows,
        });
        (ids, vectors) = (rest, rest_rows);
    }
    batches
}
