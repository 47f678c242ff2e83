//! Embeds the prompts of the background model, whose vectors are in the binary:
//!
//! ```text
//! cargo run --release -p session-memory --example background_vectors -- crates/session-memory/src/background_model/all-minilm-l6-v2.bin
//! ```
//!
//! To be run after a change of `background_model/prompts.txt`, of the glossary or of the model. Takes seconds.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args()
        .nth(1)
        .ok_or("usage: background_vectors OUT")?;
    let model = session_embed::minilm()?;
    fs_err::write(
        out,
        session_memory::quantize_background_vectors(model.as_ref())?,
    )?;
    Ok(())
}
