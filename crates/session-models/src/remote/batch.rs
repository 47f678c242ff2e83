//! Embedding of many texts: concurrent batches, and single texts where a batch fails.

use crate::remote::client::{EndpointClient, FailureKind, RequestError, RequestPolicy};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Maximum number of texts in a request.
const MAX_BATCH_TEXTS: usize = 32;
/// Maximum bytes of text in a request, unless it has a single text.
const MAX_BATCH_BYTES: usize = 64 << 10;
/// Number of concurrent requests.
const CONCURRENCY: usize = 4;
/// Number of single texts after which the rest of a failed batch is skipped, if all of them
/// failed and the cause is not in the texts.
const PROBE_TEXTS: usize = 4;

/// Embeds texts. The vector of a failed text is `None`, that of an empty text is zeros.
///
/// # Errors
/// [`FailureKind::Fatal`] when no request can succeed, else the last error when every text failed. Where
/// the endpoint refused each of them, it has to refuse a known text, too: else the cause is in the texts.
pub(crate) fn embed_in_batches(
    client: &EndpointClient,
    texts: &[&str],
    dims: usize,
) -> Result<Vec<Option<Vec<f32>>>, RequestError> {
    let non_empty: Vec<usize> = (0..texts.len()).filter(|n| !texts[*n].is_empty()).collect();
    let batches = split_into_batches(texts, &non_empty);
    let job = BatchJob {
        client,
        texts,
        dims,
        next: AtomicUsize::new(0),
        accepts_known_text: OnceLock::new(),
        results: Mutex::new(BatchResults {
            vectors: texts
                .iter()
                .map(|t| t.is_empty().then(|| vec![0.0; dims]))
                .collect(),
            fatal_error: None,
            last_error: None,
            last_refusal: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENCY.min(batches.len()) {
            scope.spawn(|| job.process_batches(&batches));
        }
    });
    let results = job.with_results(std::mem::take);
    let all_failed = non_empty.iter().all(|n| results.vectors[*n].is_none());
    match (
        results.fatal_error,
        results.last_error,
        results.last_refusal,
    ) {
        (Some(error), ..) => Err(error),
        (_, Some(error), _) if all_failed => Err(error),
        (.., Some(refusal)) if all_failed && !job.accepts_known_text() => Err(refusal),
        _ => Ok(results.vectors),
    }
}

/// Splits the indices of the non-empty texts into batches.
fn split_into_batches<'a>(texts: &[&str], mut indices: &'a [usize]) -> Vec<&'a [usize]> {
    let mut batches = Vec::new();
    while !indices.is_empty() {
        let mut bytes = 0;
        let fitting = indices.iter().take(MAX_BATCH_TEXTS).take_while(|n| {
            let before = bytes;
            bytes += texts[**n].len();
            before == 0 || bytes <= MAX_BATCH_BYTES
        });
        let (batch, rest) = indices.split_at(fitting.count());
        batches.push(batch);
        indices = rest;
    }
    batches
}

/// The state that the request threads share.
struct BatchJob<'a> {
    client: &'a EndpointClient,
    texts: &'a [&'a str],
    dims: usize,
    /// Index of the next batch.
    next: AtomicUsize,
    /// Whether the endpoint embeds a known text; asked when it refused others.
    accepts_known_text: OnceLock<bool>,
    results: Mutex<BatchResults>,
}

#[derive(Default)]
struct BatchResults {
    vectors: Vec<Option<Vec<f32>>>,
    /// The error that ended all requests.
    fatal_error: Option<RequestError>,
    /// The error of the last text or batch that failed, unless it was refused.
    last_error: Option<RequestError>,
    /// The error of the last text that the endpoint refused.
    last_refusal: Option<RequestError>,
}

impl BatchJob<'_> {
    /// Embeds one batch after the other, until none is left or an error is fatal.
    fn process_batches(&self, batches: &[&[usize]]) {
        while let Some(batch) = batches.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            match self.embed_batch(batch, RequestPolicy::BATCH) {
                Err(error) if error.kind == FailureKind::Fatal || batch.len() == 1 => {
                    self.record_error(error);
                }
                Err(_) => self.embed_one_by_one(batch),
                Ok(()) => {}
            }
            if self.has_fatal_error() {
                return;
            }
        }
    }

    fn embed_one_by_one(&self, batch: &[usize]) {
        let (mut failed, mut refused) = (0, 0);
        for (n, text) in batch.chunks(1).enumerate() {
            if let Err(error) = self.embed_batch(text, RequestPolicy::SINGLE) {
                failed += 1;
                refused += usize::from(error.kind == FailureKind::Rejected);
                self.record_error(error);
            }
            let is_probed = n + 1 == PROBE_TEXTS && failed == PROBE_TEXTS;
            let is_cause_elsewhere = || refused < PROBE_TEXTS || !self.accepts_known_text();
            if self.has_fatal_error() || is_probed && is_cause_elsewhere() {
                return;
            }
        }
    }

    fn accepts_known_text(&self) -> bool {
        let ask = || self.client.accepts_known_text(self.dims);
        *self.accepts_known_text.get_or_init(ask)
    }

    /// Embeds a batch and stores its vectors at the indices of its texts.
    fn embed_batch(&self, batch: &[usize], policy: RequestPolicy) -> Result<(), RequestError> {
        let texts: Vec<&str> = batch.iter().map(|n| self.texts[*n]).collect();
        let vectors = self.client.embed(&texts, Some(self.dims), policy)?;
        self.with_results(|results| {
            for (n, vector) in batch.iter().zip(vectors) {
                results.vectors[*n] = Some(vector);
            }
        });
        Ok(())
    }

    fn record_error(&self, error: RequestError) {
        self.with_results(|results| {
            let slot = match error.kind {
                FailureKind::Fatal => &mut results.fatal_error,
                FailureKind::Rejected => &mut results.last_refusal,
                FailureKind::Retryable { .. } | FailureKind::InvalidResponse => {
                    &mut results.last_error
                }
            };
            *slot = Some(error);
        });
    }

    fn has_fatal_error(&self) -> bool {
        self.with_results(|results| results.fatal_error.is_some())
    }

    fn with_results<T>(&self, change: impl FnOnce(&mut BatchResults) -> T) -> T {
        change(&mut self.results.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
