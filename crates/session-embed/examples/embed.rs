//! Embeds texts with any model, as `benches/qwen3_peer.py` and `benches/embed_peer.py` ask for:
//!
//! ```text
//! cargo run --release -p session-embed --example embed -- SPEC.toml FILES TEXTS.json OUT.f32 [RUNS] [--ids] [--stored]
//! ```
//!
//! `TEXTS.json` is a list of strings, `OUT.f32` gets their vectors (rows of
//! `f32`, little endian). A list of one text is embedded as a query. Prints, as
//! JSON, the seconds that opening took and those of each run.
//! `RAYON_NUM_THREADS` says how many threads.
//!
//! Of BERT, `--ids` adds the ids of each text's tokens without the ends, and `--stored` computes in `f32` with the weights
//! of a GGUF file as they are.

use session_embed::{
    Device, Embedder, ModelSpec, Precision, TokenVocabulary, TransformerEmbedder, WordPiece,
};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// The tokens at both ends of a text, `[CLS]` and `[SEP]`.
const END_TOKENS: usize = 2;

#[expect(clippy::print_stdout, reason = "what it measures is its output")]
fn main() -> Fallible<()> {
    let (flags, arguments): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let [spec, files, texts, out, more @ ..] = arguments.as_slice() else {
        let usage = "usage: embed SPEC.toml FILES TEXTS.json OUT.f32 [RUNS] [--ids] [--stored]";
        return Err(usage.into());
    };
    let has_flag = |name: &str| flags.iter().any(|flag| flag == name);
    let files = Path::new(files);
    let texts: Vec<String> = serde_json::from_slice(&fs_err::read(texts)?)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let runs = more.first().map_or(Ok(1), |runs| runs.parse())?;
    let began = Instant::now();
    let spec = ModelSpec::from_toml(&fs_err::read_to_string(spec)?)?;
    let model = if has_flag("--stored") {
        open_stored(spec, files)?
    } else {
        session_embed::open(spec, files)?
    };
    let opened = began.elapsed().as_secs_f64();
    let seconds = embed(model.as_ref(), &texts, runs, Path::new(out))?;
    let mut report = serde_json::json!({ "opened": opened, "seconds": seconds });
    if has_flag("--ids") {
        report["ids"] = serde_json::to_value(encode(model.spec(), files, &texts)?)?;
    }
    println!("{report}");
    Ok(())
}

/// Opens a BERT whose weights are not quantized.
fn open_stored(spec: ModelSpec, files: &Path) -> Fallible<Box<dyn Embedder>> {
    let wordpiece = open_wordpiece(&spec, files)?;
    let weights = fs_err::read(find_file(&spec, files, ".gguf")?)?;
    let model =
        TransformerEmbedder::bert(spec, wordpiece, weights, Device::Cpu, Precision::Stored)?;
    Ok(Box::new(model))
}

fn open_wordpiece(spec: &ModelSpec, files: &Path) -> Fallible<WordPiece> {
    let vocabulary = fs_err::read(find_file(spec, files, "vocabulary.bin")?)?;
    Ok(WordPiece::new(TokenVocabulary::open(vocabulary)?)?)
}

/// Returns the path of the file that a description lists with this end.
fn find_file(spec: &ModelSpec, files: &Path, end: &str) -> Fallible<PathBuf> {
    let file = spec.files.iter().find(|file| file.path.ends_with(end));
    let file = file.ok_or_else(|| format!("the description lists no file `*{end}`"))?;
    Ok(files.join(&file.path))
}

/// Embeds the texts several times; returns the seconds of each run.
fn embed(model: &dyn Embedder, texts: &[&str], runs: usize, out: &Path) -> Fallible<Vec<f64>> {
    let mut seconds = Vec::new();
    let mut vectors = Vec::new();
    for _ in 0..runs {
        let began = Instant::now();
        vectors = match texts {
            [text] => model.embed_query(text)?,
            _ => model.embed_documents(texts)?.into_raw_vec_and_offset().0,
        };
        seconds.push(began.elapsed().as_secs_f64());
    }
    let bytes: Vec<u8> = vectors.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs_err::write(out, bytes)?;
    Ok(seconds)
}

/// Returns the ids of each text's tokens, without the ends.
fn encode(spec: &ModelSpec, files: &Path, texts: &[&str]) -> Fallible<Vec<Vec<u32>>> {
    let wordpiece = open_wordpiece(spec, files)?;
    let encode_text = |text: &&str| {
        let mut ids = Vec::new();
        wordpiece.encode(text, spec.max_tokens - END_TOKENS, &mut ids);
        ids
    };
    Ok(texts.iter().map(encode_text).collect())
}
