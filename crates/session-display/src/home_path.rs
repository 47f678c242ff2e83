//! Paths below the user's home directory.

use session_core::text::path_line;
use std::path::Path;

/// Formats a path on one line, with `~` for the home directory.
pub fn shorten_home(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) => path_line(&Path::new("~").join(rest)),
        Err(_) => path_line(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_directory_is_a_tilde() {
        let shorten = |path: &str| shorten_home(Path::new(path), Path::new("/home/ann"));
        assert_eq!(shorten("/home/ann/shop\n.toml"), "~/shop .toml");
        assert_eq!(shorten("/home/anna/shop.toml"), "/home/anna/shop.toml");
    }
}
