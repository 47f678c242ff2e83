//! Shorter addresses of the same page: who copies an address copies the tab that is open (`pull/91/files`) and what the link came
//! from (`?pr=12`), which no turn may hold.

/// Fewest segments of an address, its host among them, that name a page without the query: `watch?v=1` is named by it.
const MIN_SEGMENTS: usize = 3;
/// Most shorter addresses: each is a phrase to search.
const MAX_BEGINNINGS: usize = 4;

/// Returns the shorter addresses of a page, the longest first: without the query and the route, then up to each number behind
/// the word for its kind (`pull/91`), since what follows it is a part of the page.
pub(crate) fn list_beginnings(address: &str) -> Vec<&str> {
    let Some(start) = address.find("://").map(|at| at + "://".len()) else {
        return Vec::new();
    };
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let page = address.get(..end).unwrap_or(address).trim_end_matches('/');
    let Some(path) = page.get(start..) else {
        return Vec::new();
    };
    let segments: Vec<&str> = path.split('/').collect();
    let mut beginnings = Vec::new();
    if segments.len() >= MIN_SEGMENTS && page != address {
        beginnings.push(page);
    }
    let ends = path.match_indices('/').map(|(at, _)| start + at);
    for (count, end) in ends.enumerate().skip(MIN_SEGMENTS - 1) {
        if names_number(segments.get(..=count).unwrap_or_default()) {
            beginnings.extend(page.get(..end));
        }
    }
    beginnings.sort_by_key(|beginning| std::cmp::Reverse(beginning.len()));
    beginnings.truncate(MAX_BEGINNINGS);
    beginnings
}

/// Returns true for segments that end with a number and, before it, the word for its kind, which is not the host: `…/pull/91`,
/// but not the month of `…/2026/01`.
fn names_number(segments: &[&str]) -> bool {
    let is_number =
        |segment: &str| !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    matches!(segments, [_, .., kind, number] if is_number(number) && !is_number(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginnings_of_an_address_name_its_page() {
        let lamp = "https://git.example/ann/lamp";
        for (tail, beginnings) in [
            ("/pull/91/files", &["/pull/91"][..]),
            (
                "/pull/91/files/ab12?w=1",
                &["/pull/91/files/ab12", "/pull/91"],
            ),
            ("/pull/91/?diff=split", &["/pull/91"]),
            ("/pull/91", &[]),
            (
                "/runs/276/job/8187?pr=12",
                &["/runs/276/job/8187", "/runs/276"],
            ),
            ("?tab=readme", &[""]),
            ("/#/oil", &[""]),
            ("/issues", &[]),
            ("/2026/01/oil", &["/2026"]),
        ] {
            let expected: Vec<String> = beginnings
                .iter()
                .map(|tail| format!("{lamp}{tail}"))
                .collect();
            assert_eq!(
                list_beginnings(&format!("{lamp}{tail}")),
                expected,
                "{tail}"
            );
        }
        for other in [
            "https://video.example/watch?v=a1",
            "https://lamp.example/2026/01/oil",
            "https://lamp.example/91/oil",
            "https://lamp.example",
            "src/lamp/pull/91/files",
            "://",
            "",
        ] {
            assert_eq!(list_beginnings(other), [""; 0], "{other}");
        }
    }
}
