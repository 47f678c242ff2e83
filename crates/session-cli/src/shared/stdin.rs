//! Text that is read from stdin.

use anyhow::{Result, bail};
use std::io::Read;

/// Most bytes of a text on stdin: of a longer one a command takes the end, or nothing.
pub const STDIN_LIMIT: usize = 1 << 20;

/// Reads the text on stdin, of at most `limit` bytes.
///
/// # Errors
/// When it is longer, or not UTF-8.
pub fn read_text(limit: u64) -> Result<String> {
    read_whole(std::io::stdin().lock(), limit)
}

/// Reads stdin to its end, and returns its last bytes, [`STDIN_LIMIT`] at most.
pub fn read_last_bytes() -> Result<Vec<u8>> {
    Ok(read_end(std::io::stdin().lock(), STDIN_LIMIT)?)
}

fn read_whole(input: impl Read, limit: u64) -> Result<String> {
    let mut text = Vec::new();
    input.take(limit + 1).read_to_end(&mut text)?;
    if text.len() as u64 > limit {
        bail!("stdin is longer than {} MiB", limit >> 20);
    }
    match String::from_utf8(text) {
        Ok(text) => Ok(text),
        Err(_) => bail!("stdin is not UTF-8"),
    }
}

fn read_end(mut input: impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let take = limit.max(1) as u64;
    while input.by_ref().take(take).read_to_end(&mut kept)? > 0 {
        kept.drain(..kept.len().saturating_sub(limit));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::{read_end, read_whole};

    #[test]
    fn a_text_is_read_whole_or_not_at_all() {
        let limit = 1 << 20;
        let text = "ä".repeat(1 << 19);
        assert_eq!(read_whole(text.as_bytes(), limit).unwrap(), text);
        let error = |bytes: &[u8]| read_whole(bytes, limit).unwrap_err().to_string();
        let longer = format!("{text}ä");
        assert_eq!(error(longer.as_bytes()), "stdin is longer than 1 MiB");
        assert_eq!(error(b"\xff"), "stdin is not UTF-8");
    }

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let output: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for limit in [1, 7, 999, 1000, 5000] {
            let kept = read_end(output.as_slice(), limit).unwrap();
            assert_eq!(kept, output[output.len().saturating_sub(limit)..]);
        }
    }
}
