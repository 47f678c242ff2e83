//! Many texts: batches side by side, and single texts where a batch fails.

use crate::remote::ask::{Asked, Client, Patience};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most texts of a request.
const TEXTS: usize = 32;
/// Bytes after which a request is long enough.
const BYTES: usize = 64 << 10;
/// Requests under way at a time.
const THREADS: usize = 4;
/// Single texts of a batch after whose failure the others are left, too: it is
/// not the texts.
const HOPELESS: usize = 4;

/// The vector of each text; none where it failed; zeros for an empty text.
///
/// # Errors
/// When the endpoint refuses us, or every text failed.
pub fn embed(client: &Client, texts: &[&str], dims: usize) -> Result<Vec<Option<Vec<f32>>>, Asked> {
    let full: Vec<usize> = (0..texts.len()).filter(|n| !texts[*n].is_empty()).collect();
    let batches = batches(texts, &full);
    let work = Work {
        client,
        texts,
        dims,
        next: AtomicUsize::new(0),
        done: Mutex::new(Done {
            vectors: texts
                .iter()
                .map(|t| t.is_empty().then(|| vec![0.0; dims]))
                .collect(),
            refused: None,
            failed: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS.min(batches.len()) {
            scope.spawn(|| work.run(&batches));
        }
    });
    let done = work.done.into_inner().unwrap_or_else(|e| e.into_inner());
    let is_none = full.iter().all(|n| done.vectors[*n].is_none());
    match (done.refused, done.failed) {
        (Some(refused), _) => Err(refused),
        (None, Some(failed)) if is_none => Err(failed),
        _ => Ok(done.vectors),
    }
}

/// Divides texts into requests.
fn batches<'a>(texts: &[&str], mut full: &'a [usize]) -> Vec<&'a [usize]> {
    let mut batches = Vec::new();
    while !full.is_empty() {
        let mut bytes = 0;
        let fits = full.iter().take(TEXTS).take_while(|n| {
            let before = bytes;
            bytes += texts[**n].len();
            before == 0 || bytes <= BYTES
        });
        let (batch, rest) = full.split_at(fits.count());
        batches.push(batch);
        full = rest;
    }
    batches
}

/// What threads share.
struct Work<'a> {
    client: &'a Client,
    texts: &'a [&'a str],
    dims: usize,
    next: AtomicUsize,
    done: Mutex<Done>,
}

struct Done {
    vectors: Vec<Option<Vec<f32>>>,
    /// Why nothing more is asked.
    refused: Option<Asked>,
    /// Why a text failed.
    failed: Option<Asked>,
}

impl Work<'_> {
    /// Takes one batch after the other, until all are taken or we are refused.
    fn run(&self, batches: &[&[usize]]) {
        while let Some(batch) = batches.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            match self.ask(batch, Patience::BATCH) {
                Ok(()) => {}
                Err(Asked::Refused(reason)) => return self.refuse(Asked::Refused(reason)),
                Err(asked) if batch.len() == 1 => self.fail(asked),
                Err(_) => self.one_by_one(batch),
            }
            if self.with(|done| done.refused.is_some()) {
                return;
            }
        }
    }

    fn one_by_one(&self, batch: &[usize]) {
        let mut failed = 0;
        for (n, text) in batch.chunks(1).enumerate() {
            match self.ask(text, Patience::SINGLE) {
                Ok(()) => {}
                Err(Asked::Refused(reason)) => return self.refuse(Asked::Refused(reason)),
                Err(asked) => {
                    failed += 1;
                    self.fail(asked);
                }
            }
            if n + 1 == HOPELESS && failed == HOPELESS {
                return;
            }
        }
    }

    /// Asks for a batch, and puts the vectors into their places.
    fn ask(&self, batch: &[usize], patience: Patience) -> Result<(), Asked> {
        let texts: Vec<&str> = batch.iter().map(|n| self.texts[*n]).collect();
        let vectors = self.client.embed(&texts, Some(self.dims), patience)?;
        self.with(|done| {
            for (n, vector) in batch.iter().zip(vectors) {
                done.vectors[*n] = Some(vector);
            }
        });
        Ok(())
    }

    fn refuse(&self, why: Asked) {
        self.with(|done| done.refused = Some(why));
    }

    fn fail(&self, why: Asked) {
        self.with(|done| done.failed = Some(why));
    }

    fn with<T>(&self, change: impl FnOnce(&mut Done) -> T) -> T {
        change(&mut self.done.lock().unwrap_or_else(|e| e.into_inner()))
    }
}
