//! A stand-in for an OpenAI-compatible endpoint: HTTP/1.1 on loopback.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What is asked: the number of the request, the key, the texts.
#[derive(Debug, Clone)]
pub struct Asked {
    pub number: usize,
    pub key: Option<String>,
    pub path: String,
    pub model: String,
    pub texts: Vec<String>,
}

/// What is answered: status, header lines, body. No answer closes the connection.
pub type Answer = Option<(u16, String, String)>;

/// The server; it ends with the process.
pub struct Endpoint {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Endpoint {
    pub fn answering(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (asked.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (log.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Self { address, asked }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What was asked since the last time.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Answer) {
    let Some(mut asked) = read(&stream) else {
        return;
    };
    {
        let mut log = log.lock().unwrap();
        asked.number = log.len();
        log.push(asked.clone());
    }
    let Some((status, headers, body)) = answer(&asked) else {
        return;
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let (mut length, mut key) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => key = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).ok()?;
    let texts = body["input"].as_array()?.iter();
    Some(Asked {
        number: 0,
        key,
        path: first.split(' ').nth(1)?.to_owned(),
        model: body["model"].as_str()?.to_owned(),
        texts: texts
            .map(|text| text.as_str().unwrap().to_owned())
            .collect(),
    })
}

/// A vector that tells its text: of its length and its first letter.
pub fn vector(text: &str) -> Vec<f32> {
    let first = f32::from(text.as_bytes().first().copied().unwrap_or_default());
    vec![text.len() as f32, first, 1.0]
}

/// The right answer, its rows in the reverse order: only `index` tells.
pub fn good(asked: &Asked) -> Answer {
    let rows = asked.texts.iter().enumerate().rev();
    let rows = rows.map(|(index, text)| json!({"index": index, "embedding": vector(text)}));
    Some(said(
        &json!({"object": "list", "data": rows.collect::<Vec<_>>()}),
    ))
}

pub fn said(body: &Value) -> (u16, String, String) {
    (200, String::new(), body.to_string())
}

pub fn status(status: u16, headers: &str) -> Answer {
    Some((status, headers.to_owned(), "{}".to_owned()))
}
