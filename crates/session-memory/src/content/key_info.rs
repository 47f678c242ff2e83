//! Key information: the lists in a memory's body before its first heading.

/// Formats items as a Markdown list, with the further lines of an item indented. Blank items are left out.
pub(crate) fn write_list(items: &[String]) -> String {
    let item = |text: &String| {
        let mut lines = text.trim().lines();
        let mut out = format!("- {}\n", lines.next().unwrap_or_default().trim_end());
        for line in lines {
            match line.trim_end() {
                "" => out.push('\n'),
                line => out.push_str(&format!("  {line}\n")),
            }
        }
        out
    };
    let items = items.iter().filter(|text| !text.trim().is_empty());
    items.map(item).collect()
}

/// Reads the items of the lists before the first heading.
pub(crate) fn read_items(body: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut blank = 0;
    for line in body.lines().take_while(|line| !line.starts_with('#')) {
        if let Some(first) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")) {
            items.push(first.trim_end().to_owned());
            is_open = true;
        } else if line.trim().is_empty() {
            blank += 1;
            continue;
        } else if let (true, Some(more), Some(item)) =
            (is_open, line.strip_prefix("  "), items.last_mut())
        {
            item.push_str(&"\n".repeat(blank + 1));
            item.push_str(more.trim_end());
        } else {
            is_open = false;
        }
        blank = 0;
    }
    items
}

/// Replaces the lists before the first heading by one of new items, and keeps the rest.
pub(crate) fn replace_items(body: &str, new: &[String]) -> String {
    let mut rest = String::new();
    let mut is_open = false;
    let mut is_headed = false;
    for line in body.lines() {
        is_headed = is_headed || line.starts_with('#');
        let begins = line.starts_with("- ") || line.starts_with("* ");
        let goes_on = is_open && (line.starts_with("  ") || line.trim().is_empty());
        is_open = !is_headed && (begins || goes_on);
        if !is_open {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    let (list, rest) = (write_list(new), rest.trim_matches('\n'));
    match (list.is_empty(), rest.is_empty()) {
        (_, true) => list,
        (true, false) => format!("{rest}\n"),
        (false, false) => format!("{list}\n{rest}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_begin_with_a_dash_or_star_are_items() {
        let body = "intro\n\n- one\n  more\n\n  after a gap\n- two\n\nnotes - not one\n  - inner\n* three\n";
        assert_eq!(
            read_items(body),
            ["one\nmore\n\nafter a gap", "two", "three"]
        );
        assert_eq!(
            replace_items(body, &["new".into()]),
            "- new\n\nintro\n\nnotes - not one\n  - inner\n"
        );
        assert_eq!(replace_items("- a\n  b\n", &["c".into()]), "- c\n");
        let headed = "- a\n\n## Notes\n\n- b\n";
        assert_eq!(read_items(headed), ["a"]);
        assert_eq!(
            replace_items(headed, &["c".into()]),
            headed.replace("- a", "- c")
        );
        assert_eq!(replace_items(headed, &[" ".into()]), "## Notes\n\n- b\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn a_formatted_list_is_read_back_unchanged(texts in prop::collection::vec("[a-z][a-z :#'\"池-]{0,20}[a-z](\n{1,2}[a-z -]{0,8}[a-z]){0,2}", 0..4)) {
            prop_assert_eq!(read_items(&write_list(&texts)), texts);
        }
    }
}
