//! A fake OpenAI-compatible endpoint: HTTP/1.1 on loopback.

use crate::http::{Request, respond, serve};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

/// A request that the server has read.
#[derive(Debug, Clone)]
pub struct EmbeddingsRequest {
    /// Counts from 0.
    pub number: usize,
    /// The `Authorization` header.
    pub key: Option<String>,
    /// The path of the URL.
    pub path: String,
    /// The name of the model.
    pub model: String,
    /// The texts to embed.
    pub texts: Vec<String>,
}

/// A response. `None` closes the connection without one.
pub type EndpointReply = Option<EndpointResponse>;

/// A response of the server.
pub struct EndpointResponse {
    /// The HTTP status.
    pub status: u16,
    /// Header lines, each with its line end.
    pub headers: String,
    /// The body.
    pub body: String,
}

/// The server. It ends with the process.
pub struct EndpointServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<EmbeddingsRequest>>>,
}

impl EndpointServer {
    /// Starts a server that replies with `reply`.
    pub fn start(
        reply: impl Fn(&EmbeddingsRequest) -> EndpointReply + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = requests.clone();
        let address = serve(move |request, stream| answer(&request, stream, &log, &reply));
        Self { address, requests }
    }

    /// Returns the URL of its API.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Takes the requests since the last call.
    pub fn take_requests(&self) -> Vec<EmbeddingsRequest> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn answer(
    request: &Request,
    stream: &mut TcpStream,
    log: &Mutex<Vec<EmbeddingsRequest>>,
    reply: impl Fn(&EmbeddingsRequest) -> EndpointReply,
) {
    let Some(mut request) = read_embeddings_request(request) else {
        return;
    };
    {
        let mut log = log.lock().unwrap();
        request.number = log.len();
        log.push(request.clone());
    }
    if let Some(response) = reply(&request) {
        let EndpointResponse {
            status,
            headers,
            body,
        } = response;
        respond(stream, status, &headers, body.as_bytes());
    }
}

fn read_embeddings_request(request: &Request) -> Option<EmbeddingsRequest> {
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    let texts = body["input"].as_array()?.iter();
    Some(EmbeddingsRequest {
        number: 0,
        key: request.headers.get("authorization").cloned(),
        path: request.path.clone(),
        model: body["model"].as_str()?.to_owned(),
        texts: texts
            .map(|text| text.as_str().unwrap().to_owned())
            .collect(),
    })
}

/// Returns a vector that identifies its text: its length, its first byte, 1.
pub fn vector(text: &str) -> Vec<f32> {
    let first = f32::from(text.as_bytes().first().copied().unwrap_or_default());
    vec![text.len() as f32, first, 1.0]
}

/// Replies with the right vectors in reverse order, so that only `index` gives the order.
pub fn reply_with_vectors(request: &EmbeddingsRequest) -> EndpointReply {
    let rows = request.texts.iter().enumerate().rev();
    let rows = rows.map(|(index, text)| json!({"index": index, "embedding": vector(text)}));
    reply_with_json(&json!({"object": "list", "data": rows.collect::<Vec<_>>()}))
}

/// Replies with a JSON body.
pub fn reply_with_json(body: &Value) -> EndpointReply {
    reply_with_body(&body.to_string())
}

/// Replies with this body.
pub fn reply_with_body(body: &str) -> EndpointReply {
    Some(EndpointResponse {
        status: 200,
        headers: String::new(),
        body: body.to_owned(),
    })
}

/// Replies with a status, header lines and an empty object.
pub fn reply_with_status(status: u16, headers: &str) -> EndpointReply {
    Some(EndpointResponse {
        status,
        headers: headers.to_owned(),
        body: "{}".to_owned(),
    })
}
