//! Agents' Markdown as a sentence or two.

/// The beginning of a text as plain prose on one line, at most about `limit`
/// characters: cut after a sentence where there is one, else after a word.
/// Headings, code, tables and quotes are left out; lists are read on.
pub fn sentences(text: &str, limit: usize) -> String {
    let text = text.trim();
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    cut(&plain(quoted.unwrap_or(text), limit * 4), limit)
}

/// Prose of at most about `most` bytes.
fn plain(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if in_code || is_furniture(line) {
            continue;
        }
        let (is_item, words) = unlisted(line);
        join(&mut out, &unmarked(words), is_item);
        if out.len() > most {
            break;
        }
    }
    out
}

/// Headings, rules, tables, quotes and tags: they say nothing by themselves.
fn is_furniture(line: &str) -> bool {
    let is_rule = line.len() >= 3 && line.chars().all(|c| "-=*_ ".contains(c));
    line.is_empty() || is_rule || line.starts_with(['#', '|', '>', '<'])
}

/// A line without the mark of a list's item, and whether it had one.
fn unlisted(line: &str) -> (bool, &str) {
    let bullet = ["- [x] ", "- [ ] ", "- ", "* ", "+ ", "• "];
    if let Some(words) = bullet.iter().find_map(|mark| line.strip_prefix(mark)) {
        return (true, words.trim());
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(words) if (1..=2).contains(&digits) => (true, words.trim()),
        _ => (false, line),
    }
}

/// Words without the marks of emphasis, and links by their words.
fn unmarked(words: &str) -> String {
    // Between slashes two stars are a pattern of paths.
    let plain = words
        .replace("/**", "\u{0}")
        .replace("**", "")
        .replace('\u{0}', "/**");
    let mut out = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let link = after
            .split_once("](")
            .and_then(|(words, target)| Some((words, target.split_once(')')?.1)));
        match link.filter(|(words, _)| !words.contains('[')) {
            Some((words, behind)) => {
                out.push_str(words);
                rest = behind;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

/// Items of a list follow one another by `; `, other lines by a space.
fn join(out: &mut String, words: &str, is_item: bool) {
    if words.is_empty() {
        return;
    }
    if !out.is_empty() {
        let open = out.ends_with([':', ';', ',', '.', '!', '?', '。']);
        out.push_str(if is_item && !open { "; " } else { " " });
    }
    let mut words = words.split_whitespace();
    out.push_str(words.next().unwrap_or_default());
    words.for_each(|word| {
        out.push(' ');
        out.push_str(word);
    });
}

fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.trim_end_matches([':', ';']).to_owned();
    };
    let head = text.get(..end).unwrap_or(text);
    let sentence = sentence_ends(text).take_while(|at| *at <= end).last();
    if let Some(at) = sentence.filter(|at| *at >= end / 4) {
        return text.get(..at).unwrap_or(head).to_owned();
    }
    let word = head.rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    let kept = text.get(..word).unwrap_or(head);
    format!("{}…", kept.trim_end_matches([' ', ',', ';', ':', '.', '(']))
}

/// Offsets just behind sentences. A point within a name or a number ends none.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().filter(move |(at, c)| {
        let next = text.get(at + c.len_utf8()..).and_then(|t| t.chars().next());
        match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !is_short(text, *at),
            '。' | '！' | '？' => true,
            _ => false,
        }
    });
    ends.map(|(at, c)| at + c.len_utf8())
}

/// `e.g.`, `i.e.`, `1.`: a point after them ends no sentence.
fn is_short(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word = word.trim_start_matches('(');
    word.len() == 1 || matches!(word, "e.g" | "i.e" | "vs" | "etc" | "cf")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_cut_after_a_sentence() {
        let text = "The cache was cold, e.g. on start. It fills first now. Nothing else changed here at all.";
        assert_eq!(
            sentences(text, 60),
            "The cache was cold, e.g. on start. It fills first now."
        );
        assert_eq!(sentences(text, 30), "The cache was cold, e.g. on…");
        assert_eq!(
            sentences("Set `max.files` to 3.5 and go", 80),
            "Set `max.files` to 3.5 and go"
        );
        assert_eq!(sentences("修好了。现在可以运行。", 5), "修好了。");
    }

    #[test]
    fn markdown_is_read_as_prose() {
        let text = "## Summary\n\n**Fixed:**\n- the [leak](https://a.b/c)\n- `close()` twice\n\n| a | b |\n```sh\nmake\n```\nAll tests pass.";
        assert_eq!(
            sentences(text, 200),
            "Fixed: the leak; `close()` twice All tests pass."
        );
        assert_eq!(
            sentences("**All** of `src/**/*.md`", 200),
            "All of `src/**/*.md`"
        );
        assert_eq!(sentences("\"# Context\nMend it.\"", 200), "Mend it.");
        assert_eq!(sentences("1. First\n2. Second", 200), "First; Second");
        assert_eq!(sentences("```\nonly code\n```", 200), "");
    }

    proptest! {
        #[test]
        fn any_text_is_cut(text in "([a-z.!?。 \\n#*`\\[\\]()-]|\\PC){0,200}", limit in 1usize..80) {
            let cut = sentences(&text, limit);
            prop_assert!(cut.chars().count() <= limit + 1, "{}", cut);
            prop_assert!(!cut.contains('\n'));
        }
    }
}
