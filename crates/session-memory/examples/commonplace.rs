//! Makes the vectors of the prompts that need no memory, which lie in the binary:
//!
//! ```text
//! cargo run --release -p session-memory --example commonplace -- crates/session-memory/src/commonplace/all-minilm-l6-v2.bin
//! ```
//!
//! To be run after a change of `commonplace/prompts.txt`, of the glossary or of the model. Takes seconds.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args().nth(1).ok_or("usage: commonplace OUT")?;
    let model = session_embed::minilm()?;
    fs_err::write(out, session_memory::pack_commonplace(model.as_ref())?)?;
    Ok(())
}
