//! Embedding of many texts: concurrent batches, and single texts where a batch fails.

use crate::remote::client::{EndpointClient, RequestError, RequestPolicy};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maximum number of texts in a request.
const MAX_BATCH_TEXTS: usize = 32;
/// Maximum bytes of text in a request, unless it has a single text.
const MAX_BATCH_BYTES: usize = 64 << 10;
/// Number of concurrent requests.
const CONCURRENCY: usize = 4;
/// Number of single texts after which the rest of a failed batch is skipped, if all of them
/// failed: the cause is not in the texts.
const PROBE_TEXTS: usize = 4;

/// Embeds texts. The vector of a failed text is `None`, that of an empty text is zeros.
///
/// # Errors
/// [`RequestError::Fatal`] when no request can succeed, else the last error when every text
/// failed.
pub fn embed_in_batches(
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
        results: Mutex::new(BatchResults {
            vectors: texts
                .iter()
                .map(|t| t.is_empty().then(|| vec![0.0; dims]))
                .collect(),
            fatal_error: None,
            last_error: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 0..CONCURRENCY.min(batches.len()) {
            scope.spawn(|| job.process_batches(&batches));
        }
    });
    let results = job.results.into_inner().unwrap_or_else(|e| e.into_inner());
    let all_failed = non_empty.iter().all(|n| results.vectors[*n].is_none());
    match (results.fatal_error, results.last_error) {
        (Some(error), _) => Err(error),
        (None, Some(error)) if all_failed => Err(error),
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
    results: Mutex<BatchResults>,
}

struct BatchResults {
    vectors: Vec<Option<Vec<f32>>>,
    /// The error that ended all requests.
    fatal_error: Option<RequestError>,
    /// The error of the last text or batch that failed.
    last_error: Option<RequestError>,
}

impl BatchJob<'_> {
    /// Embeds one batch after the other, until none is left or an error is fatal.
    fn process_batches(&self, batches: &[&[usize]]) {
        while let Some(batch) = batches.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            match self.embed_batch(batch, RequestPolicy::BATCH) {
                Ok(()) => {}
                Err(error @ RequestError::Fatal(_)) => return self.set_fatal_error(error),
                Err(error) if batch.len() == 1 => self.set_last_error(error),
                Err(_) => self.embed_one_by_one(batch),
            }
            if self.with_results(|results| results.fatal_error.is_some()) {
                return;
            }
        }
    }

    fn embed_one_by_one(&self, batch: &[usize]) {
        let mut failed = 0;
        for (n, text) in batch.chunks(1).enumerate() {
            match self.embed_batch(text, RequestPolicy::SINGLE) {
                Ok(()) => {}
                Err(error @ RequestError::Fatal(_)) => return self.set_fatal_error(error),
                Err(error) => {
                    failed += 1;
                    self.set_last_error(error);
                }
            }
            if n + 1 == PROBE_TEXTS && failed == PROBE_TEXTS {
                return;
            }
        }
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

    fn set_fatal_error(&self, error: RequestError) {
        self.with_results(|results| results.fatal_error = Some(error));
    }

    fn set_last_error(&self, error: RequestError) {
        self.with_results(|results| results.last_error = Some(error));
    }

    fn with_results<T>(&self, change: impl FnOnce(&mut BatchResults) -> T) -> T {
        change(&mut self.results.lock().unwrap_or_else(|e| e.into_inner()))
    }
}
