//! HTTP client of the model hub.

use crate::ModelError;
use crate::hub_cache::{CommitHash, Etag};
use crate::hub_config::HubConfig;
use crate::idle_timeout::DownloadReporter;
use crate::tls::{describe_tls_error, tls_config};
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use ureq::config::RedirectAuthHeaders;
use ureq::http::header::{ETAG, HeaderName, LOCATION};
use ureq::http::{Response, StatusCode, Uri};
use ureq::typestate::WithoutBody;
use ureq::{Agent, Body, RequestBuilder};

/// Maximum number of redirects of a request.
const MAX_REDIRECTS: u32 = 10;
/// Bytes per read of a body.
const BLOCK_BYTES: usize = 1 << 16;

const LINKED_ETAG: HeaderName = HeaderName::from_static("x-linked-etag");
const COMMIT: HeaderName = HeaderName::from_static("x-repo-commit");

/// Metadata of a file, as the hub states it.
#[derive(Debug, Clone)]
pub(crate) struct StatedFile {
    pub etag: Etag,
    pub commit: CommitHash,
    /// Length in bytes.
    pub size: u64,
}

/// Why a request to the hub failed.
#[derive(Debug)]
pub(crate) enum HubError {
    /// The answer is an error status.
    Status(u16),
    /// The answer cannot be used: half a sentence.
    Invalid(String),
    /// There is no connection, or it broke.
    Connection(String),
    /// A local file cannot be written.
    File(ModelError),
}

impl HubError {
    /// Returns true for errors that a retry may fix: the connection broke, or the server is busy.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Status(status) => *status == 429 || *status >= 500,
            Self::Connection(_) => true,
            Self::Invalid(_) | Self::File(_) => false,
        }
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::Invalid(reason) | Self::Connection(reason) => f.write_str(reason),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl From<ureq::Error> for HubError {
    fn from(error: ureq::Error) -> Self {
        match error {
            ureq::Error::StatusCode(status) => Self::Status(status),
            ureq::Error::TooManyRedirects => too_many_redirects(),
            error => {
                let tls = describe_tls_error(&error);
                Self::Connection(tls.unwrap_or_else(|| error.to_string()))
            }
        }
    }
}

fn too_many_redirects() -> HubError {
    HubError::Invalid(format!("it redirects more than {MAX_REDIRECTS} times"))
}

/// The client. Clones share connections.
#[derive(Clone)]
pub(crate) struct HubClient {
    agent: Agent,
    authorization: Option<String>,
}

impl HubClient {
    /// Creates a client that sends the token of the configuration, to the hub's own host alone.
    pub(crate) fn new(hub: &HubConfig) -> Self {
        let config = Agent::config_builder()
            .tls_config(tls_config())
            .max_redirects(MAX_REDIRECTS)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .user_agent(concat!("session-search/", env!("CARGO_PKG_VERSION")));
        Self {
            agent: config.build().into(),
            authorization: hub.token.as_ref().map(|token| format!("Bearer {token}")),
        }
    }

    /// Requests what the hub states of the file at `url`.
    ///
    /// ETag and commit are in the headers of the hub, before it redirects to the host of the content. That
    /// host knows the length.
    pub(crate) fn fetch_metadata(&self, url: &str) -> Result<StatedFile, HubError> {
        let of_hub = self.follow_on_host(url)?;
        let header = |name: &HeaderName| Some(of_hub.headers().get(name)?.to_str().unwrap_or(""));
        let etag = header(&LINKED_ETAG).or(header(&ETAG));
        let etag = etag.ok_or_else(|| HubError::Invalid("it has no ETag".to_owned()))?;
        let commit = header(&COMMIT);
        let commit = commit.ok_or_else(|| HubError::Invalid("it names no commit".to_owned()))?;
        let (etag, commit) = (Etag::parse(etag), CommitHash::parse(commit));
        let size = if of_hub.status().is_redirection() {
            stated_size(&self.probe(url).call()?)
        } else {
            stated_size(&of_hub)
        };
        Ok(StatedFile {
            etag: etag.ok_or_else(|| HubError::Invalid("its ETag is no plain name".to_owned()))?,
            commit: commit
                .ok_or_else(|| HubError::Invalid("its commit is not hexadecimal".to_owned()))?,
            size: size.ok_or_else(|| HubError::Invalid("it states no length".to_owned()))?,
        })
    }

    /// Requests one byte of a file, and follows redirects on the same host, as for a renamed repository.
    fn follow_on_host(&self, url: &str) -> Result<Response<Body>, HubError> {
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let request = self.probe(&url).config().max_redirects(0).build();
            let response = request.call()?;
            match relative_target(&response, &url) {
                Some(target) => url = target,
                None => return Ok(response),
            }
        }
        Err(too_many_redirects())
    }

    /// Downloads the rest of a file behind the bytes that `partial` has, and stops where the file has
    /// `size` bytes. A hub that ignores the range sends the file from its beginning.
    pub(crate) fn download(
        &self,
        url: &str,
        partial: &mut File,
        size: u64,
        reporter: &DownloadReporter,
    ) -> Result<(), HubError> {
        let start = partial.seek(SeekFrom::End(0)).map_err(file_error)?;
        let range = format!("bytes={start}-");
        let mut response = self.get(url).header("Range", range).call()?;
        let start = match response.status() {
            StatusCode::PARTIAL_CONTENT if sends_from(&response, start) => start,
            StatusCode::PARTIAL_CONTENT => {
                return Err(HubError::Invalid("it is of another range".to_owned()));
            }
            _ => 0,
        };
        partial.set_len(start).map_err(file_error)?;
        partial.seek(SeekFrom::Start(start)).map_err(file_error)?;
        reporter.start(size, start);
        let body = response.body_mut().as_reader();
        copy_body(body, partial, size - start.min(size), reporter)
    }

    fn get(&self, url: &str) -> RequestBuilder<WithoutBody> {
        let request = self.agent.get(url);
        match &self.authorization {
            Some(authorization) => request.header("Authorization", authorization),
            None => request,
        }
    }

    /// Prepares a request for one byte: the answer states the length of all.
    fn probe(&self, url: &str) -> RequestBuilder<WithoutBody> {
        self.get(url).header("Range", "bytes=0-0")
    }
}

fn file_error(error: std::io::Error) -> HubError {
    HubError::File(error.into())
}

/// Returns the URL of a redirect without a host.
fn relative_target(response: &Response<Body>, url: &str) -> Option<String> {
    let location = response.headers().get(LOCATION)?;
    let location: Uri = location.to_str().ok()?.parse().ok()?;
    if !response.status().is_redirection() || location.host().is_some() {
        return None;
    }
    let mut parts = url.parse::<Uri>().ok()?.into_parts();
    parts.path_and_query = location.into_parts().path_and_query;
    Some(Uri::from_parts(parts).ok()?.to_string())
}

/// Returns the length of the whole file: behind the slash of `Content-Range`, or of the body where the range
/// was ignored.
fn stated_size(response: &Response<Body>) -> Option<u64> {
    let header = |name: &str| response.headers().get(name)?.to_str().ok();
    match response.status() {
        StatusCode::PARTIAL_CONTENT => header("content-range")?.rsplit('/').next()?.parse().ok(),
        _ => header("content-length")?.parse().ok(),
    }
}

/// Returns true when the range of the answer begins at `start`.
fn sends_from(response: &Response<Body>, start: u64) -> bool {
    let range = response.headers().get("content-range");
    let range = range.and_then(|range| range.to_str().ok()?.strip_prefix("bytes "));
    range.is_some_and(|range| range.split('-').next() == Some(start.to_string().as_str()))
}

/// Copies exactly `remaining` bytes.
fn copy_body(
    mut body: impl Read,
    to: &mut File,
    mut remaining: u64,
    reporter: &DownloadReporter,
) -> Result<(), HubError> {
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let read = match body.read(&mut block) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.map_err(|error| HubError::Connection(error.to_string()))?,
        };
        if read as u64 > remaining {
            return Err(HubError::Invalid("it is longer than it states".to_owned()));
        }
        if read == 0 {
            return match remaining {
                0 => Ok(()),
                _ => Err(HubError::Connection("the answer was too short".to_owned())),
            };
        }
        to.write_all(&block[..read]).map_err(file_error)?;
        remaining -= read as u64;
        if !reporter.advance(read as u64) {
            return Err(HubError::Connection("nobody waits for it".to_owned()));
        }
    }
}
