//! The second pass: vectors for what the index holds.

use crate::events::is_past;
use crate::outcome::{Progress, Stage};
use crate::refresh::IndexError;
use session_core::{TurnContent, document};
use session_embed::Embedder;
use session_store::{Document, Level, ModelRow, Pending, Reader, SessionContents, Writer};
use std::time::Instant;

/// Sessions embedded between two looks at the clock.
const BATCH_SESSIONS: usize = 32;

/// Bytes of text that fill a model's window: about four to a token, and a
/// fifth left over so that little is cut off.
pub fn document_budget(max_tokens: usize) -> usize {
    max_tokens * 4 * 4 / 5
}

/// Embeds what `embedder` has not embedded yet, newest sessions first, until
/// all is done or `deadline` has passed; commits as it goes. Gives the number
/// of texts embedded and of sessions left.
///
/// # Errors
/// When the store or the model fails.
pub fn embed_pending(
    writer: &mut Writer,
    embedder: &dyn Embedder,
    deadline: Option<Instant>,
    progress: &dyn Progress,
) -> Result<(usize, usize), IndexError> {
    let spec = embedder.spec();
    let model = writer.add_model(&spec.fingerprint(), &spec.name, spec.dims)?;
    let pending = writer.pending(model.id)?;
    let (mut embedded, mut done) = (0, 0);
    for batch in pending.chunks(BATCH_SESSIONS) {
        if is_past(deadline) {
            break;
        }
        // Rows may have been added since: the counts must be the latest.
        let model = writer.model(&model.fingerprint)?.unwrap_or(model.clone());
        embedded += embed_batch(writer, &model, embedder, batch)?;
        done += batch.len();
        progress.at(Stage::Embedding, done as u64, pending.len() as u64);
    }
    writer.compact(&model.fingerprint)?;
    Ok((embedded, pending.len() - done))
}

type WithVectors = Vec<(Document, Option<Vec<f32>>)>;

fn embed_batch(
    writer: &mut Writer,
    model: &ModelRow,
    embedder: &dyn Embedder,
    batch: &[Pending],
) -> Result<usize, IndexError> {
    let budget = document_budget(embedder.spec().max_tokens);
    let mut sessions: Vec<WithVectors> = Vec::with_capacity(batch.len());
    for pending in batch {
        sessions.push(
            documents(writer, pending.session, budget)?
                .into_iter()
                .map(|d| (d, None))
                .collect(),
        );
    }
    let embedded = fill_missing(writer, model, embedder, &mut sessions)?;
    for (pending, documents) in batch.iter().zip(&sessions) {
        writer.put_documents(model, *pending, documents)?;
    }
    writer.commit()?;
    Ok(embedded)
}

/// Embeds the texts that the index has no vector of.
fn fill_missing(
    index: &Reader,
    model: &ModelRow,
    embedder: &dyn Embedder,
    sessions: &mut [WithVectors],
) -> Result<usize, IndexError> {
    let mut missing = Vec::new();
    for entry in sessions.iter_mut().flatten() {
        if !index.has_vector(model.id, &entry.0.text)? {
            missing.push(entry);
        }
    }
    let texts: Vec<&str> = missing.iter().map(|(d, _)| d.text.as_str()).collect();
    let vectors = embedder.embed_documents(&texts)?;
    let count = texts.len();
    for (entry, vector) in missing.iter_mut().zip(vectors.rows()) {
        entry.1 = Some(vector.to_vec());
    }
    Ok(count)
}

/// The texts that stand for a session and its turns.
fn documents(index: &Reader, session: i64, budget: usize) -> Result<Vec<Document>, IndexError> {
    let SessionContents { title, turns } = index.session_contents(session)?;
    if turns.is_empty() {
        return Ok(Vec::new()); // a session of copies is found by what it copies
    }
    let prompts = turns.iter().map(|(_, content)| content.prompt.as_str());
    let chunks = document::session_documents(title.as_deref(), prompts, budget);
    let chunks = chunks.into_iter().map(|text| Document {
        level: Level::Session,
        turn: 0,
        text,
    });
    let of_turn = |(turn, content): &(i64, TurnContent)| {
        let text = document::turn_document(content, budget)?;
        Some(Document {
            level: Level::Turn,
            turn: *turn,
            text,
        })
    };
    Ok(chunks.chain(turns.iter().filter_map(of_turn)).collect())
}
