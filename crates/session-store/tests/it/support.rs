//! An index in a folder of its own, turns by hand, vectors by text.

use rusqlite::Connection;
use session_core::{
    CallStatus, FileStamp, KnownTurns, PromptKind, Query, SessionMeta, ToolCall, Turn, TurnPart,
    TurnSpan, document,
};
use session_store::{
    Document, DocumentExtent, DocumentKind, EmbeddedDocument, FileId, ModelRow, PendingSession,
    Reader, SessionId, TurnId, Writer,
};
use std::path::Path;
use tempfile::TempDir;

pub const SOURCE: &str = "claude";
pub const DIMS: usize = 8;
/// Bytes of a document: enough for all that the tests write.
const BUDGET: usize = 1000;

/// An index that is deleted when it is dropped.
pub struct Index(TempDir);

impl Index {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn writer(&self) -> Writer {
        Writer::open(self.root()).unwrap()
    }

    pub fn reader(&self) -> Reader {
        Reader::open(self.root()).unwrap()
    }
}

/// Puts a file in the place of a directory.
pub fn replace_by_file(directory: &Path) {
    fs_err::remove_dir_all(directory).unwrap();
    fs_err::write(directory, "not ours").unwrap();
}

/// A turn with nothing but words.
pub fn turn(index: u32, prompt: &str, answers: &[&str]) -> Turn {
    Turn {
        index,
        started_ms: Some(1000 * i64::from(index)),
        span: TurnSpan {
            start: u64::from(index) * 10,
            end: u64::from(index) * 10 + 10,
        },
        kind: PromptKind::Typed,
        prompt: prompt.to_owned(),
        parts: answers.iter().map(|words| text(words)).collect(),
        ..Turn::default()
    }
}

pub fn text(words: &str) -> TurnPart {
    TurnPart::Text {
        text: words.to_owned(),
    }
}

pub fn bash(command: &str, output: &str) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "Bash".into(),
        command: Some(command.into()),
        output: Some(output.into()),
        ..ToolCall::default()
    })
}

/// A call that ran a command which failed.
pub fn failed(command: &str, output: &str) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "Bash".into(),
        command: Some(command.into()),
        output: Some(output.into()),
        status: CallStatus::Failed,
        ..ToolCall::default()
    })
}

pub fn meta(id: &str) -> SessionMeta {
    SessionMeta {
        id: id.to_owned(),
        ..SessionMeta::default()
    }
}

/// Writes a session as a source delivers it, from its beginning, in a file of
/// its own; gives its number. Not committed.
pub fn deliver(writer: &mut Writer, meta: &SessionMeta, turns: &[Turn]) -> SessionId {
    let path = format!("/h/{}.jsonl", meta.id);
    deliver_at(writer, &path, meta, turns).session
}

/// A session that was delivered, and the file that holds it.
pub struct Delivered {
    pub file: FileId,
    pub session: SessionId,
}

/// Writes a session as [`deliver`] does, in the file at a path.
pub fn deliver_at(
    writer: &mut Writer,
    path: &str,
    meta: &SessionMeta,
    turns: &[Turn],
) -> Delivered {
    let file = writer.upsert_file(SOURCE, path).unwrap();
    let session = writer
        .open_session(file, SOURCE, meta, KnownTurns::Replace)
        .unwrap();
    for turn in turns {
        writer.add_turn(session, turn).unwrap();
    }
    writer
        .checkpoint(file, "end", FileStamp::default())
        .unwrap();
    Delivered { file, session }
}

/// An index with a turn for each prompt.
pub fn filled(prompts: &[&str]) -> (Index, Reader) {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = (0..).zip(prompts);
    let turns: Vec<_> = turns.map(|(n, prompt)| turn(n, prompt, &[])).collect();
    deliver(&mut writer, &meta("a"), &turns);
    writer.commit().unwrap();
    let reader = index.reader();
    (index, reader)
}

/// Numbers of the turns that a query finds, in order.
pub fn found(index: &Reader, query: &str) -> Vec<TurnId> {
    let found = index
        .search_lexical(&Query::new(query), usize::MAX, |_| Ok(true))
        .unwrap();
    let mut turns: Vec<TurnId> = found.turns.iter().map(|hit| hit.id).collect();
    turns.sort_unstable();
    turns
}

/// Prompts of the turns that a query finds, best first.
pub fn prompts(index: &Reader, query: &str) -> Vec<String> {
    let found = index
        .search_lexical(&Query::new(query), usize::MAX, |_| Ok(true))
        .unwrap();
    let prompt = |id| index.content(id).unwrap().prompt;
    found.turns.iter().map(|hit| prompt(hit.id)).collect()
}

/// The model that the tests embed with.
pub fn model(writer: &mut Writer) -> ModelRow {
    let model = writer.add_model("f00d", "by-hash", DIMS).unwrap();
    writer.index_texts(&model).unwrap()
}

/// A row of a matrix as its session lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedRow {
    pub model: i64,
    pub level: i64,
    pub row: i64,
    pub session: i64,
    pub turn: i64,
    pub hash: i64,
}

/// The rows of all matrices as sessions list them, in order.
pub fn vector_rows(db: &Connection) -> Vec<ListedRow> {
    let mut find = db
        .prepare("SELECT model, session, entries FROM vectors")
        .unwrap();
    let mut lists = find.query([]).unwrap();
    let mut listed = Vec::new();
    while let Some(list) = lists.next().unwrap() {
        let (model, session) = (list.get(0).unwrap(), list.get(1).unwrap());
        let entries: Vec<u8> = list.get(2).unwrap();
        let mut bytes = entries.as_slice();
        while !bytes.is_empty() {
            let [place, turn] = [varint(&mut bytes), varint(&mut bytes)];
            let (hash, rest) = bytes.split_first_chunk().unwrap();
            bytes = rest;
            listed.push(ListedRow {
                model,
                level: place & 1,
                row: place >> 1,
                session,
                turn,
                hash: i64::from_le_bytes(*hash),
            });
        }
    }
    listed.sort_unstable();
    listed
}

/// A number of less than 64 bits, 7 bits a byte, the greatest first.
fn varint(bytes: &mut &[u8]) -> i64 {
    let mut number = 0;
    loop {
        let byte = *bytes.split_off_first().unwrap();
        number = number << 7 | i64::from(byte & 0x7f);
        if byte < 0x80 {
            return number;
        }
    }
}

/// Returns the kind of the matrix that holds a document's vector.
pub fn kind_of(document: &Document) -> DocumentKind {
    match document.turn {
        None => DocumentKind::Chunk,
        Some(_) => DocumentKind::Turn,
    }
}

/// A unit vector that the text alone decides; of some texts all zero, as a
/// model gives for a text in which it knows no word.
pub fn vector(text: &str) -> Vec<f32> {
    let hash = blake3::hash(text.as_bytes());
    let bytes = hash.as_bytes();
    if bytes[31].is_multiple_of(8) {
        return vec![0.0; DIMS];
    }
    let raw: Vec<f32> = bytes[..DIMS]
        .iter()
        .map(|b| f32::from(*b) - 127.5)
        .collect();
    let length = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / length).collect()
}

/// True when these are the same vector but for what 8 bits a component lose.
pub fn is_near(stored: &[f32], given: &[f32]) -> bool {
    stored.len() == given.len() && stored.iter().zip(given).all(|(a, b)| (a - b).abs() < 4e-3)
}

/// The texts that stand for a session.
pub fn documents(index: &Reader, session: SessionId) -> Vec<Document> {
    let contents = index.session_contents(session).unwrap();
    let prompts = contents
        .turns
        .iter()
        .map(|turn| turn.content.prompt.as_str());
    let chunks = document::build_session_documents(contents.title.as_deref(), prompts, BUDGET);
    let chunks = chunks.into_iter().map(|text| Document { turn: None, text });
    let turns = contents.turns.iter().filter_map(|stored| {
        let text = document::build_turn_document(&stored.content, BUDGET)?;
        Some(Document {
            turn: Some(stored.turn),
            text,
        })
    });
    chunks.chain(turns).collect()
}

/// The session of this number as it is now, made if there are not so many.
pub fn session(writer: &mut Writer, number: i64) -> PendingSession {
    let number = SessionId::new(number);
    loop {
        let all = writer.reader().unwrap().pending_sessions(&[]).unwrap();
        if let Some(found) = all.iter().find(|p| p.session == number) {
            return *found;
        }
        deliver(writer, &meta(&format!("made-{}", all.len())), &[]);
    }
}

/// True when the index holds a vector of this text.
pub fn has_vector(index: &Reader, model: &ModelRow, session: SessionId, text: &str) -> bool {
    let embedded = index.embedded_texts(model, session).unwrap();
    embedded.has(text).unwrap()
}

/// Embeds all sessions that are pending as an indexer does: first it asks for
/// all of them which vectors are there, then it puts them.
pub fn embed(writer: &mut Writer) {
    embed_by(writer, |_| 0);
}

/// Embeds all sessions that are pending, each in two slices.
pub fn embed_in_slices(writer: &mut Writer) {
    embed_by(writer, |count| count / 2);
}

/// Embeds all sessions that are pending; of so many documents the first `slice` come as a slice of their own.
fn embed_by(writer: &mut Writer, slice: impl Fn(usize) -> usize) {
    let model = model(writer);
    let index = writer.reader().unwrap();
    let pending = index.pending_sessions(&[model.id]).unwrap();
    let with_vector = |pending: &PendingSession, document: Document| {
        let known = has_vector(index, &model, pending.session, &document.text);
        EmbeddedDocument {
            vector: (!known).then(|| vector(&document.text)),
            document,
        }
    };
    let of_session = |pending: &PendingSession| {
        let documents = documents(index, pending.session).into_iter();
        documents
            .map(|document| with_vector(pending, document))
            .collect()
    };
    let all: Vec<Vec<EmbeddedDocument>> = pending.iter().map(of_session).collect();
    for (pending, documents) in pending.iter().zip(&all) {
        let (first, rest) = documents.split_at(slice(documents.len()));
        for (documents, extent) in [
            (first, DocumentExtent::Slice),
            (rest, DocumentExtent::Complete),
        ] {
            if !documents.is_empty() || extent == DocumentExtent::Complete {
                writer
                    .store_documents(&model, *pending, documents, extent)
                    .unwrap();
            }
        }
    }
}
