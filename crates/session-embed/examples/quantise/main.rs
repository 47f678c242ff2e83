//! Makes the file of all-MiniLM-L6-v2 that lies in the binary:
//!
//! ```text
//! cargo run --release -p session-embed --example quantise -- MODEL_DIR models/all-minilm-l6-v2-q8_0.gguf
//! ```
//!
//! A third argument `f32` leaves the numbers as they are, for comparisons.
//!
//! `MODEL_DIR` has `config.json` and `model.safetensors` of the model;
//! `models/README.md` says where to get them. Takes a second.

mod quantise;

use candle_core::quantized::GgmlDType;
use std::path::Path;

fn main() -> quantise::Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (model_dir, out, matrices) = match arguments.as_slice() {
        [model_dir, out] => (model_dir, out, GgmlDType::Q8_0),
        [model_dir, out, form] if form == "f32" => (model_dir, out, GgmlDType::F32),
        _ => return Err("usage: quantise MODEL_DIR OUT [f32]".into()),
    };
    fs_err::write(out, quantise::quantise(Path::new(model_dir), matrices)?)?;
    Ok(())
}
