//! TLS connections that a peer or its certificate prevents.

use std::io::ErrorKind;

/// Describes an error of a TLS handshake, which a further attempt does not mend; `None` for any other error.
pub(crate) fn describe_tls_error(error: &ureq::Error) -> Option<String> {
    // The kind in which rustls reports what a peer sent.
    let ureq::Error::Io(error) = error else {
        return None;
    };
    if error.kind() != ErrorKind::InvalidData {
        return None;
    }
    let reason = error.to_string();
    Some(match reason.contains("UnknownIssuer") {
        true => format!(
            "{reason}; only public authorities are trusted, not those that were added to this system"
        ),
        false => reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_authority_is_explained() {
        let describe = |kind, text: &'static str| {
            describe_tls_error(&ureq::Error::Io(std::io::Error::new(kind, text)))
        };
        let unknown = "invalid peer certificate: UnknownIssuer";
        let described = describe(ErrorKind::InvalidData, unknown).unwrap();
        assert!(described.starts_with(unknown) && described.contains("public authorities"));
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
