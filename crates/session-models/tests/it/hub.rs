//! A stand-in for the model hub: HTTP/1.1 on loopback, with troubles on request.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What goes wrong with the content of a file, as often as it is said to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The connection closes after so many bytes.
    Drop(usize),
    /// The answer ends after so many bytes, as if that were all.
    Truncate(usize),
    /// Nothing comes any more after so many bytes.
    Stall(usize),
    /// The whole file comes, whatever range was asked for.
    NoRange,
    /// Another status.
    Status(u16),
}

struct Served {
    content: Vec<u8>,
    etag: String,
    troubles: Vec<Trouble>,
}

#[derive(Default)]
struct State {
    files: BTreeMap<String, Served>,
    /// Of each request: path, range, authorization.
    asked: Vec<String>,
}

/// The server; it ends with the process.
pub struct StandIn {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl StandIn {
    /// Serves files of a repository `ann/tiny`. Each is named by its SHA-256, as
    /// large files are.
    pub fn serving<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let served = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = served.clone();
                std::thread::spawn(move || answer(stream, address, &state));
            }
        });
        let server = Self { address, state };
        for (path, content) in files {
            server.serve(path, content);
        }
        server
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn serve(&self, path: &str, content: Vec<u8>) {
        let etag = sha256(&content);
        self.serve_as(path, content, &etag);
    }

    /// Serves a file that the hub states this digest for.
    pub fn serve_as(&self, path: &str, content: Vec<u8>, etag: &str) {
        let served = Served {
            content,
            etag: etag.to_owned(),
            troubles: Vec::new(),
        };
        let mut state = self.state.lock().unwrap();
        state.files.insert(path.to_owned(), served);
    }

    /// The next downloads of a file go wrong like this, one after the other.
    pub fn trouble(&self, path: &str, troubles: &[Trouble]) {
        let mut state = self.state.lock().unwrap();
        state.files.get_mut(path).unwrap().troubles = troubles.to_vec();
    }

    /// What was asked since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }
}

pub fn sha256(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Path, range and authorization of a request.
fn request(stream: &TcpStream) -> Option<(String, Option<String>, Option<String>)> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let (mut range, mut token) = (None, None);
    for line in lines.take_while(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "range" => range = Some(value.trim().to_owned()),
            "authorization" => token = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    Some((path, range, token))
}

fn answer(mut stream: TcpStream, address: SocketAddr, state: &Mutex<State>) {
    let Some((path, range, token)) = request(&stream) else {
        return;
    };
    let mut state = state.lock().unwrap();
    let said = format!(
        "{path} {} {}",
        range.as_deref().unwrap_or("-"),
        token.as_deref().unwrap_or("-")
    );
    state.asked.push(said);
    // As the hub does: a page of its own that leads to where the bytes are.
    let resolve = path.strip_prefix("/ann/tiny/resolve/main/");
    let name = resolve.or(path.strip_prefix("/cdn/")).unwrap_or("");
    let Some(file) = state.files.get_mut(name) else {
        return send(&mut stream, 404, "", b"");
    };
    let headers = format!(
        "x-repo-commit: 0123456789abcdef0123456789abcdef01234567\r\nx-linked-etag: \"{}\"\r\n",
        file.etag
    );
    if resolve.is_some() {
        let to = format!("{headers}Location: http://{address}/cdn/{name}\r\n");
        return send(&mut stream, 302, &to, b"");
    }
    let trouble = match range.as_deref() {
        Some("bytes=0-0") => None, // a question for its length
        _ if file.troubles.is_empty() => None,
        _ => Some(file.troubles.remove(0)),
    };
    let content = file.content.clone();
    drop(state);
    content_of(&mut stream, &content, range.as_deref(), trouble);
}

fn content_of(
    stream: &mut TcpStream,
    content: &[u8],
    range: Option<&str>,
    trouble: Option<Trouble>,
) {
    let total = content.len();
    let (from, to) = range
        .and_then(|range| parsed(range, total))
        .unwrap_or((0, total));
    if from >= total {
        return send(stream, 416, "", b"");
    }
    let part = &content[from..to];
    let whole = format!("Content-Range: bytes {from}-{}/{total}\r\n", to - 1);
    let lengthy = format!("{whole}Content-Length: {}\r\n", part.len());
    match trouble {
        None => send(stream, 206, &whole, part),
        Some(Trouble::NoRange) => send(stream, 200, "", content),
        Some(Trouble::Status(status)) => send(stream, status, "Retry-After: 0\r\n", b""),
        Some(Trouble::Truncate(n)) => {
            raw(stream, 206, &whole, &part[..n.min(part.len())]);
        }
        Some(Trouble::Drop(n)) => {
            raw(stream, 206, &lengthy, &part[..n.min(part.len())]);
        }
        Some(Trouble::Stall(n)) => {
            raw(stream, 206, &lengthy, &part[..n.min(part.len())]);
            std::thread::sleep(Duration::from_secs(60));
        }
    }
}

/// `bytes=3-` or `bytes=0-0`, the end exclusive.
fn parsed(range: &str, total: usize) -> Option<(usize, usize)> {
    let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
    let to = to.parse().map_or(total, |last: usize| last + 1);
    Some((from.parse().ok()?, to.min(total)))
}

fn send(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) {
    let headers = format!("{headers}Content-Length: {}\r\n", body.len());
    raw(stream, status, &headers, body);
}

fn raw(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status} Said\r\nConnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
    let _ = stream.flush();
}
