//! Connections by TLS trust the authorities of the system. macOS and Windows know no variable for them.
#![cfg(target_os = "linux")]

use crate::environment::TestEnvironment;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

/// A certificate for `localhost` that is its own authority.
struct Authority {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
    file: PathBuf,
}

impl Authority {
    fn new(env: &TestEnvironment, name: &str) -> Self {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let file = env.path(name);
        fs_err::write(&file, certificate.pem()).unwrap();
        Self {
            certificate: certificate.into(),
            key: key.into(),
            file,
        }
    }

    /// Serves nothing but the status 404 by TLS, and returns the port.
    fn serve(self) -> u16 {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate], self.key)
            .unwrap();
        let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut socket in listener.incoming().flatten() {
                let mut connection = ServerConnection::new(config.clone()).unwrap();
                let mut stream = Stream::new(&mut connection, &mut socket);
                // A client that trusts no such certificate is gone by now.
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            }
        });
        port
    }
}

#[test]
fn an_authority_that_the_system_trusts_is_trusted() {
    let env = TestEnvironment::unconfigured();
    let (own, other) = (
        Authority::new(&env, "own.pem"),
        Authority::new(&env, "other.pem"),
    );
    let trusted = own.file.clone();
    let clone = env.home("clone");
    fs_err::create_dir_all(clone.join(".git")).unwrap();
    let of_clone = clone.join("own.pem");
    fs_err::copy(&trusted, &of_clone).unwrap();
    let address = format!("https://localhost:{}", own.serve());
    let connect = |args: &[&str], authorities: &PathBuf| {
        let mut command = env.command();
        command
            .args(args)
            .env("HF_ENDPOINT", &address)
            .env("SSL_CERT_FILE", authorities);
        env.ran(command.output().unwrap()).exits(2).stderr()
    };
    let pull = ["model", "pull", "bge-small-en-v1.5"];
    let ask_endpoint = ["setup", "--remote", &address, "--model", "tiny", "--yes"];
    for args in [&pull[..], &ask_endpoint] {
        let said = connect(args, &trusted);
        assert!(said.contains("404"), "{said}");
        for authorities in [&other.file, &of_clone] {
            let said = connect(args, authorities);
            assert!(
                said.contains("not among those that this system trusts"),
                "{said}"
            );
        }
    }
}
