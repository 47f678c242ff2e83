//! A command line taken apart as far as it takes to see which programs it runs.

use crate::text::file_name;
use std::iter::Peekable;
use std::str::Chars;

/// Words that another program is named after.
const WRAPPERS: [&str; 17] = [
    "sudo", "time", "timeout", "env", "nohup", "command", "exec", "npx", "bunx", "if", "then",
    "else", "elif", "while", "do", "!", "{",
];
/// Words that end what such words began.
const ENDS: [&str; 4] = ["fi", "done", "}", "esac"];

/// The program that a pipe begins with, without its folder.
pub(crate) fn program(pipe: &str) -> Option<&str> {
    let mut words = pipe.split_whitespace();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let leads = |word: &&str| word.contains('=') || WRAPPERS.contains(word) || is_number(word);
    let program = words.find(|word| !leads(word))?;
    (!ENDS.contains(&program)).then(|| file_name(program))
}

/// The pipes of a command line, which `;`, `&&`, `||`, `&`, line ends and parentheses separate
/// where no quote is open. Comments and the texts of heredocs are left out.
pub(crate) fn pipes(command: &str) -> Vec<String> {
    let mut line = Line {
        rest: command.chars().peekable(),
        pipes: vec![String::new()],
        heredoc: None,
    };
    while let Some(c) = line.rest.next() {
        line.take(c);
    }
    line.pipes
}

struct Line<'c> {
    rest: Peekable<Chars<'c>>,
    pipes: Vec<String>,
    /// The word that ends the text which begins on the next line.
    heredoc: Option<String>,
}

impl Line<'_> {
    fn take(&mut self, c: char) {
        match c {
            '\\' => self.escaped(),
            '\'' | '"' => self.quoted(c),
            '#' if self.at_word() => while self.rest.next_if(|c| *c != '\n').is_some() {},
            '<' if self.rest.next_if_eq(&'<').is_some() => self.begin_heredoc(),
            '&' if self.is_redirection() => self.push(c),
            '|' if self.rest.next_if_eq(&'|').is_some() => self.end(),
            '\n' => {
                self.skip_heredoc();
                self.end();
            }
            ';' | '&' | '(' | ')' => self.end(),
            _ => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        if let Some(pipe) = self.pipes.last_mut() {
            pipe.push(c);
        }
    }

    /// A character inside a word.
    fn push_inside(&mut self, c: char) {
        self.push(if c.is_whitespace() { '_' } else { c });
    }

    fn end(&mut self) {
        self.pipes.push(String::new());
    }

    fn last(&self) -> Option<char> {
        self.pipes.last()?.chars().next_back()
    }

    fn at_word(&self) -> bool {
        self.last().is_none_or(char::is_whitespace)
    }

    /// `2>&1`, `&> file`, `|& head`.
    fn is_redirection(&mut self) -> bool {
        matches!(self.last(), Some('>' | '<' | '|')) || self.rest.peek() == Some(&'>')
    }

    /// What a backslash takes its meaning from; a line end goes with it.
    fn escaped(&mut self) {
        match self.rest.next() {
            Some('\n') => self.push(' '),
            Some(c) => self.push_inside(c),
            None => {}
        }
    }

    fn quoted(&mut self, quote: char) {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' if quote == '"' => self.escaped(),
                c if c == quote => return,
                c => self.push_inside(c),
            }
        }
    }

    /// `<<EOF`, `<<-'EOF'`; not `<<<`, which a word follows.
    fn begin_heredoc(&mut self) {
        if self.rest.next_if_eq(&'<').is_some() {
            return;
        }
        let mut word = String::new();
        while let Some(c) = self
            .rest
            .next_if(|c| !c.is_whitespace() && !";|&".contains(*c))
        {
            if !"'\"\\-".contains(c) {
                word.push(c);
            }
        }
        self.heredoc = Some(word);
    }

    fn skip_heredoc(&mut self) {
        let Some(end) = self.heredoc.take() else {
            return;
        };
        let mut line = String::new();
        for c in self.rest.by_ref() {
            match c {
                '\n' if line.trim() == end => return,
                '\n' => line.clear(),
                c => line.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(command: &str) -> Vec<String> {
        let pipes = pipes(command);
        let programs = pipes.iter().filter_map(|pipe| program(pipe));
        programs.map(str::to_owned).collect()
    }

    #[test]
    fn programs_are_found_where_a_shell_finds_them() {
        for (command, expected) in [
            ("cd /x && /usr/bin/make all 2>&1 | head", "cd make"),
            ("make &> log; X=1 sudo ls |& wc", "make ls"),
            ("echo 'a; b' \"c && d \\\" e\" || true", "echo true"),
            ("(cd /x && ls) # rm; rm", "cd ls"),
            ("make \\\n  all\nls", "make ls"),
            ("cat <<'EOF' > x; ls\nrm -r y\nEOF\nwc x", "cat ls wc"),
            ("grep x <<< y; ls it\\'s; rm", "grep ls rm"),
            ("x=$(make a); y", "make y"),
            (
                "X='a b' timeout 5 ls; if true; then npx tsc; fi",
                "ls true tsc",
            ),
        ] {
            assert_eq!(programs(command).join(" "), expected, "{command}");
        }
    }
}
