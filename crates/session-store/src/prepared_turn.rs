//! The parts of a turn that the index stores, made before the writer has it.

use crate::error::Result;
use crate::frame::content_json;
use crate::lexical;
use crate::turn_keys::TurnHashes;
use crate::word_index::{SharedTerms, TurnWords, WordTokenizer};
use session_core::{Turn, TurnContent};

/// A turn with what is stored of it.
pub struct PreparedTurn {
    pub(crate) turn: Turn,
    /// None where the turn [continues](Turn::continues) one: its content is that of both.
    pub(crate) forms: Option<StoredForms>,
}

/// Bytes of a part of a turn, about.
const BYTES_OF_PART: usize = 4096;

/// The forms in which a turn is stored.
pub(crate) struct StoredForms {
    pub(crate) content: TurnContent,
    /// The content as a frame holds it.
    pub(crate) json: Vec<u8>,
    /// Its words, without a title.
    pub(crate) words: TurnWords,
    pub(crate) hashes: TurnHashes,
}

impl PreparedTurn {
    /// Returns the turn, whose parts are in its content where that was made.
    pub fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Returns its content; `None` where it [continues](Turn::continues) a turn.
    pub fn content(&self) -> Option<&TurnContent> {
        self.forms.as_ref().map(|forms| &forms.content)
    }

    /// Returns the bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        match &self.forms {
            Some(forms) => 2 * forms.json.len() + forms.words.bytes(),
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

    /// Makes what is stored of a turn.
    ///
    /// # Errors
    /// When FTS5's tokenizer cannot be made.
    pub fn prepare(&mut self, mut turn: Turn) -> Result<PreparedTurn> {
        if turn.continues {
            return Ok(PreparedTurn { turn, forms: None });
        }
        let content = TurnContent::from_turn(&turn);
        turn.parts = Vec::new();
        let tokenizer = match &mut self.tokenizer {
            Some(tokenizer) => tokenizer,
            none => none.insert(WordTokenizer::new(&self.terms)?),
        };
        let words = TurnWords::new(tokenizer, &lexical::indexed_texts(&content, ""))?;
        let forms = StoredForms {
            json: content_json(&content)?,
            words,
            hashes: TurnHashes::from_turn(&turn),
            content,
        };
        Ok(PreparedTurn {
            turn,
            forms: Some(forms),
        })
    }
}
