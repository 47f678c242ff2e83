//! Text that is read from stdin.

use anyhow::{Result, bail};
use std::io::Read;

/// Reads the text on stdin, of at most `limit` bytes.
///
/// # Errors
/// When it is longer, or not UTF-8.
pub fn read_text(limit: u64) -> Result<String> {
    read_whole(std::io::stdin().lock(), limit)
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

#[cfg(test)]
mod tests {
    use super::read_whole;

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
}
