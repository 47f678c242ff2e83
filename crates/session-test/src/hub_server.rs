//! A fake model hub: HTTP/1.1 on loopback, with failures on demand.

use crate::http::{Request, respond, respond_without_length, serve};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A failure of one download of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadFault {
    /// The connection closes after this many bytes.
    Drop(usize),
    /// The response ends after this many bytes, without a length.
    Truncate(usize),
    /// The server sends nothing more after this many bytes, until the client is gone.
    Stall(usize),
    /// The server sends the whole file and ignores the range.
    NoRange,
    /// The server responds with this status.
    Status(u16),
    /// The server sends a chunked body without end.
    Endless,
}

/// The fault of all answers of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubFault {
    /// It states this commit.
    Commit(String),
    /// It redirects to itself, by a path or by a URL.
    RedirectLoop {
        /// Whether the target has a host.
        absolute: bool,
    },
    /// It states no ETag.
    NoEtag,
    /// It knows no ranges.
    NoRange,
    /// It states this length of each file.
    Length(u64),
    /// It responds with this status.
    Status(u16),
}

struct ServedFile {
    content: Vec<u8>,
    etag: String,
    failures: Vec<DownloadFault>,
}

#[derive(Default)]
struct HubState {
    files: BTreeMap<String, ServedFile>,
    fault: Option<HubFault>,
    /// Path, range and authorization of each request.
    requests: Vec<String>,
}

/// The server. It ends with the process.
pub struct HubServer {
    address: SocketAddr,
    state: Arc<Mutex<HubState>>,
}

impl HubServer {
    /// Starts a server with files of a repository `ann/tiny`. The ETag of each is its SHA-256,
    /// as the hub has it for large files.
    pub fn start<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Self {
        let state = Arc::new(Mutex::new(HubState::default()));
        let served = state.clone();
        let address = serve(move |request, stream| answer(&request, stream, &served));
        let server = Self { address, state };
        for (path, content) in files {
            server.serve(path, content);
        }
        server
    }

    /// Returns the address, as `HF_ENDPOINT` has it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a file with its SHA-256 as the ETag.
    pub fn serve(&self, path: &str, content: Vec<u8>) {
        let etag = sha256(&content);
        self.serve_with_etag(path, content, &etag);
    }

    /// Serves a file with this ETag.
    pub fn serve_with_etag(&self, path: &str, content: Vec<u8>, etag: &str) {
        let served = ServedFile {
            content,
            etag: etag.to_owned(),
            failures: Vec::new(),
        };
        let mut state = self.state.lock().unwrap();
        state.files.insert(path.to_owned(), served);
    }

    /// Makes the next downloads of a file fail, one after the other.
    pub fn fail_downloads(&self, path: &str, failures: &[DownloadFault]) {
        let mut state = self.state.lock().unwrap();
        state.files.get_mut(path).unwrap().failures = failures.to_vec();
    }

    /// Gives all further answers a fault, or none.
    pub fn set_fault(&self, fault: Option<HubFault>) {
        self.state.lock().unwrap().fault = fault;
    }

    /// Takes the requests since the last call.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().requests)
    }
}

/// Returns the SHA-256 in hexadecimal.
pub fn sha256(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn answer(request: &Request, stream: &mut TcpStream, state: &Mutex<HubState>) {
    let mut state = state.lock().unwrap();
    let header = |name| request.headers.get(name).map(String::as_str);
    let (path, range) = (&request.path, header("range"));
    let authorization = header("authorization").unwrap_or("-");
    let logged = format!("{path} {} {authorization}", range.unwrap_or("-"));
    state.requests.push(logged);
    let address = stream.local_addr().unwrap();
    let fault = state.fault.clone();
    match &fault {
        Some(HubFault::Status(status)) => return respond(stream, *status, "", b""),
        Some(HubFault::RedirectLoop { absolute }) => {
            let host = if *absolute {
                format!("http://{address}")
            } else {
                String::new()
            };
            let headers = format!("{}Location: {host}{path}\r\n", stated_headers("aa", &fault));
            return respond(stream, 302, &headers, b"");
        }
        _ => {}
    }
    // Like the hub, redirects to the URL of the content.
    let resolve = path.strip_prefix("/ann/tiny/resolve/main/");
    let name = resolve.or(path.strip_prefix("/cdn/")).unwrap_or("");
    let Some(file) = state.files.get_mut(name) else {
        return respond(stream, 404, "", b"");
    };
    let headers = stated_headers(&file.etag, &fault);
    if resolve.is_some() {
        let to = format!("{headers}Location: http://{address}/cdn/{name}\r\n");
        return respond(stream, 302, &to, b"");
    }
    let failure = match range {
        _ if fault == Some(HubFault::NoRange) => Some(DownloadFault::NoRange),
        Some("bytes=0-0") => None, // a request for the length
        _ if file.failures.is_empty() => None,
        _ => Some(file.failures.remove(0)),
    };
    let content = file.content.clone();
    drop(state);
    let stated = match fault {
        Some(HubFault::Length(length)) => length,
        _ => content.len() as u64,
    };
    send_content(stream, &content, stated, range, failure);
}

/// Returns the headers by which the hub states commit and ETag.
fn stated_headers(etag: &str, fault: &Option<HubFault>) -> String {
    let commit = match fault {
        Some(HubFault::Commit(commit)) => commit,
        _ => "0123456789abcdef0123456789abcdef01234567",
    };
    match fault {
        Some(HubFault::NoEtag) => format!("x-repo-commit: {commit}\r\n"),
        _ => format!("x-repo-commit: {commit}\r\nx-linked-etag: \"{etag}\"\r\n"),
    }
}

fn send_content(
    stream: &mut TcpStream,
    content: &[u8],
    stated: u64,
    range: Option<&str>,
    failure: Option<DownloadFault>,
) {
    let total = content.len();
    let (from, to) = range
        .and_then(|range| parse_range(range, total))
        .unwrap_or((0, total));
    if from >= total {
        return respond(stream, 416, "", b"");
    }
    let part = &content[from..to];
    let range_header = format!("Content-Range: bytes {from}-{}/{stated}\r\n", to - 1);
    let headers = format!("{range_header}Content-Length: {}\r\n", part.len());
    match failure {
        None => respond(stream, 206, &range_header, part),
        Some(DownloadFault::NoRange) => respond(stream, 200, "", content),
        Some(DownloadFault::Status(status)) => respond(stream, status, "Retry-After: 0\r\n", b""),
        Some(DownloadFault::Endless) => {
            let chunked = format!("{range_header}Transfer-Encoding: chunked\r\n");
            respond_without_length(stream, 206, &chunked, b"");
            let chunk = [b"10000\r\n".as_slice(), &[b'x'; 0x10000], b"\r\n"].concat();
            while stream.write_all(&chunk).is_ok() {}
        }
        Some(DownloadFault::Truncate(n)) => {
            respond_without_length(stream, 206, &range_header, &part[..n.min(part.len())]);
        }
        Some(DownloadFault::Drop(n)) => {
            respond_without_length(stream, 206, &headers, &part[..n.min(part.len())]);
        }
        Some(DownloadFault::Stall(n)) => {
            respond_without_length(stream, 206, &headers, &part[..n.min(part.len())]);
            // A client without a timeout gets another error.
            stream
                .set_read_timeout(Some(Duration::from_secs(60)))
                .unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
}

/// Parses `bytes=3-` or `bytes=0-0` into offsets, with the end exclusive.
fn parse_range(range: &str, total: usize) -> Option<(usize, usize)> {
    let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
    let to = to.parse().map_or(total, |last: usize| last + 1);
    Some((from.parse().ok()?, to.min(total)))
}
