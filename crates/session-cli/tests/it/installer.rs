//! The shell installer, on releases in a folder.
#![cfg(target_os = "linux")]

use sha2::{Digest, Sha256};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tools that the installer calls, but for those that download and hash.
const TOOLS: [&str; 12] = [
    "sh", "uname", "mktemp", "awk", "tar", "gzip", "mkdir", "cp", "chmod", "mv", "rm", "sysctl",
];

/// A folder of releases, a `PATH` of its own and a home directory.
struct Release(tempfile::TempDir);

struct Installation {
    code: Option<i32>,
    talk: String,
}

impl Release {
    /// Makes version 9.8.7, whose program prints its name.
    fn new() -> Self {
        let release = Self(tempfile::tempdir().unwrap());
        for folder in ["bin", "home", "tmp", "releases/v9.8.7"] {
            fs_err::create_dir_all(release.path(folder)).unwrap();
        }
        for tool in TOOLS.iter().chain(&["curl", "sha256sum", "shasum"]) {
            release.link(tool);
        }
        release.set_platform("Linux x86_64");
        let name = "session-search-x86_64-unknown-linux-gnu";
        let folder = release.path(name);
        fs_err::create_dir(&folder).unwrap();
        write_script(&folder.join("session-search"), "echo session-search 9.8.7");
        let archive = release.path(&format!("releases/v9.8.7/{name}.tar.gz"));
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(&archive).arg("-C");
        let packed = tar.arg(release.path("")).arg(name).status().unwrap();
        assert!(packed.success());
        release.write_sums(&format!("{}  {name}.tar.gz\n", hex_sha256(&archive)));
        release
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn installed(&self) -> PathBuf {
        self.path("home/.local/bin/session-search")
    }

    fn write_sums(&self, sums: &str) {
        fs_err::write(self.path("releases/v9.8.7/SHA256SUMS"), sums).unwrap();
    }

    /// Puts a tool of this machine on `PATH`, if it is there.
    fn link(&self, tool: &str) {
        let path = std::env::var_os("PATH").unwrap();
        let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(tool));
        if let Some(found) = candidates.find(|path| path.is_file()) {
            symlink(found, self.path("bin").join(tool)).unwrap();
        }
    }

    fn unlink(&self, tools: &[&str]) {
        for tool in tools {
            let _ = fs_err::remove_file(self.path("bin").join(tool));
        }
    }

    /// Has `uname` report another system and machine.
    fn set_platform(&self, platform: &str) {
        let (system, machine) = platform.split_once(' ').unwrap();
        self.unlink(&["uname"]);
        let body = format!("[ \"$1\" = -s ] && echo {system} || echo {machine}");
        write_script(&self.path("bin/uname"), &body);
    }

    fn install(&self, args: &[&str]) -> Installation {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/install.sh");
        let url = format!("file://{}", self.path("releases").display());
        let mut shell = Command::new(self.path("bin/sh"));
        shell.arg(script).args(args).env_clear();
        shell.env("PATH", self.path("bin"));
        shell.env("HOME", self.path("home"));
        shell.env("TMPDIR", self.path("tmp"));
        shell.env("SESSION_SEARCH_DOWNLOAD_URL", url);
        let output = shell.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Installation {
            code: output.status.code(),
            talk: text(output.stdout) + &text(output.stderr),
        }
    }
}

impl Installation {
    /// Asserts that nothing was installed or left behind, and why.
    #[track_caller]
    fn is_refused(&self, release: &Release, why: &str) {
        assert_eq!(self.code, Some(1), "{}", self.talk);
        assert!(self.talk.contains(why), "{}", self.talk);
        assert!(self.talk.contains("\nhint: "), "{}", self.talk);
        assert!(!release.installed().exists(), "{}", self.talk);
        let left = fs_err::read_dir(release.path("tmp")).unwrap().count();
        assert_eq!(left, 0, "temporary files");
    }
}

fn write_script(path: &Path, body: &str) {
    fs_err::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn hex_sha256(path: &Path) -> String {
    let digest = Sha256::digest(fs_err::read(path).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_release_is_installed_and_said_to_be() {
    let release = Release::new();
    let installation = release.install(&["--version", "9.8.7"]);
    assert_eq!(installation.code, Some(0), "{}", installation.talk);
    let says = |words: &str| assert!(installation.talk.contains(words), "{}", installation.talk);
    says(".local/bin/session-search");
    says("is not on PATH");
    let program = Command::new(release.installed()).output().unwrap();
    assert_eq!(program.stdout, b"session-search 9.8.7\n");
    assert_eq!(
        fs_err::read_dir(release.path("tmp")).unwrap().count(),
        0,
        "temporary files"
    );
}

#[test]
fn a_newer_release_replaces_the_program_in_a_given_directory() {
    let release = Release::new();
    let directory = release.path("my tools");
    fs_err::create_dir(&directory).unwrap();
    fs_err::write(directory.join("session-search"), "old").unwrap();
    let arguments = ["--to", directory.to_str().unwrap(), "--version", "v9.8.7"];
    let installation = release.install(&arguments);
    assert_eq!(installation.code, Some(0), "{}", installation.talk);
    let names = fs_err::read_dir(&directory).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["session-search"]);
    let program = Command::new(directory.join("session-search")).output();
    assert_eq!(program.unwrap().stdout, b"session-search 9.8.7\n");
}

#[test]
fn an_archive_with_another_hash_is_refused() {
    let release = Release::new();
    let wrong = "0".repeat(64);
    release.write_sums(&format!(
        "{wrong}  session-search-x86_64-unknown-linux-gnu.tar.gz\n"
    ));
    let installation = release.install(&["--version", "9.8.7"]);
    installation.is_refused(&release, "has the SHA-256");
}

#[test]
fn an_archive_without_a_hash_is_refused() {
    let release = Release::new();
    release.write_sums("");
    let installation = release.install(&["--version", "9.8.7"]);
    installation.is_refused(&release, "SHA256SUMS does not name");
}

#[test]
fn missing_tools_are_named() {
    let release = Release::new();
    release.unlink(&["sha256sum", "shasum"]);
    let installation = release.install(&["--version", "9.8.7"]);
    installation.is_refused(&release, "neither `sha256sum` nor `shasum`");
    release.unlink(&["curl"]);
    let installation = release.install(&["--version", "9.8.7"]);
    installation.is_refused(&release, "neither `curl` nor `wget`");
    release.unlink(&["tar"]);
    let installation = release.install(&["--version", "9.8.7"]);
    installation.is_refused(&release, "there is no `tar` on PATH");
}

#[test]
fn other_platforms_and_versions_are_refused() {
    let release = Release::new();
    let installation = release.install(&["--version", "9.8.8"]);
    installation.is_refused(&release, "cannot download");
    let installation = release.install(&["--version", "../9.8.7"]);
    installation.is_refused(&release, "is no version");
    let installation = release.install(&[]);
    installation.is_refused(&release, "this installer is not from a release");
    for platform in ["FreeBSD amd64", "Linux riscv64", "MINGW64_NT-10.0 x86_64"] {
        release.set_platform(platform);
        let installation = release.install(&["--version", "9.8.7"]);
        installation.is_refused(&release, &format!("there is no program for {platform}"));
    }
}
