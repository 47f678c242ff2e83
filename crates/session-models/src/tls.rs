//! Connections by TLS: which authorities are trusted, and why one fails.

use std::io::ErrorKind;
use ureq::tls::{RootCerts, TlsConfig};

/// Returns the configuration of each client: trusted are the authorities of the system, to which companies add their own. On
/// Linux these are in the files that `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else in those of the distribution.
pub(crate) fn tls_config() -> TlsConfig {
    TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .build()
}

/// Describes an error of a TLS handshake, which a further attempt does not mend; `None` for any other error.
pub(crate) fn describe_tls_error(error: &ureq::Error) -> Option<String> {
    match error {
        // The kind in which rustls reports what a peer sent.
        ureq::Error::Io(error) if error.kind() == ErrorKind::InvalidData => {
            Some(explain(error.to_string()))
        }
        ureq::Error::Rustls(error) => Some(explain(error.to_string())),
        _ => None,
    }
}

/// Adds what the user can do about an authority that is missing.
fn explain(reason: String) -> String {
    let is_unknown = reason.contains("UnknownIssuer");
    if is_unknown || reason.contains("No CA certificates") {
        return format!(
            "{reason}; {}",
            if is_unknown {
                ADD_AUTHORITY
            } else {
                ADD_AUTHORITIES
            }
        );
    }
    reason
}

const ADD_AUTHORITY: &str = "its authority is not among those that this system trusts";
const ADD_AUTHORITIES: &str = "this system has no authorities: install `ca-certificates`, or name their file, outside of projects, in SSL_CERT_FILE";

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    fn describe(kind: ErrorKind, text: &'static str) -> Option<String> {
        describe_tls_error(&ureq::Error::Io(io::Error::new(kind, text)))
    }

    #[test]
    fn an_unknown_authority_is_explained() {
        let unknown = "invalid peer certificate: UnknownIssuer";
        let described = describe(ErrorKind::InvalidData, unknown).unwrap();
        assert!(described.starts_with(unknown) && described.contains("this system trusts"));
    }

    #[test]
    fn an_error_of_the_network_is_none_of_a_handshake() {
        let plain = "received corrupt message of type InvalidContentType";
        assert_eq!(
            describe(ErrorKind::InvalidData, plain).as_deref(),
            Some(plain)
        );
        assert_eq!(
            describe(ErrorKind::ConnectionReset, "connection reset"),
            None
        );
        assert_eq!(describe_tls_error(&ureq::Error::ConnectionFailed), None);
    }
}
