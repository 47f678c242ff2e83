//! Names of files that were attached to a prompt.

/// Returns the prompt, then the names of attached files that it does not mention.
pub(crate) fn append_file_names<'n>(
    mut prompt: String,
    names: impl IntoIterator<Item = &'n str>,
) -> String {
    let names = names.into_iter().filter(|name| !prompt.contains(name));
    let names: Vec<String> = names.map(|name| format!("@{name}")).collect();
    if !prompt.is_empty() && !names.is_empty() {
        prompt.push_str("\n\n");
    }
    prompt.push_str(&names.join(" "));
    prompt
}
