//! The field `hints` of JSON: why nothing was found, and what to change.

/// Splits a message, as it stands on stderr, into its sentences: a line each, without the mark of a hint.
///
/// ```
/// let message = "no project has `lamp` in its name or path\nhint: there is `lamps`";
/// let hints = session_output::list_hints(message);
/// assert_eq!(hints, ["no project has `lamp` in its name or path", "there is `lamps`"]);
/// ```
pub fn list_hints(message: &str) -> Vec<String> {
    let lines = message.lines().map(str::trim);
    let lines = lines.map(|line| line.strip_prefix("hint: ").unwrap_or(line));
    let sentences = lines.filter(|line| !line.is_empty());
    sentences.map(str::to_owned).collect()
}
