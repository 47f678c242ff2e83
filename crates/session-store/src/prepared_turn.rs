//! The parts of a turn that the index stores, made before the writer has it.

use crate::error::Result;
use crate::frames::frame::content_json;
use crate::turn_keys::TurnHashes;
use crate::word_index::{SharedTerms, TurnWords, WordTokenizer};
use crate::word_search::lexical;
use session_core::{ErrorSignature, Turn, TurnContent};

/// A turn with what is stored of it.
///
/// The writer only borrows it: to free what another thread allocated takes a lock, for which both wait.
pub struct PreparedTurn {
    pub(crate) turn: Turn,
    /// None where the turn [continues](Turn::continues) one: its content is that of both.
    pub(crate) forms: Option<StoredForms>,
}

/// Bytes of a part of a turn, about.
const BYTES_OF_PART: usize = 4096;

/// The forms in which a turn is stored.
pub(crate) struct StoredForms {
    /// The content as a frame holds it.
    pub(crate) json: Vec<u8>,
    pub(crate) hashes: TurnHashes,
    pub(crate) words: PreparedWords,
}

/// The words and error signatures of a turn, as they are indexed.
pub(crate) struct PreparedWords {
    /// Without a title.
    pub(crate) words: TurnWords,
    /// The signatures of its errors.
    pub(crate) signatures: Vec<ErrorSignature>,
}

impl PreparedTurn {
    /// Returns true for an excluded turn, which keeps only its index.
    pub fn is_excluded(&self) -> bool {
        self.turn.span.start >= self.turn.span.end
    }

    /// Returns when the turn began, in milliseconds since 1970, UTC.
    pub fn started_ms(&self) -> Option<i64> {
        self.turn.started_ms
    }

    /// Returns the bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        match &self.forms {
            Some(forms) => self.turn.prompt.len() + forms.json.len() + forms.words.words.bytes(),
            None => self.turn.parts.len() * BYTES_OF_PART,
        }
    }
}

/// Prepares turns for [`Writer::add_prepared_turn`](crate::Writer::add_prepared_turn). Each thread has its own.
pub struct TurnPreparer {
    terms: SharedTerms,
    tokenizer: Option<WordTokenizer>,
}

impl Clone for TurnPreparer {
    fn clone(&self) -> Self {
        Self::new(&self.terms)
    }
}

impl TurnPreparer {
    pub(crate) fn new(terms: &SharedTerms) -> Self {
        Self {
            terms: terms.clone(),
            tokenizer: None,
        }
    }

    /// Makes what is stored of a turn with this content; without one the turn [continues](Turn::continues) another.
    ///
    /// # Errors
    /// When FTS5's tokenizer cannot be made.
    pub fn prepare(&mut self, turn: Turn, content: Option<&TurnContent>) -> Result<PreparedTurn> {
        let forms = content.map(|content| self.forms(&turn, content));
        let mut prepared = PreparedTurn {
            turn,
            forms: forms.transpose()?,
        };
        if prepared.forms.is_some() {
            prepared.turn.parts = Vec::new();
        }
        Ok(prepared)
    }

    fn forms(&mut self, turn: &Turn, content: &TurnContent) -> Result<StoredForms> {
        let tokenizer = match &mut self.tokenizer {
            Some(tokenizer) => tokenizer,
            none => none.insert(WordTokenizer::new(&self.terms)?),
        };
        let words = TurnWords::new(tokenizer, &lexical::indexed_texts(content, ""))?;
        Ok(StoredForms {
            json: content_json(content)?,
            hashes: TurnHashes::from_turn(turn),
            words: PreparedWords {
                words,
                signatures: content.failure_signatures(),
            },
        })
    }
}
