//! Embeds texts with any model, as `benches/qwen3_peer.py` asks for:
//!
//! ```text
//! cargo run --release -p session-embed --example embed -- SPEC.toml FILES TEXTS.json OUT.f32 [RUNS]
//! ```
//!
//! `TEXTS.json` is a list of strings, `OUT.f32` gets their vectors (rows of
//! `f32`, little endian). A list of one text is embedded as a query. Prints, as
//! JSON, the seconds that opening took and those of each run.
//! `RAYON_NUM_THREADS` says how many threads.

use session_embed::{Embedder, ModelSpec};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

type Fallible<T> = Result<T, Box<dyn Error>>;

#[expect(clippy::print_stdout, reason = "what it measures is its output")]
fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, files, texts, out, more @ ..] = arguments.as_slice() else {
        return Err("usage: embed SPEC.toml FILES TEXTS.json OUT.f32 [RUNS]".into());
    };
    let texts: Vec<String> = serde_json::from_slice(&fs_err::read(texts)?)?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let runs = more.first().map_or(Ok(1), |runs| runs.parse())?;
    let began = Instant::now();
    let spec = ModelSpec::from_toml(&fs_err::read_to_string(spec)?)?;
    let model = session_embed::open(spec, Path::new(files))?;
    let opened = began.elapsed().as_secs_f64();
    let seconds = embed(model.as_ref(), &texts, runs, Path::new(out))?;
    let told = serde_json::json!({ "opened": opened, "seconds": seconds });
    println!("{told}");
    Ok(())
}

/// The seconds of each run.
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
