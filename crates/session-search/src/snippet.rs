//! The lines of a turn that show best why it was found.

use session_core::{Query, TurnContent, noise, text};

/// At most `limit` characters of a turn: the line with most of the query's
/// words, with what follows it, or else the head of the user's words.
pub(crate) fn snippet(content: &TurnContent, query: &Query, limit: usize) -> String {
    let words: Vec<String> = query.terms.iter().map(|t| t.text.to_lowercase()).collect();
    let score = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|w| line.contains(w.as_str())).count()
    };
    let extras = content
        .commands
        .iter()
        .chain(&content.errors)
        .map(String::as_str);
    let lines = content
        .prompt
        .lines()
        .chain(content.answer.lines())
        .chain(extras);
    // The first of equals: the user's words before the answer.
    let best = lines
        .map(|l| (score(l), l))
        .filter(|(s, _)| *s > 0)
        .reduce(|a, b| if b.0 > a.0 { b } else { a });
    let head = if noise::is_noise(&content.prompt) {
        &content.answer
    } else {
        &content.prompt
    };
    match best {
        Some((_, line)) if line.chars().count() > limit => around(line, &words, limit),
        Some((_, line)) => shorten(&following(content, line), limit),
        None => shorten(head, limit),
    }
}

/// A line with the text after it, where it is from the conversation.
fn following(content: &TurnContent, line: &str) -> String {
    let start = |text: &str| {
        line.as_ptr()
            .addr()
            .checked_sub(text.as_ptr().addr())
            .filter(|at| *at < text.len())
    };
    [&content.prompt, &content.answer]
        .into_iter()
        .find_map(|text| text.get(start(text)?..).map(str::to_owned))
        .unwrap_or_else(|| line.to_owned())
}

/// The part of a long line around the first of the words.
fn around(line: &str, words: &[String], limit: usize) -> String {
    let lower = line.to_lowercase();
    let at = words
        .iter()
        .filter_map(|w| lower.find(w.as_str()))
        .min()
        .unwrap_or(0);
    let before = lower[..at].chars().count().saturating_sub(limit / 4);
    let rest: String = line.chars().skip(before).collect();
    let cut = shorten(&rest, limit);
    if before > 0 { format!("…{cut}") } else { cut }
}

fn shorten(words: &str, limit: usize) -> String {
    let line = text::one_line(text::clip(words, limit * 8));
    if line.chars().count() <= limit {
        return line;
    }
    let cut: String = line.chars().take(limit).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_line_is_shown() {
        let content = TurnContent {
            prompt: "Hello there, this is a question about containers.\nThe backend network does not resolve.".into(),
            answer: "Use the service name.".into(),
            ..TurnContent::default()
        };
        let of = |query: &str, limit| snippet(&content, &Query::new(query), limit);
        assert_eq!(
            of("network resolve", 200),
            "The backend network does not resolve."
        );
        assert_eq!(of("service", 200), "Use the service name.");
        assert_eq!(of("nothing of it", 20), "Hello there, this is…");
        assert_eq!(of("network", 12), "…nd network d…");
    }
}
