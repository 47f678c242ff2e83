//! A home folder, and a model of a few hundred bytes.

use session_embed::{Table, Vocabulary};
use session_models::{Catalogue, Folders};
use std::path::{Path, PathBuf};

pub const WORDS: [&str; 8] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "docker", "network", "bread", "oven",
];

/// Files of the model: path, content. `seed` gives other vectors.
pub fn files(seed: f32) -> [(&'static str, Vec<u8>); 2] {
    let row = |n: usize| (0..4).map(|d| ((n * 4 + d) as f32 * seed).sin()).collect();
    let rows: Vec<Vec<f32>> = (0..WORDS.len()).map(row).collect();
    [
        ("weights/table.bin", Table::compile(4, 64, &rows)),
        ("vocabulary.bin", Vocabulary::compile(&WORDS).unwrap()),
    ]
}

/// Its description; `pins` are the SHA-256 of the files.
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

/// A user's home folder.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// One in which the tiny model is described.
    pub fn described() -> Self {
        let home = Self::new();
        home.describe("tiny", &description("tiny", [None; 2]));
        home
    }

    pub fn describe(&self, name: &str, text: &str) {
        let path = self.folders().descriptions().join(format!("{name}.toml"));
        write(&path, text.as_bytes());
    }

    /// A folder as a user would bring it.
    pub fn brought(&self, seed: f32) -> PathBuf {
        let folder = self.path("brought");
        for (path, content) in files(seed) {
            write(&folder.join(path), &content);
        }
        folder
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn folders(&self) -> Folders {
        Folders::of(self.0.path(), |_| None)
    }

    pub fn catalogue(&self) -> Catalogue {
        Catalogue::open(self.folders()).unwrap()
    }
}

pub fn write(path: &Path, content: &[u8]) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, content).unwrap();
}

/// Everything below a folder.
pub fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(tree(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}
