//! HTTP client of an embeddings endpoint: request, response, retries.

use crate::remote::error_text::find_error_text;
use crate::remote::{Endpoint, WaitListener};
use crate::tls::{describe_tls_error, tls_config};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_core::MAX_DIMS;
use session_embed::EmbedError;
use std::time::Duration;
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body, Timeout};

/// Timeouts of a request, and how often it is sent while the server is busy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestPolicy {
    /// Maximum time for the DNS lookup, and again for the connection.
    connect_timeout: Duration,
    /// Maximum time for the whole request.
    total_timeout: Duration,
    max_attempts: u32,
}

impl RequestPolicy {
    /// The policy for a batch of texts.
    pub(crate) const BATCH: Self = Self {
        connect_timeout: Duration::from_secs(10),
        total_timeout: Duration::from_secs(120),
        max_attempts: 4,
    };
    /// The policy for a single text whose batch failed.
    pub(crate) const SINGLE: Self = Self {
        max_attempts: 2,
        ..Self::BATCH
    };

    /// Returns the policy for a query to this URL: short timeouts and one attempt, because a
    /// user waits and other models can answer. A connection takes one round trip, with TLS
    /// three.
    pub(crate) fn for_query(url: &str) -> Self {
        let connect_ms = if url.starts_with("https:") { 300 } else { 100 };
        Self {
            connect_timeout: Duration::from_millis(connect_ms),
            total_timeout: Duration::from_secs(10),
            max_attempts: 1,
        }
    }

    /// Returns the policy for a check whether the endpoint answers: as for a query, and not for as long.
    pub(crate) fn for_check(url: &str) -> Self {
        Self {
            total_timeout: CHECK_TIMEOUT,
            ..Self::for_query(url)
        }
    }
}

/// A text that any endpoint embeds: its vector has the dimension.
pub(crate) const KNOWN_TEXT: &str = "dimensions";

/// Maximum time of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum delay between two attempts, whatever the server asks for.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);
/// Delay or time without an answer from which on the listener is notified, in a run of many requests.
const WAIT_PATIENCE: Duration = Duration::from_secs(5);
/// Maximum length of a response in bytes.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;

/// Maximum length of the response to a request that failed, in bytes.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// The meaning of a failed request for the requests after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// No request can succeed: wrong certificate, key or model.
    Fatal,
    /// The same request may succeed later.
    Retryable {
        /// The `Retry-After` of the response.
        retry_after: Option<Duration>,
    },
    /// The endpoint refuses these texts (400, 413, 422).
    Rejected,
    /// The response cannot be used.
    InvalidResponse,
}

/// Why a request gave no vectors.
#[derive(Debug, Clone)]
pub(crate) struct RequestError {
    /// Its meaning for other requests.
    pub kind: FailureKind,
    /// The failure, as half a sentence.
    pub reason: String,
    /// The HTTP status, where that is the failure.
    pub status: Option<u16>,
}

impl RequestError {
    fn new(kind: FailureKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
            status: None,
        }
    }

    /// Makes the error of a response that cannot be used.
    pub(crate) fn invalid_response(reason: impl Into<String>) -> Self {
        Self::new(FailureKind::InvalidResponse, reason)
    }
}

/// The HTTP client of one endpoint.
pub(crate) struct EndpointClient {
    agent: Agent,
    endpoint: Endpoint,
    /// Delay before the second attempt. It doubles with each further attempt.
    pub initial_backoff: Duration,
    /// Hears of long waits.
    waits: WaitListener,
    /// Delay or time without an answer from which on the listener is notified.
    pub wait_patience: Duration,
}

#[derive(Serialize)]
struct EmbeddingsBody<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    index: usize,
    embedding: Vec<f32>,
}

impl EndpointClient {
    pub(crate) fn new(endpoint: &Endpoint, waits: &WaitListener) -> Self {
        // No redirects: texts are sent only to the configured URL.
        let mut config = Agent::config_builder()
            .tls_config(tls_config())
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false);
        if !endpoint.url.starts_with("https://") {
            // A proxy of the environment would read the unencrypted texts.
            config = config.proxy(None);
        }
        let config = config.build();
        Self {
            agent: config.into(),
            endpoint: endpoint.clone(),
            initial_backoff: Duration::from_millis(500),
            waits: waits.clone(),
            wait_patience: WAIT_PATIENCE,
        }
    }

    /// Embeds texts as unit vectors, with retries while the server is busy. `dims` is the
    /// expected dimension of the vectors, if it is known.
    pub(crate) fn embed(
        &self,
        texts: &[&str],
        dims: Option<usize>,
        policy: RequestPolicy,
    ) -> Result<Vec<Vec<f32>>, RequestError> {
        let mut backoff = self.initial_backoff;
        for remaining in (0..policy.max_attempts).rev() {
            let (delay, reason) = match self.send_watched(texts, dims, policy) {
                Err(RequestError {
                    kind: FailureKind::Retryable { retry_after },
                    reason,
                    ..
                }) if remaining > 0 => (retry_after.unwrap_or(backoff), reason),
                result => return result,
            };
            let delay = delay.min(MAX_RETRY_DELAY);
            if delay >= self.wait_patience {
                self.notify_delay(&reason, delay);
            }
            std::thread::sleep(delay);
            backoff *= 2;
        }
        Err(retryable("it was not asked"))
    }

    /// Returns true if the endpoint embeds the text that every endpoint does. Asks once.
    pub(crate) fn accepts_known_text(&self, dims: usize) -> bool {
        self.embed(&[KNOWN_TEXT], Some(dims), RequestPolicy::SINGLE)
            .is_ok()
    }

    fn notify_delay(&self, reason: &str, delay: Duration) {
        let (url, seconds) = (self.endpoint.shown_url(), delay.as_secs_f32());
        self.waits.notify(&format!(
            "waiting for {url}: {reason}; it is asked again in {seconds} s"
        ));
    }

    /// Sends a request. Of several attempts each may take long: then the listener is notified.
    fn send_watched(
        &self,
        texts: &[&str],
        dims: Option<usize>,
        policy: RequestPolicy,
    ) -> Result<Vec<Vec<f32>>, RequestError> {
        let send = || self.send_request(texts, dims, policy);
        if policy.max_attempts == 1 {
            return send();
        }
        let (url, patience) = (self.endpoint.shown_url(), self.wait_patience);
        let sentence = format!(
            "waiting for {url}: no answer for {} s; a request may take {} s, and is sent up to {} times",
            patience.as_secs_f32(),
            policy.total_timeout.as_secs(),
            policy.max_attempts
        );
        self.waits.watch(patience, &sentence, send)
    }

    fn send_request(
        &self,
        texts: &[&str],
        dims: Option<usize>,
        policy: RequestPolicy,
    ) -> Result<Vec<Vec<f32>>, RequestError> {
        let body = EmbeddingsBody {
            model: &self.endpoint.model,
            input: texts,
            encoding_format: "float",
        };
        let request = self.agent.post(&self.endpoint.url).config();
        let mut request = request
            .timeout_resolve(Some(policy.connect_timeout))
            .timeout_connect(Some(policy.connect_timeout))
            .timeout_global(Some(policy.total_timeout))
            .build();
        if let Some(key) = &self.endpoint.api_key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request
            .send_json(&body)
            .map_err(|error| classify_transport_error(error, policy))?;
        self.check_status(&mut response)?;
        let body = response.body_mut().with_config().limit(MAX_RESPONSE_BYTES);
        let json = body
            .read_to_vec()
            .map_err(|error| retryable(error.to_string()))?;
        let response: EmbeddingsResponse = serde_json::from_slice(&json).map_err(|error| {
            RequestError::invalid_response(format!("its answer makes no sense: {error}"))
        })?;
        collect_vectors(response, texts.len(), dims)
    }

    /// Checks the status of a response. The error has the server's own words.
    fn check_status(&self, response: &mut Response<Body>) -> Result<(), RequestError> {
        let status = response.status().as_u16();
        let Some(kind) = classify_status(status, response.headers()) else {
            return Ok(());
        };
        let body = response.body_mut().with_config().limit(MAX_ERROR_BYTES);
        let body = body.read_to_vec().unwrap_or_default();
        let said = find_error_text(&body, &self.endpoint.secrets());
        let said = said.map(|text| format!(": {text}")).unwrap_or_default();
        Err(RequestError {
            status: Some(status),
            ..RequestError::new(kind, format!("status {status}{said}"))
        })
    }

    /// Converts the error of a request into an [`EmbedError`] with the endpoint's URL.
    pub(crate) fn to_embed_error(&self, error: &RequestError) -> EmbedError {
        EmbedError::Remote {
            url: self.endpoint.shown_url(),
            reason: error.reason.clone(),
            status: error.status,
        }
    }
}

fn retryable(reason: impl Into<String>) -> RequestError {
    RequestError::new(FailureKind::Retryable { retry_after: None }, reason)
}

/// Classifies an error without a response. An absent server may return, and its name be known again, but a wrong
/// certificate stays wrong.
fn classify_transport_error(error: ureq::Error, policy: RequestPolicy) -> RequestError {
    if let Some(reason) = describe_tls_error(&error) {
        return RequestError::new(FailureKind::Fatal, reason);
    }
    match error {
        ureq::Error::Timeout(Timeout::Global) => {
            let seconds = policy.total_timeout.as_secs_f32();
            retryable(format!("no answer within {seconds} s"))
        }
        ureq::Error::Io(_)
        | ureq::Error::Timeout(_)
        | ureq::Error::ConnectionFailed
        | ureq::Error::Protocol(_) => retryable(error.to_string()),
        _ => RequestError::new(FailureKind::Fatal, error.to_string()),
    }
}

/// Classifies the status of a response; `None` if it is none of a failure.
fn classify_status(status: u16, headers: &HeaderMap) -> Option<FailureKind> {
    match status {
        200..=299 => None,
        408 | 425 | 429 | 500..=599 => {
            let header = headers.get("retry-after");
            let value = header.and_then(|value| value.to_str().ok());
            let retry_after = value.and_then(|value| parse_retry_after(value, Timestamp::now()));
            Some(FailureKind::Retryable { retry_after })
        }
        400 | 413 | 422 => Some(FailureKind::Rejected),
        _ => Some(FailureKind::Fatal),
    }
}

/// Parses a `Retry-After` (RFC 9110, 10.2.3): seconds, or a date, of which one in the past is no delay.
fn parse_retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

/// Returns the vectors in the order of the texts, each of unit length.
fn collect_vectors(
    response: EmbeddingsResponse,
    texts: usize,
    dims: Option<usize>,
) -> Result<Vec<Vec<f32>>, RequestError> {
    let mut rows = response.data;
    rows.sort_by_key(|row| row.index);
    let is_permutation = rows.iter().enumerate().all(|(n, row)| n == row.index);
    if rows.len() != texts || !is_permutation {
        return Err(RequestError::invalid_response(
            "its answer has not a vector for each text",
        ));
    }
    let expected = dims
        .or(rows.first().map(|row| row.embedding.len()))
        .unwrap_or(0);
    if expected > MAX_DIMS {
        return Err(RequestError::invalid_response(
            "its vectors have more than 65,535 numbers, which no model's have",
        ));
    }
    if let Some(row) = rows.iter().find(|row| row.embedding.len() != expected) {
        let found = row.embedding.len();
        let reason = format!(
            "its vectors have {found} numbers, not {expected} as before: it runs another model now, which `session-search model use remote` takes into use"
        );
        return Err(RequestError::new(FailureKind::Fatal, reason));
    }
    rows.into_iter()
        .map(|row| normalize(row.embedding))
        .collect()
}

/// Scales a vector to unit length.
fn normalize(mut vector: Vec<f32>) -> Result<Vec<f32>, RequestError> {
    let norm = vector
        .iter()
        .map(|x| f64::from(*x).powi(2))
        .sum::<f64>()
        .sqrt();
    if !norm.is_normal() {
        return Err(RequestError::invalid_response(
            "its answer has a vector without direction",
        ));
    }
    vector
        .iter_mut()
        .for_each(|x| *x = (f64::from(*x) / norm) as f32);
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_no_index_holds_is_refused() {
        let collect = |dims: usize| {
            let answer = format!(
                r#"{{"data": [{{"index": 0, "embedding": {:?}}}]}}"#,
                vec![1.0; dims]
            );
            collect_vectors(serde_json::from_str(&answer).unwrap(), 1, None)
        };
        assert_eq!(collect(65_535).unwrap()[0].len(), 65_535);
        assert!(collect(65_536).is_err());
    }

    #[test]
    fn a_silent_endpoint_is_asked_no_longer_than_the_policy_says() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Endpoint {
            url: format!("http://{}", silent.local_addr().unwrap()),
            api_key: None,
            model: "tiny".to_owned(),
            max_tokens: 64,
        };
        let check = RequestPolicy::for_check(&endpoint.url);
        assert_eq!(
            (check.total_timeout, check.max_attempts),
            (CHECK_TIMEOUT, 1)
        );
        let policy = RequestPolicy {
            total_timeout: Duration::from_millis(50),
            ..check
        };
        let client = EndpointClient::new(&endpoint, &WaitListener::default());
        let error = client.embed(&[KNOWN_TEXT], None, policy).unwrap_err();
        assert_eq!(error.reason, "no answer within 0.05 s");
    }

    #[test]
    fn a_wrong_certificate_is_not_asked_for_again() {
        let kind = |kind| {
            let error = std::io::Error::new(kind, "invalid peer certificate: UnknownIssuer");
            classify_transport_error(ureq::Error::Io(error), RequestPolicy::BATCH).kind
        };
        assert_eq!(kind(std::io::ErrorKind::InvalidData), FailureKind::Fatal);
        let retryable = FailureKind::Retryable { retry_after: None };
        assert_eq!(kind(std::io::ErrorKind::ConnectionReset), retryable);
    }

    #[test]
    fn a_retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-10-21T07:28:00Z".parse().unwrap();
        let parse = |value| parse_retry_after(value, now).map(|delay| delay.as_secs());
        assert_eq!(parse(" 7 "), Some(7));
        assert_eq!(parse("Wed, 21 Oct 2026 07:28:30 GMT"), Some(30));
        assert_eq!(parse("Tue, 20 Oct 2026 07:28:30 GMT"), Some(0));
        assert_eq!(parse("soon"), None);
        assert_eq!(parse("-1"), None);
    }
}
