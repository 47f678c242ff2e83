//! Comparison of paths and project names with those that users type.

use crate::text::{compose, file_name, fold_word};

/// Returns true when `wanted` is a part of `path`, whatever the case, the accents and the slashes:
/// the name of a project or file, the whole path, or a folder above it; `*` stands for
/// anything, and `./` at its beginning for nothing.
pub fn path_matches(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_end_matches(['/', '\\']);
    let (path, wanted) = (fold_path(path), fold_path(wanted));
    let wanted = wanted.strip_prefix("./").unwrap_or(&wanted);
    if wanted.starts_with("a/") || wanted.starts_with("b/") {
        // A diff's, which would be found in `web/`.
        contains_in_order(&format!("/{path}"), format!("/{wanted}").split('*'))
    } else {
        contains_in_order(&path, wanted.split('*'))
    }
}

/// Returns true when a rule names `path` or a folder above it, whatever the case, the accents and the slashes: by a whole
/// path, or by whole names in a row (`bank`, `work/bank`). `*` stands for anything, also for several names; `/*` and `/**` at
/// the end for nothing, since a folder goes with all that is in it. `~/` stands for any home folder, by the names under which
/// systems keep them.
pub fn rule_names_path(rule: &str, path: &str) -> bool {
    let (path, rule) = (fold_path(path), fold_path(rule));
    let path = format!("/{}/", path.trim_matches('/'));
    match rule.strip_prefix('~') {
        Some("") => strip_home(&path).is_some(),
        Some(below) if below.starts_with('/') => {
            strip_home(&path).is_some_and(|path| names_folded_path(below, path))
        }
        _ => names_folded_path(&rule, &path),
    }
}

/// Returns what of a path lies below a home folder, from its slash on: `/home/ann`, `/Users/ann`, `C:/Users/ann`,
/// `/mnt/c/Users/ann`, `/var/home/ann`, `/root`.
fn strip_home(path: &str) -> Option<&str> {
    /// In `/mnt/c/users/`.
    const MAX_SLASHES: usize = 4;
    if let Some(below) = path.strip_prefix("/root").filter(|s| s.starts_with('/')) {
        return Some(below);
    }
    let folders = ["/home/", "/users/"].into_iter();
    let user = folders.filter_map(|folder| Some(path.find(folder)? + folder.len()));
    let user = user.min()?;
    let is_home = path[..user].matches('/').count() <= MAX_SLASHES;
    let end = path[user..].find('/')?;
    is_home.then(|| &path[user + end..])
}

/// Returns what [`rule_names_path`] does for a folded rule without `~` and a folded path between slashes.
fn names_folded_path(rule: &str, path: &str) -> bool {
    let rule = rule.strip_prefix("./").unwrap_or(rule);
    let pattern = match trim_contents(rule).trim_matches('/') {
        "" if rule.is_empty() => return false,
        "" => "/".to_owned(),
        names => format!("/{names}/"),
    };
    let mut parts = pattern.split('*');
    if !rule.starts_with('/') {
        return contains_in_order(path, parts);
    }
    let begin = path.strip_prefix(parts.next().unwrap_or_default());
    begin.is_some_and(|rest| contains_in_order(rest, parts))
}

/// Returns a rule without the `/*` and `/**` at its end.
fn trim_contents(rule: &str) -> &str {
    let mut folder = rule.trim_end_matches('/');
    while let Some(shorter) = folder.strip_suffix("/*").or(folder.strip_suffix("/**")) {
        folder = shorter.trim_end_matches('/');
    }
    folder
}

/// Returns the paths that a text may mean that was typed or pasted, the text itself first: without quotes, the `@` of a mention
/// and a line number, and without the `a/` or `b/` of a diff. One counts where those before it name no file.
pub fn pasted_path_readings(typed: &str) -> Vec<&str> {
    let path = trim_path_marks(typed);
    let in_diff = path.strip_prefix("a/").or(path.strip_prefix("b/"));
    let mut readings = vec![typed];
    for reading in [Some(path), in_diff].into_iter().flatten() {
        if !reading.is_empty() && !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

/// Returns a path without what surrounds it in a text: quotes, the `@` of a mention, a line number.
fn trim_path_marks(typed: &str) -> &str {
    let is_quote = |c: char| c.is_whitespace() || "\"'`“”‘’".contains(c);
    let mut path = typed;
    loop {
        let before = path.len();
        path = path.trim_matches(is_quote).trim_start_matches('@');
        path = trim_line_number(path);
        if path.len() == before {
            return path;
        }
    }
}

/// Returns a path without the line and column that a compiler (`:12:5`) or a link (`#L12-L15`) names behind it.
pub(crate) fn trim_line_number(path: &str) -> &str {
    let is_line = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let Some((file, lines)) = path.split_once("#L")
        && !file.is_empty()
        && lines
            .split('-')
            .all(|line| is_line(line.trim_start_matches('L')))
    {
        return file;
    }
    let mut file = path;
    while let Some((before, line)) = file.rsplit_once(':') {
        if !is_line(line) {
            break;
        }
        file = before;
    }
    file
}

/// Returns a path as parts are searched in it: with `/` between its components, without case and accents.
fn fold_path(path: &str) -> String {
    fold_word(&compose(path)).replace('\\', "/")
}

/// Returns true for the folder itself and all paths below it, whatever the case and the slashes.
pub fn is_path_within(path: &str, folder: &str) -> bool {
    let (path, folder) = (fold_case(path), fold_case(folder));
    let below = path.strip_prefix(folder.trim_end_matches('/'));
    below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
}

/// Returns true when `typed` is the path of a project or its name, whatever the case and the slashes.
pub fn is_project_named(path: &str, typed: &str) -> bool {
    let typed = fold_case(typed.trim_end_matches(['/', '\\']));
    [path, file_name(path)].map(fold_case).contains(&typed)
}

/// Returns a path as whole paths are compared: with `/` between its components, without case. Accents count: they may be
/// all that distinguishes two folders.
fn fold_case(path: &str) -> String {
    compose(path).replace('\\', "/").to_lowercase()
}

/// Returns true when the parts stand in a text in this order.
pub fn contains_in_order<'p>(text: &str, mut parts: impl Iterator<Item = &'p str>) -> bool {
    let mut rest = text;
    parts.all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_by_name_or_part_or_whole() {
        for wanted in ["homelab", "/home/ann/homelab", "Home", "ann/homelab/"] {
            assert!(path_matches("/home/ann/homelab", wanted), "{wanted}");
        }
        assert!(
            path_matches("/a/Gro\u{308}ße", "größe") && path_matches("/a/Größe", "gro\u{308}ße")
        );
        assert!(path_matches("C:\\work\\api", "work/api"));
        assert!(path_matches("/a/src/main.rs", "./src/*.rs") && path_matches("/a", "*"));
        assert!(!path_matches("/a/main.rs/src", "src/*.rs"));
        assert!(!path_matches("/home/ann/homelab", "/home/ann/lab"));
    }

    #[test]
    fn a_rule_without_a_star_names_whole_folders() {
        for (rule, path) in [
            ("bank", "/home/ann/bank"),
            ("bank", "/home/ann/bank/web"),
            ("Ann/Bank/", "/home/ann/bank"),
            ("/home/ann/bank", "/home/ann/bank/web"),
            ("/home/ann/bank/", "/home/ann/bank"),
            ("./bank", "/home/ann/bank"),
            ("/", "/home/ann/bank"),
            ("gro\u{308}ße", "/a/Größe"),
            (r"C:\code\bank", "c:/code/bank/web"),
            (r"work\bank\", r"C:\work\bank"),
            (
                "-home-ann-bank",
                "/h/.claude/projects/-home-ann-bank/a.jsonl",
            ),
        ] {
            assert!(rule_names_path(rule, path), "{rule} {path}");
        }
        for (rule, path) in [
            ("work", "/home/ann/workspace/app"),
            ("bank", "/home/ann/my-bank"),
            ("/home/ann/bank", "/home/ann/bank-web"),
            ("/home/ann/bank/", "/home/ann/bank-web"),
            ("/home/ann/bank", "/home/ann"),
            ("/work", "/home/ann/work"),
            (r"C:\work", r"C:\workspace"),
            (
                "-home-ann-bank",
                "/h/.claude/projects/-home-ann-bank-web/a.jsonl",
            ),
            ("", "/home/ann/bank"),
        ] {
            assert!(!rule_names_path(rule, path), "{rule} {path}");
        }
    }

    #[test]
    fn a_star_in_a_rule_stands_for_anything() {
        for (rule, path) in [
            ("*bank*", "/home/ann/my-bank-web/src"),
            ("bank*", "/home/ann/bank-web"),
            ("*bank", "/home/ann/my-bank"),
            ("/home/ann/bank*", "/home/ann/bank"),
            ("/home/*/bank", "/home/ann/work/bank/src"),
            (r"C:\code\*bank*", "c:/code/my-bank"),
            ("*", "/home/ann"),
            ("**", "/home/ann"),
            ("/*", "/home/ann"),
            ("/**", "/home/ann"),
        ] {
            assert!(rule_names_path(rule, path), "{rule} {path}");
        }
        for (rule, path) in [
            ("bank*", "/home/ann/my-bank"),
            ("*bank", "/home/ann/bank-web"),
            ("/ann/*", "/home/ann/bank"),
        ] {
            assert!(!rule_names_path(rule, path), "{rule} {path}");
        }
    }

    #[test]
    fn a_tilde_in_a_rule_stands_for_any_home_folder() {
        for path in [
            "/home/ann/tax",
            "/Users/ann.old/Tax/2026",
            r"C:\Users\ann\tax",
            "/mnt/c/Users/ann/tax",
            "/c/Users/ann/tax",
            "/var/home/ann/tax",
            "/root/tax",
        ] {
            for rule in ["~/tax", r"~\tax", "~/tax/*", "~/t*", "~"] {
                assert!(rule_names_path(rule, path), "{rule} {path}");
            }
        }
        for path in [
            "/home/ann/work/tax",
            "/home/tax",
            "/home/ann/tax-web",
            "/srv/tax",
            "/srv/backups/2026/home/ann/tax",
            "/rooted/tax",
        ] {
            assert!(!rule_names_path("~/tax", path), "{path}");
        }
        assert!(rule_names_path("~", "/home/ann") && !rule_names_path("~", "/home"));
    }

    #[test]
    fn a_rule_for_the_contents_of_a_folder_names_the_folder() {
        for rule in [
            "/home/ann/bank/*",
            "/home/ann/bank/**",
            "/home/ann/bank/**/*",
            "/home/ann/bank/*/",
            "bank/*",
            "./ann/bank/**",
            r"\home\ann\bank\*",
        ] {
            for path in ["/home/ann/bank", "/home/ann/bank/web/src"] {
                assert!(rule_names_path(rule, path), "{rule} {path}");
            }
            for path in ["/home/ann", "/home/ann/bank-web", "/home/ann/my-bank"] {
                assert!(!rule_names_path(rule, path), "{rule} {path}");
            }
        }
    }

    #[test]
    fn a_path_of_a_diff_is_part_of_no_other_folder() {
        assert!(!path_matches("/app/web/src/a.ts", "b/src/a.ts"));
        assert!(path_matches("/app/b/src/a.ts", "b/src/a.ts"));
        assert!(path_matches("a/src/a.ts", "a/*.ts"));
        assert!(path_matches("/app/web/src/a.ts", "eb/src"));
    }

    #[test]
    fn a_pasted_path_is_read_as_typed_and_without_marks() {
        for typed in [
            "src/color.go:12",
            "src/color.go:12:5",
            "src/color.go#L12",
            "src/color.go#L12-L15",
            "@src/color.go",
            "@src/color.go#L12-15",
            "\"src/color.go\"",
            "`src/color.go:12`",
            "'src/color.go':12",
            " “src/color.go” ",
        ] {
            assert_eq!(
                pasted_path_readings(typed),
                [typed, "src/color.go"],
                "{typed}"
            );
        }
        let in_diff = pasted_path_readings("`b/src/color.go`");
        assert_eq!(
            in_diff,
            ["`b/src/color.go`", "b/src/color.go", "src/color.go"]
        );
        assert_eq!(
            pasted_path_readings("a/Makefile:7"),
            ["a/Makefile:7", "a/Makefile", "Makefile"]
        );
        let plain = [
            "src/color.go",
            "lib/a/b.rs",
            "C:\\work",
            "notes#Lamps",
            "*",
            "a/",
            "@",
            "",
        ];
        for typed in plain {
            assert_eq!(pasted_path_readings(typed), [typed]);
        }
    }

    #[test]
    fn a_folder_holds_itself_and_all_below_it() {
        assert!(is_path_within("/home/ann/app", "/home/ann/app/"));
        assert!(is_path_within(r"c:/users/ann/app/src", r"C:\Users\ann\app"));
        assert!(is_path_within("/home", "/"));
        for other in ["/home/ann/app2", "/srv/home/ann/app", "/home/ann/äpp"] {
            assert!(!is_path_within(other, "/home/ann/app"), "{other}");
        }
    }

    #[test]
    fn a_project_is_named_by_its_path_or_its_last_component() {
        for typed in ["api", "API/", "C:/code/api", r"c:\code\api\"] {
            assert!(is_project_named(r"C:\code\api", typed), "{typed}");
        }
        for other in ["ap", "code", "code/api", "äpi"] {
            assert!(!is_project_named(r"C:\code\api", other), "{other}");
        }
    }
}
