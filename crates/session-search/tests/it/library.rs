//! An index written session by session.

use proptest::prelude::*;
use session_core::{CosineScale, FileStamp, KnownTurns, PromptKind, SessionMeta, Turn, TurnSpan};
use session_search::{
    QueryEmbedding, SearchHit, SearchRequest, SearchResults, TextCosines, search,
};
use session_store::{Document, DocumentExtent, EmbeddedDocument, Reader, SessionId, Writer};
use std::sync::Arc;
use tempfile::TempDir;

pub const DIMS: usize = 130;
pub type Vector = [f32; DIMS];

/// Cosines up to 0.25 mean nothing, from 0.75 on all; a word of the query
/// raises both by 1/32. Usually they lie about 0, an eighth to either side.
pub const SCALE: CosineScale = CosineScale {
    unrelated: 0.25,
    related: 0.75,
    per_word: 0.03125,
    mean: 0.0,
    deviation: 0.125,
    weight: 0.25,
};

/// A vector with this cosine to [`QUERY`]: no component is greater than the cosine, which is stored exactly then.
pub fn cosine(cosine: f32) -> Vector {
    let mut vector = [0.0; DIMS];
    vector[1..DIMS - 1].fill(((1.0 - cosine * cosine) / (DIMS - 2) as f32).sqrt());
    vector[0] = cosine;
    vector
}

pub const QUERY: Vector = axis(0);

/// A query that is as far from each vector of [`cosine`].
pub const FAR: Vector = axis(DIMS - 1);

const fn axis(at: usize) -> Vector {
    let mut vector = [0.0; DIMS];
    vector[at] = 1.0;
    vector
}

/// Any direction in the first four components.
pub fn vector() -> impl Strategy<Value = Vector> {
    prop::array::uniform4(-1.0f32..1.0).prop_map(|parts| {
        let length = parts.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
        let mut vector = [0.0; DIMS];
        vector[..4].copy_from_slice(&parts.map(|x| x / length));
        vector
    })
}

/// An index that is deleted when it is dropped.
pub struct Library {
    folder: TempDir,
    writer: Writer,
}

/// A turn, and its vector if it has one.
pub type Told = (Turn, Option<Vector>);

impl Library {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::open(folder.path()).unwrap();
        Self { folder, writer }
    }

    /// Adds a session; `chunk` is the vector of all that its user said.
    pub fn add(
        &mut self,
        source: &'static str,
        meta: &SessionMeta,
        turns: &[Told],
        chunk: Option<Vector>,
    ) -> SessionId {
        let path = format!("/h/{}/{}", source, meta.id);
        let file = self.writer.upsert_file(source, &path).unwrap();
        let session = self
            .writer
            .open_session(file, source, meta, KnownTurns::Replace)
            .unwrap();
        for (turn, _) in turns {
            self.writer.add_turn(session, turn).unwrap();
        }
        self.writer
            .checkpoint(file, "", FileStamp::default())
            .unwrap();
        self.embed("f00d", session, turns, chunk);
        session
    }

    /// Adds sessions that have nothing to do with what is asked.
    pub fn say_others(&mut self) {
        for n in 0..9 {
            let id = format!("other{n}");
            self.say(&id, &[("Paint the gate.", Some(cosine(0.2)))]);
        }
    }

    /// Adds a session of Claude Code with turns that are nothing but words.
    pub fn say(&mut self, id: &str, prompts: &[(&str, Option<Vector>)]) -> SessionId {
        let turns: Vec<Told> = (0u32..)
            .zip(prompts)
            .map(|(n, (words, vector))| (turn(n, words), *vector))
            .collect();
        self.add("claude", &meta(id), &turns, None)
    }

    /// The vectors of a session by the model of this fingerprint.
    pub fn embed(
        &mut self,
        model: &str,
        session: SessionId,
        turns: &[Told],
        chunk: Option<Vector>,
    ) {
        let rows = self.writer.reader().unwrap().turns(session).unwrap();
        let of_turn = rows.iter().zip(turns).filter_map(|(row, (turn, vector))| {
            let text = format!("{session} {}", turn.prompt);
            Some((Some(row.id), text, (*vector)?))
        });
        let of_session = chunk.map(|v| (None, format!("{session}"), v));
        let documents: Vec<_> = of_turn
            .chain(of_session)
            .map(|(turn, text, v)| EmbeddedDocument {
                document: Document { turn, text },
                vector: Some(v.to_vec()),
            })
            .collect();
        let model = self.writer.add_model(model, model, DIMS).unwrap();
        let all = self.writer.reader().unwrap().pending_sessions(&[]).unwrap();
        let pending = all.into_iter().find(|p| p.session == session).unwrap();
        self.writer
            .store_documents(&model, pending, &documents, DocumentExtent::Complete)
            .unwrap();
        self.writer.commit().unwrap();
    }

    /// The history of a session is no longer on disk.
    pub fn lose(&mut self, session: SessionId) {
        let sessions = self.writer.reader().unwrap().sessions().unwrap();
        let row = sessions.iter().find(|s| s.id == session).unwrap();
        self.writer.mark_file_gone(row.file).unwrap();
        self.writer.commit().unwrap();
    }

    pub fn reader(&self) -> Reader {
        Reader::open(self.folder.path()).unwrap()
    }

    pub fn search(&self, request: &SearchRequest, vector: Option<Vector>) -> SearchResults {
        let models = [("f00d", SCALE)];
        self.search_with(
            request,
            vector.unwrap_or(QUERY),
            &models[..usize::from(vector.is_some())],
        )
    }

    /// A search by several models, the best first, all of which see the query alike.
    pub fn search_with(
        &self,
        request: &SearchRequest,
        vector: Vector,
        models: &[(&str, CosineScale)],
    ) -> SearchResults {
        self.search_read(request, vector, models, 1.0)
    }

    /// A search by models that read such a share of the query.
    pub fn search_read(
        &self,
        request: &SearchRequest,
        vector: Vector,
        models: &[(&str, CosineScale)],
        readable_letter_share: f32,
    ) -> SearchResults {
        let index = self.reader();
        let dense = |(fingerprint, scale): &(&str, CosineScale)| QueryEmbedding {
            readable_letter_share,
            scale: *scale,
            ..embedding(&index, fingerprint, vector)
        };
        let dense: Vec<QueryEmbedding> = models.iter().map(dense).collect();
        let sessions = index.sessions().unwrap();
        search(&index, &sessions, request, &dense).unwrap()
    }

    /// A search by a model that knows no word of the query whole.
    pub fn search_by_pieces(&self, request: &SearchRequest, vector: Vector) -> SearchResults {
        let index = self.reader();
        let by_pieces = QueryEmbedding {
            known_word_share: 0.0,
            ..embedding(&index, "f00d", vector)
        };
        let sessions = index.sessions().unwrap();
        search(&index, &sessions, request, &[by_pieces]).unwrap()
    }

    /// A search by one model that can compute cosines anew.
    pub fn search_precise(
        &self,
        request: &SearchRequest,
        vector: Vector,
        precise: &Arc<impl TextCosines + 'static>,
    ) -> SearchResults {
        self.search_precise_with(request, vector, precise, &[])
    }

    /// The same with other models beside it.
    pub fn search_precise_with(
        &self,
        request: &SearchRequest,
        vector: Vector,
        precise: &Arc<impl TextCosines + 'static>,
        others: &[&str],
    ) -> SearchResults {
        let index = self.reader();
        let precise = QueryEmbedding {
            text_cosines: Some(Arc::clone(precise) as Arc<dyn TextCosines>),
            ..embedding(&index, "f00d", vector)
        };
        let others = others.iter().map(|other| embedding(&index, other, vector));
        let dense: Vec<_> = std::iter::once(precise).chain(others).collect();
        let sessions = index.sessions().unwrap();
        search(&index, &sessions, request, &dense).unwrap()
    }
}

/// A query as a model that reads all of it embeds it.
fn embedding(index: &Reader, fingerprint: &str, vector: Vector) -> QueryEmbedding {
    QueryEmbedding {
        model: index.model(fingerprint).unwrap().unwrap(),
        vector: vector.to_vec(),
        known_word_share: 1.0,
        readable_letter_share: 1.0,
        scale: SCALE,
        text_cosines: None,
    }
}

pub fn meta(id: &str) -> SessionMeta {
    SessionMeta {
        id: id.to_owned(),
        ..SessionMeta::default()
    }
}

pub fn turn(index: u32, prompt: &str) -> Turn {
    Turn {
        index,
        kind: PromptKind::Typed,
        prompt: prompt.to_owned(),
        span: TurnSpan { start: 0, end: 1 },
        ..Turn::default()
    }
}

/// Session and position of a hit's turn.
pub fn place(hit: &SearchHit) -> (&str, Option<u32>) {
    (&hit.session.uid, hit.turn.as_ref().map(|t| t.index))
}

pub fn ids(results: &SearchResults) -> Vec<&str> {
    results
        .hits
        .iter()
        .map(|h| h.session.uid.as_str())
        .collect()
}
