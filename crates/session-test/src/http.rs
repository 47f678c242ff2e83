//! HTTP/1.1 on loopback, for the fake servers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// A request that was read.
pub(crate) struct Request {
    /// The path of the URL.
    pub(crate) path: String,
    /// The values of the headers by their names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// Handles each request on a thread of its own, until the process ends; returns the address. A connection that the
/// handler writes nothing to is closed without a response.
pub(crate) fn serve(
    handle: impl Fn(Request, &mut TcpStream) + Send + Sync + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let handle = Arc::new(handle);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let handle = handle.clone();
            std::thread::spawn(move || {
                if let Some(request) = read_request(&stream) {
                    handle(request, &mut stream);
                }
            });
        }
    });
    address
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length");
    let mut body = vec![0; length.map_or(Some(0), |length| length.parse().ok())?];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        path: first.split(' ').nth(1)?.to_owned(),
        headers,
        body,
    })
}

/// Writes a response. `headers` are lines, each with its line end.
pub(crate) fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) {
    let headers = format!("{headers}Content-Length: {}\r\n", body.len());
    respond_without_length(stream, status, &headers, body);
}

/// Writes a response whose headers have the length of the body, or another one, or none.
pub(crate) fn respond_without_length(
    stream: &mut TcpStream,
    status: u16,
    headers: &str,
    body: &[u8],
) {
    let head = format!("HTTP/1.1 {status} Status\r\nConnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
    let _ = stream.flush();
}
