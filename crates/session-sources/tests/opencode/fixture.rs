//! Conversations written by hand, and the two forms they are stored in.

use fs_err as fs;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use session_core::{PromptKind, ReadDetail, Turn, TurnPart};
use session_sources::{
    CollectingSink, Cursor, Env, IndexedSpan, Location, Sink, Source, find_source,
};
use session_test::opencode::SCHEMA;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The source under test.
pub fn opencode() -> &'static dyn Source {
    find_source("opencode").unwrap()
}

/// A session to be stored.
#[derive(Clone)]
pub struct Conversation {
    pub id: String,
    pub parent: Option<String>,
    pub title: String,
    pub directory: String,
    pub messages: Vec<Message>,
}

/// A message to be stored: the nth of a session is made n seconds after 1970.
#[derive(Clone)]
pub struct Message {
    pub data: Value,
    pub parts: Vec<Value>,
}

pub fn session(id: &str, messages: Vec<Message>) -> Conversation {
    Conversation {
        id: id.to_owned(),
        parent: None,
        title: "A port in use".to_owned(),
        directory: "/home/ann/app".to_owned(),
        messages,
    }
}

pub fn user(parts: Vec<Value>) -> Message {
    Message {
        data: json!({"role": "user", "summary": {"diffs": []}}),
        parts,
    }
}

pub fn assistant(parts: Vec<Value>) -> Message {
    Message {
        data: json!({"role": "assistant"}),
        parts,
    }
}

impl Message {
    /// Adds to the message's own data.
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.data[key] = value;
        self
    }
}

pub fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

pub fn tool(name: &str, state: Value) -> Value {
    json!({"type": "tool", "tool": name, "callID": "call_1", "state": state})
}

pub fn bash(command: &str, output: &str, exit: i64) -> Value {
    let metadata = json!({"output": output, "exit": exit});
    let input = json!({"command": command});
    tool(
        "bash",
        json!({"status": "completed", "input": input, "output": output, "metadata": metadata}),
    )
}

impl Conversation {
    fn id_of(&self, ordinal: usize) -> String {
        format!("msg_{}_{ordinal:02}", self.id.trim_start_matches("ses_"))
    }

    /// The messages with ids, times and data.
    fn stored(&self) -> impl Iterator<Item = (String, i64, Value, &[Value])> {
        self.messages.iter().enumerate().map(|(ordinal, message)| {
            let created = 1000 * (i64::try_from(ordinal).unwrap() + 1);
            let mut data = message.data.clone();
            data["time"] = json!({"created": created, "completed": created + 500});
            (self.id_of(ordinal), created, data, message.parts.as_slice())
        })
    }
}

/// A home folder with OpenCode's data folder in it.
pub struct Home(pub TempDir);

impl Home {
    pub fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.data()).unwrap();
        home
    }

    pub fn data(&self) -> PathBuf {
        self.0.path().join(".local/share/opencode")
    }

    pub fn database(&self) -> PathBuf {
        self.data().join("opencode.db")
    }

    pub fn tree(&self) -> PathBuf {
        self.data().join("storage")
    }

    pub fn env(&self) -> Env {
        Env::with_home(self.0.path())
    }

    /// A writing connection in WAL mode, the tables made.
    pub fn connect(&self) -> Connection {
        connect(&self.database())
    }

    pub fn write_tree(&self, conversation: &Conversation) {
        let put = |path: String, value: &Value| {
            let path = self.tree().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, value.to_string()).unwrap();
        };
        let Conversation {
            id,
            parent,
            title,
            directory,
            ..
        } = conversation;
        put(
            format!("session/prj/{id}.json"),
            &json!({"id": "ses_else", "parentID": parent, "title": title, "directory": directory,
                "time": {"created": 1, "updated": 1}}),
        );
        for (message, _, data, parts) in conversation.stored() {
            put(format!("message/{id}/{message}.json"), &data);
            for (n, part) in parts.iter().enumerate() {
                put(format!("part/{message}/prt_{n:02}.json"), part);
            }
        }
    }
}

/// Sets the times of a directory and of all below it to 1970: what is written from now on is newer.
pub fn age(path: &Path) {
    session_test::files::set_tree_modified(path, std::time::UNIX_EPOCH);
}

pub fn connect(path: &Path) -> Connection {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "journal_mode", "wal").unwrap();
    db.pragma_update(None, "synchronous", "off").unwrap();
    db.execute_batch(SCHEMA).unwrap();
    db
}

/// Writes a session with its messages and parts.
pub fn insert(db: &Connection, conversation: &Conversation) {
    let Conversation {
        id,
        parent,
        title,
        directory,
        ..
    } = conversation;
    db.execute(
        "INSERT INTO session VALUES (?1, 'prj', ?2, ?3, ?4, 1, 1)",
        params![id, parent, directory, title],
    )
    .unwrap();
    for (message, created, data, parts) in conversation.stored() {
        insert_message(db, id, &message, created, &data.to_string());
        for (n, part) in parts.iter().enumerate() {
            insert_part(
                db,
                &message,
                &format!("{message}_prt_{n:02}"),
                created,
                &part.to_string(),
            );
        }
    }
}

pub fn insert_message(db: &Connection, session: &str, id: &str, time: i64, data: &str) {
    db.execute(
        "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
        params![id, session, time, data],
    )
    .unwrap();
}

/// Makes the table of OpenCode's second storage.
pub fn add_second_storage(db: &Connection) {
    db.execute_batch(
        "CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL,
            seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL)",
    )
    .unwrap();
}

/// Writes a message of the second storage, made at `time` milliseconds.
pub fn insert_second(
    db: &Connection,
    session: &str,
    seq: i64,
    time: i64,
    kind: &str,
    data: &Value,
) {
    db.execute(
        "INSERT INTO session_message VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)",
        params![
            format!("msg_v2_{seq:04}"),
            session,
            kind,
            seq,
            time,
            data.to_string()
        ],
    )
    .unwrap();
}

pub fn insert_part(db: &Connection, message: &str, id: &str, time: i64, data: &str) {
    db.execute(
        "INSERT INTO part SELECT ?1, id, session_id, ?3, ?3, ?4 FROM message WHERE id = ?2",
        params![id, message, time, data],
    )
    .unwrap();
}

/// The location of a path, as `locate` would give it.
pub fn location(path: &Path) -> Location {
    Location {
        path: path.to_owned(),
        stamp: Default::default(),
        path_session: Default::default(),
        continuations: Vec::new(),
    }
}

pub fn read(path: &Path) -> CollectingSink {
    let mut found = CollectingSink::default();
    opencode().read(&location(path), None, &mut found);
    found
}

/// Reads on from a cursor.
pub fn read_from(path: &Path, cursor: Option<&Cursor>, sink: &mut dyn Sink) {
    opencode().read(&location(path), cursor, sink);
}

/// Reads every turn again in full.
pub fn show(path: &Path, found: &CollectingSink) -> Vec<Turn> {
    let mut turns = Vec::new();
    for session in &found.sessions {
        let mine = found
            .turns
            .iter()
            .filter(|collected| collected.session == session.id);
        let spans: Vec<_> = mine
            .map(|collected| IndexedSpan::from(&collected.turn))
            .collect();
        turns.extend(opencode().show(path, session, &spans).turns);
    }
    turns
}

/// Returns the turns of a session as they are indexed or shown, which must not depend on
/// the form that it is stored in.
pub fn turns(conversation: &Conversation, detail: ReadDetail) -> String {
    let home = Home::new();
    insert(&home.connect(), conversation);
    home.write_tree(conversation);
    let in_database = turns_at(&home.database(), detail);
    // A session that is in both places is left out of the tree.
    fs::remove_file(home.database()).unwrap();
    assert_eq!(turns_at(&home.tree(), detail), in_database);
    in_database
}

fn turns_at(path: &Path, detail: ReadDetail) -> String {
    let found = read(path);
    assert_eq!(found.warnings, []);
    let turns = match detail {
        ReadDetail::Index => found
            .turns
            .into_iter()
            .map(|collected| collected.turn)
            .collect(),
        ReadDetail::Full => show(path, &found),
    };
    render(&turns)
}

/// A turn's prompt and parts on a line each.
pub fn render(turns: &[Turn]) -> String {
    turns.iter().map(render_turn).collect::<Vec<_>>().join("\n")
}

fn render_turn(turn: &Turn) -> String {
    let kind = match turn.kind {
        PromptKind::Typed => "typed",
        PromptKind::Command => "command",
        PromptKind::Model => "model",
        PromptKind::None => "none",
    };
    let mut lines = vec![format!("{} {kind}: {}", turn.index, turn.prompt)];
    lines.extend(
        turn.parts
            .iter()
            .map(|part| format!("  {}", render_part(part))),
    );
    lines.join("\n")
}

pub fn render_part(part: &TurnPart) -> String {
    match part {
        TurnPart::Text { text } => format!("text: {text}"),
        TurnPart::Thinking { text } => format!("thinking: {text}"),
        TurnPart::Notice { text } => format!("notice: {text}"),
        TurnPart::Error { text } => format!("error: {text}"),
        TurnPart::Recap { text } => format!("recap: {text}"),
        TurnPart::Summary { text } => format!("summary: {text}"),
        TurnPart::Call(call) => serde_json::to_string(call).unwrap(),
    }
}
