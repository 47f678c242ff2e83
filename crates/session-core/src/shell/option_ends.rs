//! Where the options before a subcommand may end.

/// The most ends that are looked at.
pub const MAX_LEADING_OPTIONS: usize = 8;

/// Returns the words from each one on at which leading options may end, since the word after an option may be its value:
/// `web push` and `push` of `-C web push`. All words where they begin with none.
pub fn option_ends<W: AsRef<str>>(words: &[W]) -> Vec<&[W]> {
    let is_option = |word: &W| word.as_ref().starts_with(['-', '+']);
    let has_option = |words: &[W]| words.first().is_some_and(is_option);
    let mut ends = Vec::new();
    if !words.is_empty() && !has_option(words) {
        ends.push(words);
    }
    let mut rest = words;
    while ends.len() < MAX_LEADING_OPTIONS && has_option(rest) {
        let options = rest.iter().take_while(|word| is_option(word)).count();
        let [last, after @ ..] = &rest[options - 1..] else {
            break;
        };
        let last = last.as_ref();
        let may_have_value = last.starts_with('-') && !last.contains('=');
        let without_value = after.get(usize::from(may_have_value)..);
        let new = [Some(after), without_value].into_iter().flatten();
        ends.extend(new.filter(|end| !end.is_empty() && !has_option(end)));
        rest = without_value.unwrap_or_default();
    }
    ends
}
