//! Plain text in Markdown.

/// Longest name of an entity, in bytes: `&CounterClockwiseContourIntegral;`.
const ENTITY_BYTES: usize = 32;

/// Escapes what Markdown reads within a line: emphasis, tags, entities, images, links, backslashes and strikethrough
/// (CommonMark 0.31, chapter 6). Underscores within a word are no emphasis and stay as they are. A bare address of the web, which
/// GitHub and GitLab link (GFM 0.29, chapter 6.9), becomes a code span, from which it can be copied.
///
/// Code spans stay, with what is in them: a run of backquotes that is closed by one of the same length.
pub fn escape_markdown(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + line.len() / 16);
    let mut rest = line;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = address_length(rest, before) {
            let length = push_address(&mut out, &rest[..length], &rest[length..]);
            (before, rest) = (out.chars().next_back(), &rest[length..]);
            continue;
        }
        let length = rest.len() - rest.trim_start_matches(c).len();
        let end = match c {
            '`' => code_span_end(rest, length),
            c => (!is_read(c, length, before, &rest[length..])).then_some(length),
        };
        match end {
            Some(end) => out.push_str(&rest[..end]),
            None => rest[..length].chars().for_each(|c| out.extend(['\\', c])),
        }
        rest = &rest[end.unwrap_or(length)..];
        before = Some(c);
    }
    out
}

/// Returns where the code span ends that a run of so many backquotes at the beginning of a text opens.
pub fn code_span_end(opened: &str, length: usize) -> Option<usize> {
    let mut at = length;
    while let Some(found) = opened[at..].find('`') {
        at += found;
        let rest = &opened[at..];
        let run = rest.len() - rest.trim_start_matches('`').len();
        at += run;
        if run == length {
            return Some(at);
        }
    }
    None
}

/// Returns true when Markdown may read a run of `length` bytes of one character between `before` and `after`.
fn is_read(c: char, length: usize, before: Option<char>, after: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '*' | '<' => true,
        '_' => !is_word(before) || !is_word(after.chars().next()),
        // One before a word, as in `~/a`, only opens, and what could close it is escaped.
        '~' => length > 1 || before.is_some_and(|c| !c.is_whitespace()),
        '[' => before == Some('!'),
        '(' => before == Some(']'),
        '&' => begins_with_entity_name(after),
        _ => false,
    }
}

/// Appends an address as a code span, and returns the length of what was appended. Beside a backquote, with which the
/// span's own would be one run, the beginning alone is appended, escaped.
fn push_address(out: &mut String, address: &str, after: &str) -> usize {
    if !out.ends_with('`') && !after.starts_with('`') {
        out.extend(["`", address, "`"]);
        return address.len();
    }
    let sign = address.find([':', '.']).unwrap_or_default();
    out.extend([&address[..sign], "\\", &address[sign..=sign]]);
    sign + 1
}

/// Schemes of addresses that GitHub and GitLab link, and what begins one without a scheme.
const ADDRESS_BEGINNINGS: [&str; 4] = ["https://", "http://", "ftp://", "www."];

/// Returns the length of the bare address at the beginning of a text, without the signs that end a sentence.
fn address_length(text: &str, before: Option<char>) -> Option<usize> {
    let begins = |beginning: &&str| {
        let head = text.as_bytes().get(..beginning.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes()))
    };
    // A scheme begins behind the letters of ASCII before it, also in a text without spaces.
    let is_within_word = before.is_some_and(|c| c.is_ascii_alphabetic());
    if is_within_word || !ADDRESS_BEGINNINGS.iter().any(begins) {
        return None;
    }
    let ends = |c: char| c.is_whitespace() || "<>`\"'".contains(c);
    let address = &text[..text.find(ends).unwrap_or(text.len())];
    Some(
        address
            .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '*', '_', '…'])
            .len(),
    )
}

fn begins_with_entity_name(text: &str) -> bool {
    let name = text.trim_start_matches('#');
    let is_name = |b: &u8| b.is_ascii_alphanumeric();
    let length = name.bytes().take(ENTITY_BYTES).take_while(is_name).count();
    length > 0 && name[length..].starts_with(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(escape_markdown(text), expected, "{text}");
    }

    #[test]
    fn links_images_and_tags_are_text() {
        check("![a](https://evil/t.png)", r"!\[a]\(`https://evil/t.png`)");
        check("[here](https://evil)", r"[here]\(`https://evil`)");
        check("[here](mailto:a)", r"[here]\(mailto:a)");
        check("<img src=x> a[0] f(x)", r"\<img src=x> a[0] f(x)");
        check(r"C:\a\*", r"C:\\a\\\*");
    }

    #[test]
    fn code_spans_stay() {
        check("a[0] and `Vec<u8>`", "a[0] and `Vec<u8>`");
        check("``a` ![x](y)`` ![x](y)", r"``a` ![x](y)`` !\[x]\(y)");
        // Backquotes that open no code span hide nothing, and open none with one that follows the line.
        check("a ` ![x](y)", r"a \` !\[x]\(y)");
        check("`a`` ![x](y)", r"\`a\`\` !\[x]\(y)");
    }

    #[test]
    fn emphasis_is_text_and_names_stay() {
        check("fix __init__ and _x_", r"fix \_\_init\_\_ and \_x\_");
        check("*b* **c**", r"\*b\* \*\*c\*\*");
        check("snake_case, a__b: größe_ä", "snake_case, a__b: größe_ä");
        check("~~a~~ ~b~ in ~/c", r"\~\~a\~\~ ~b\~ in ~/c");
    }

    #[test]
    fn bare_addresses_are_text() {
        check(
            "see http://a.example/b_c*d.",
            "see `http://a.example/b_c*d`.",
        );
        check("WWW.a.example, (www.b)", "`WWW.a.example`, (`www.b`)");
        check("<https://a.example>", r"\<`https://a.example`>");
        check(
            "a.b a: b // c `http://a` xhttp://a",
            "a.b a: b // c `http://a` xhttp://a",
        );
        check("看https://a.example/8…", "看`https://a.example/8`…");
        check("``![y](z)``https://b", r"``![y](z)``https\://b");
        check(
            "http://a`` ![x](z) `` www.b`c`",
            r"http\://a`` ![x](z) `` www\.b`c`",
        );
    }

    #[test]
    fn entities_are_text() {
        check("&lt;b&gt; &#60; &#x3c;", r"\&lt;b\&gt; \&#60; \&#x3c;");
        check("a && b; AT&T & c;", "a && b; AT&T & c;");
    }
}
