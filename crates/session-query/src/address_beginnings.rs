//! Shorter addresses of the same page: who copies an address copies the tab that is open (`pull/91/files`) and what the link came
//! from (`?pr=12`), which no turn may hold.

/// Returns the shorter addresses of a page that a number names (`pull/91`), the longest first: without the query and the
/// route, then up to the number. One of several numbers names the page only where it is the last: `users/5/orders/12`. Without
/// a number the query may name the page: `watch?v=a1`.
pub(crate) fn list_beginnings(address: &str) -> Vec<&str> {
    let Some(start) = address.find("://").map(|at| at + "://".len()) else {
        return Vec::new();
    };
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let page = address.get(..end).unwrap_or(address).trim_end_matches('/');
    let Some(path) = page.get(start..) else {
        return Vec::new();
    };
    let numbered = find_numbered_page(path).and_then(|end| page.get(..start + end));
    let is_named = numbered.is_some() || ends_with_number(path);
    let without_query = (is_named && page != address).then_some(page);
    let up_to_number = numbered.filter(|numbered| *numbered != page);
    without_query.into_iter().chain(up_to_number).collect()
}

/// Returns the end of the only number of a path, if it names a page.
fn find_numbered_page(path: &str) -> Option<usize> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    let mut ends = ends.chain([path.len()]);
    let end = ends.find(|end| path.get(..*end).is_some_and(ends_with_number))?;
    let numbers = path.split('/').filter(|segment| is_number(segment));
    // A file is a page of its own: the number before it is that of a version (`docs/16/a.html`).
    let names_file = path
        .rsplit('/')
        .next()
        .is_some_and(|last| last.contains('.'));
    (numbers.count() == 1 && !(names_file && end < path.len())).then_some(end)
}

/// Returns true for a path that ends with a number and, before it, the word for its kind, which is not the host: `…/pull/91`,
/// but not the month of `…/2026/01`, or the year of `…/blog/2026`.
fn ends_with_number(path: &str) -> bool {
    let mut segments = path.rsplit('/');
    let number = segments.next().unwrap_or_default();
    let kind = segments.next().unwrap_or_default();
    let has_host = segments.next().is_some();
    let is_word = kind.contains(char::is_alphabetic) && !VERSIONED.contains(&kind);
    has_host && is_word && is_number(number) && !is_year(number)
}

/// Words before the number of a version, under which there are many pages.
const VERSIONED: [&str; 4] = ["docs", "javase", "v", "version"];

fn is_number(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for a number that is a year of the web, under which there are many pages.
fn is_year(number: &str) -> bool {
    number.len() == 4 && ("1990".."2040").contains(&number)
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
            ("/pull/91/#/oil", &["/pull/91"]),
            ("/runs/276/job/8187?pr=12", &["/runs/276/job/8187"]),
            ("/runs/276/job/8187", &[]),
            ("/users/5/orders/12", &[]),
            ("/channels/111/777/888", &[]),
            ("/issues?q=is%3Aclosed", &[]),
            ("?tab=readme", &[]),
            ("/#/oil", &[]),
            ("/issues", &[]),
            ("/2026/01/oil", &[]),
            ("/blog/2026/oil", &[]),
            ("/blog/2026?page=2", &[]),
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
            "https://store.example/apps/details?id=91",
            "https://lamp.example/2026/01/oil",
            "https://lamp.example/91/oil",
            "https://lamp.example/manual/16/oil.html",
            "https://lamp.example/docs/11/wicks",
            "https://lamp.example",
            "src/lamp/pull/91/files",
            "://",
            "",
        ] {
            assert_eq!(list_beginnings(other), [""; 0], "{other}");
        }
    }
}
