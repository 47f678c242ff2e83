//! Embeds texts with all-MiniLM-L6-v2, as `benches/embed_peer.py` asks for:
//!
//! ```text
//! cargo run --release -p session-embed --example throughput -- TEXTS.json OUT.f32 [RUNS [WEIGHTS.gguf]]
//! ```
//!
//! `TEXTS.json` is a list of strings, `OUT.f32` gets their vectors (rows of
//! `f32`, little endian). Prints, as JSON, the seconds of each run, the tokens
//! of all texts, and their ids. `RAYON_NUM_THREADS` says how many threads. With
//! weights, they are used in place of those in the binary.

use session_embed::{
    Device, Embedder, Precision, TokenVocabulary, TransformerEmbedder, WordPiece, open_minilm,
};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

type Fallible<T> = Result<T, Box<dyn Error>>;

static VOCABULARY: &[u8] = include_bytes!("../../../models/bundled/vocabulary.bin");

#[expect(clippy::print_stdout, reason = "what it measures is its output")]
fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [texts, out, more @ ..] = arguments.as_slice() else {
        return Err("usage: throughput TEXTS.json OUT.f32 [RUNS [WEIGHTS.gguf]]".into());
    };
    let texts: Vec<String> = serde_json::from_slice(&fs_err::read(texts)?)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let runs = more.first().map_or(Ok(1), |runs| runs.parse())?;
    let model = model(more.get(1).map(Path::new))?;
    let seconds = embed(model.as_ref(), &texts, runs, Path::new(out))?;
    let ids = ids(&texts, model.spec().max_tokens - 2)?;
    let tokens: usize = ids.iter().map(|ids| ids.len() + 2).sum();
    println!(
        "{}",
        serde_json::json!({ "seconds": seconds, "tokens": tokens, "ids": ids })
    );
    Ok(())
}

fn model(weights: Option<&Path>) -> Fallible<Box<dyn Embedder>> {
    let model = open_minilm()?;
    let Some(weights) = weights else {
        return Ok(model);
    };
    let spec = model.spec().clone();
    let model = TransformerEmbedder::bert(
        spec,
        wordpiece()?,
        fs_err::read(weights)?,
        Device::Cpu,
        Precision::Stored,
    )?;
    Ok(Box::new(model))
}

/// The seconds of each run. A single text is embedded as a query.
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

fn ids(texts: &[&str], limit: usize) -> Fallible<Vec<Vec<u32>>> {
    let wordpiece = wordpiece()?;
    let ids = |text: &&str| {
        let mut ids = Vec::new();
        wordpiece.encode(text, limit, &mut ids);
        ids
    };
    Ok(texts.iter().map(ids).collect())
}

fn wordpiece() -> Fallible<WordPiece> {
    Ok(WordPiece::new(TokenVocabulary::open(VOCABULARY)?)?)
}
