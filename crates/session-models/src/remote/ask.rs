//! A request to an endpoint, its answer, and when to ask again.

use crate::remote::Endpoint;
use serde::{Deserialize, Serialize};
use session_embed::EmbedError;
use std::time::Duration;
use ureq::Agent;
use ureq::http::Response;

/// How long a request waits, and how often it is sent while the server is busy.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For the address of a name, and then for a connection.
    connect: Duration,
    /// For an answer in all.
    answer: Duration,
    tries: u32,
}

impl Patience {
    /// That for many texts.
    pub const BATCH: Self = Self {
        connect: Duration::from_secs(10),
        answer: Duration::from_secs(120),
        tries: 4,
    };
    /// That for a text whose batch failed.
    pub const SINGLE: Self = Self {
        tries: 2,
        ..Self::BATCH
    };

    /// That for a query, which somebody waits for, and which other models can answer. A connection
    /// takes one round trip, with TLS three.
    pub fn for_query(url: &str) -> Self {
        let connect = if url.starts_with("https:") { 300 } else { 100 };
        Self {
            connect: Duration::from_millis(connect),
            answer: Duration::from_secs(10),
            tries: 1,
        }
    }
}

/// Longest time that a server may ask us to wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Most bytes of an answer.
const LIMIT: u64 = 256 << 20;

/// Why there are no vectors.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Nobody answers, or not to us: asking for anything else is in vain.
    Refused(String),
    /// Later, perhaps; the server says when.
    Busy(String, Option<Duration>),
    /// Not for these texts.
    Rejected(String),
}

/// Asks one endpoint.
pub struct Client {
    agent: Agent,
    endpoint: Endpoint,
    /// How long to wait before the second try; then twice as long each time.
    pub pause: Duration,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    embedding: Vec<f32>,
}

impl Client {
    pub fn new(endpoint: &Endpoint) -> Self {
        // Redirects are not followed: texts go where the user said.
        let mut config = Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false);
        if !endpoint.url.starts_with("https://") {
            // A proxy that a variable names would read what is not encrypted.
            config = config.proxy(None);
        }
        let config = config.build();
        Self {
            agent: config.into(),
            endpoint: endpoint.clone(),
            pause: Duration::from_millis(500),
        }
    }

    /// Unit vectors of texts, asking again while the server is busy. `dims` is
    /// their length if it is known.
    pub fn embed(
        &self,
        texts: &[&str],
        dims: Option<usize>,
        patience: Patience,
    ) -> Result<Vec<Vec<f32>>, Asked> {
        let mut pause = self.pause;
        for left in (0..patience.tries).rev() {
            let wait = match self.once(texts, dims, patience) {
                Err(Asked::Busy(_, wait)) if left > 0 => wait.unwrap_or(pause),
                other => return other,
            };
            std::thread::sleep(wait.min(LONGEST_PAUSE));
            pause *= 2;
        }
        Err(Asked::Rejected("it was not asked".to_owned()))
    }

    fn once(
        &self,
        texts: &[&str],
        dims: Option<usize>,
        patience: Patience,
    ) -> Result<Vec<Vec<f32>>, Asked> {
        let body = Request {
            model: &self.endpoint.model,
            input: texts,
            encoding_format: "float",
        };
        let request = self.agent.post(&self.endpoint.url).config();
        let mut request = request
            .timeout_resolve(Some(patience.connect))
            .timeout_connect(Some(patience.connect))
            .timeout_global(Some(patience.answer))
            .build();
        if let Some(key) = &self.endpoint.api_key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request.send_json(&body).map_err(failed)?;
        accepted(&response)?;
        let body = response.body_mut().with_config().limit(LIMIT);
        let text = body
            .read_to_vec()
            .map_err(|e| Asked::Busy(e.to_string(), None))?;
        let answer: Answer = serde_json::from_slice(&text)
            .map_err(|error| Asked::Rejected(format!("its answer makes no sense: {error}")))?;
        vectors(answer, texts.len(), dims)
    }

    /// What it means to the user.
    pub fn error(&self, asked: &Asked) -> EmbedError {
        let (Asked::Refused(reason) | Asked::Busy(reason, _) | Asked::Rejected(reason)) = asked;
        EmbedError::Remote {
            url: self.endpoint.url.clone(),
            reason: reason.clone(),
        }
    }
}

/// A request that did not come to an answer. Who is not there now may be soon,
/// but a wrong name or a wrong certificate stay.
fn failed(error: ureq::Error) -> Asked {
    match error {
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::ConnectionFailed
        | ureq::Error::Protocol(_) => Asked::Busy(error.to_string(), None),
        _ => Asked::Refused(error.to_string()),
    }
}

fn accepted<T>(response: &Response<T>) -> Result<(), Asked> {
    let status = response.status().as_u16();
    let reason = format!("status {status}");
    match status {
        200..=299 => Ok(()),
        408 | 425 | 429 | 500..=599 => {
            let header = response.headers().get("retry-after");
            let seconds = header.and_then(|value| value.to_str().ok()?.trim().parse().ok());
            Err(Asked::Busy(reason, seconds.map(Duration::from_secs)))
        }
        400 | 413 | 422 => Err(Asked::Rejected(reason)),
        _ => Err(Asked::Refused(reason)),
    }
}

/// The vectors in the order of the texts, each of unit length.
fn vectors(answer: Answer, texts: usize, dims: Option<usize>) -> Result<Vec<Vec<f32>>, Asked> {
    let mut rows = answer.data;
    rows.sort_by_key(|row| row.index);
    let is_each_once = rows.iter().enumerate().all(|(n, row)| n == row.index);
    if rows.len() != texts || !is_each_once {
        return Err(Asked::Rejected(
            "its answer has not a vector for each text".to_owned(),
        ));
    }
    let expected = dims
        .or(rows.first().map(|row| row.embedding.len()))
        .unwrap_or(0);
    if let Some(row) = rows.iter().find(|row| row.embedding.len() != expected) {
        let got = row.embedding.len();
        return Err(Asked::Refused(format!(
            "its vectors have {got} numbers, not {expected} as before: it runs another model now"
        )));
    }
    rows.into_iter().map(|row| unit(row.embedding)).collect()
}

fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, Asked> {
    let length = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if !length.is_normal() {
        return Err(Asked::Rejected(
            "its answer has a vector without direction".to_owned(),
        ));
    }
    vector
        .iter_mut()
        .for_each(|x| *x = (f64::from(*x) / length) as f32);
    Ok(vector)
}
