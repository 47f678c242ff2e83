//! Paths of a history joined by text: it may be of another system.

/// Returns the absolute path of a file whose path may be relative to a working directory. A path on a drive of Windows is
/// written in the style of that directory. The paths are compared as text: the history may be of another system.
pub fn resolve_path(cwd: Option<&str>, path: String) -> String {
    if let Some(path) = cwd.and_then(|cwd| drive_path(cwd, &path)) {
        return path;
    }
    let cwd = cwd.filter(|_| is_relative(&path));
    let Some((cwd, separator)) = cwd.and_then(with_separator) else {
        return path;
    };
    let mut names: Vec<&str> = cwd.split(separator).collect();
    for name in path.split(['/', separator]) {
        match name {
            "" | "." => {}
            ".." if names.len() > 1 => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join(&separator.to_string())
}

/// Returns a path on a drive with backslashes, where the working directory has them: programs for Windows take `D:/a` for
/// `D:\a`, and the shell that comes with Git writes `/d/a`.
fn drive_path(cwd: &str, path: &str) -> Option<String> {
    with_separator(cwd).filter(|(_, separator)| *separator == '\\')?;
    let (drive, rest) = match path.as_bytes() {
        [b'/', drive, b'/', ..] | [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            (char::from(*drive), &path[2..])
        }
        _ => return None,
    };
    let known = cwd.chars().next();
    let known = known.filter(|known| known.eq_ignore_ascii_case(&drive));
    let drive = known.unwrap_or(drive.to_ascii_uppercase());
    Some(format!("{drive}:{}", rest.replace('/', r"\")))
}

/// Returns a path from a folder, which may itself be relative; an absolute path as it is.
pub fn join_path(folder: &str, path: String) -> String {
    match folder {
        "" => path,
        folder if with_separator(folder).is_some() => resolve_path(Some(folder), path),
        folder if is_relative(&path) => format!("{folder}/{path}"),
        _ => path,
    }
}

fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '\\', '~']) && !path.contains(':')
}

/// Returns an absolute path without its last separator, and what separates its names.
fn with_separator(path: &str) -> Option<(&str, char)> {
    let separator = match path.as_bytes() {
        [b'/', ..] => '/',
        [_, b':', b'\\', ..] => '\\',
        _ => return None,
    };
    Some((path.trim_end_matches(separator), separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_is_one_from_the_working_directory() {
        let cases = [
            ("/home/ann/app", "src/main.rs", "/home/ann/app/src/main.rs"),
            ("/home/ann/app", "./notes.txt", "/home/ann/app/notes.txt"),
            ("/home/ann/app/", "../other/a.rs", "/home/ann/other/a.rs"),
            ("/", "../../a.rs", "/a.rs"),
            (r"C:\work", "src/a.rs", r"C:\work\src\a.rs"),
            (r"C:\work", r"..\b\a.rs", r"C:\b\a.rs"),
            ("/home/ann/app", "/etc/hosts", "/etc/hosts"),
            ("/home/ann/app", "~/notes.txt", "~/notes.txt"),
            ("/home/ann/app", r"C:\work\a.rs", r"C:\work\a.rs"),
            (r"C:\app", "C:/app/a.rs", r"C:\app\a.rs"),
            (r"c:\work", "/C/work/src/a.rs", r"c:\work\src\a.rs"),
            (r"C:\work", "/d/a.rs", r"D:\a.rs"),
            (r"C:\work", "/tmp/a.rs", "/tmp/a.rs"),
            ("/d/app", "/d/app/a.rs", "/d/app/a.rs"),
            ("app", "a.rs", "a.rs"),
            ("", "a.rs", "a.rs"),
        ];
        for (cwd, path, whole) in cases {
            assert_eq!(
                resolve_path(Some(cwd), path.to_owned()),
                whole,
                "{cwd} {path}"
            );
        }
        assert_eq!(resolve_path(None, "a.rs".to_owned()), "a.rs");
    }

    #[test]
    fn a_folder_that_is_relative_stays_in_front() {
        for (folder, path, joined) in [
            ("", "a.rs", "a.rs"),
            ("web", "../a.rs", "web/../a.rs"),
            ("~/app", "a.rs", "~/app/a.rs"),
            ("/home/ann", "../a.rs", "/home/a.rs"),
            ("web", "/a.rs", "/a.rs"),
        ] {
            assert_eq!(
                join_path(folder, path.to_owned()),
                joined,
                "{folder} {path}"
            );
        }
    }
}
