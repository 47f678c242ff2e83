//! Names that passwords share with other things: `pwd` with the working directory, `render_pass` with a part of a program.

use crate::name::split_words;
use crate::value::is_numbered_name;

/// Words before `pass` in the names of parts of programs. Any other word may have a password.
const STAGES: [&str; 12] = [
    "compute", "depth", "first", "last", "post", "pre", "render", "second", "shader", "shadow",
    "single", "third",
];

/// Returns true for `pwd` with a path or a word.
pub(crate) fn is_working_directory(name: &str, value: &str) -> bool {
    let is_variable = value.starts_with('$') || value.contains("${");
    let is_path = value.contains(['/', '\\', '~', '.']) || is_variable || value.len() < 6;
    let is_word = !value.contains(|c: char| c.is_ascii_digit());
    is_pwd(name) && (is_path || is_word)
}

/// Returns true for a word with a number as parts of a program are called: `render_pass: Bloom2`.
pub(crate) fn is_numbered_part(name: &str, value: &str) -> bool {
    is_part_of_program(name) && is_numbered_name(value)
}

/// Returns true for a word with a number as folders are called: `pwd: Project2`.
pub(crate) fn is_numbered_directory(name: &str, value: &str) -> bool {
    is_pwd(name) && is_numbered_name(value)
}

fn is_pwd(name: &str) -> bool {
    name.trim_start_matches('-').eq_ignore_ascii_case("pwd")
}

/// Returns true for `pass` behind one of the [`STAGES`]: `first_pass`.
fn is_part_of_program(name: &str) -> bool {
    match split_words(name).as_slice() {
        [.., stage, last] => last == "pass" && STAGES.contains(&stage.as_str()),
        _ => false,
    }
}
