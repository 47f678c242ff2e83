//! A temporary home directory, and a model of a few hundred bytes.

use session_embed::{TokenTable, TokenVocabulary};
use session_models::{Catalogue, UserDirectories};
use std::path::{Path, PathBuf};

pub const WORDS: [&str; 8] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "docker", "network", "bread", "oven",
];

/// Returns the paths and contents of the model's files. Each `seed` gives other vectors.
pub fn files(seed: f32) -> [(&'static str, Vec<u8>); 2] {
    let row = |n: usize| (0..4).map(|d| ((n * 4 + d) as f32 * seed).sin()).collect();
    let rows: Vec<Vec<f32>> = (0..WORDS.len()).map(row).collect();
    [
        ("weights/table.bin", TokenTable::compile(4, 64, &rows)),
        ("vocabulary.bin", TokenVocabulary::compile(&WORDS).unwrap()),
    ]
}

/// Returns the description of the model. `pins` are the SHA-256 of its files.
pub fn description(name: &str, pins: [Option<&str>; 2]) -> String {
    let [weights, vocabulary] =
        pins.map(|pin| pin.map_or(String::new(), |pin| format!(", sha256 = \"{pin}\"")));
    format!(
        r#"
name = "{name}"
title = "A tiny model"
architecture = "table"
repo = "ann/tiny"
revision = "main"
dims = 4
max_tokens = 16
pooling = "mean"
licence = "MIT"
cosine = {{ unrelated = 0.3, related = 0.6, per_word = 0.0 }}
bytes = 500
files = [
    {{ path = "weights/table.bin"{weights} }},
    {{ path = "vocabulary.bin"{vocabulary} }},
]
"#
    )
}

/// The temporary home directory of a user.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Creates a home directory with a description of the tiny model.
    pub fn with_description() -> Self {
        let home = Self::new();
        home.add_description("tiny", &description("tiny", [None; 2]));
        home
    }

    pub fn add_description(&self, name: &str, text: &str) {
        let path = self
            .directories()
            .descriptions_dir()
            .join(format!("{name}.toml"));
        write(&path, text.as_bytes());
    }

    /// Writes the model's files into a directory for an import.
    pub fn write_import_source(&self, seed: f32) -> PathBuf {
        let directory = self.path("import-source");
        for (path, content) in files(seed) {
            write(&directory.join(path), &content);
        }
        directory
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn directories(&self) -> UserDirectories {
        UserDirectories::from_environment(self.0.path(), |_| None)
    }

    pub fn catalogue(&self) -> Catalogue {
        Catalogue::open(self.directories()).unwrap()
    }
}

pub fn write(path: &Path, content: &[u8]) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, content).unwrap();
}

/// Lists all paths below a directory.
pub fn list_tree(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(list_tree(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}
