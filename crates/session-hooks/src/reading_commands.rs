//! Command lines that only read: nothing is lost where they run before a memory about their files is read.

use session_core::shell::{may_write, split_command_parts};

/// Returns true for a command line of which each command only reads.
pub(crate) fn only_reads(command: &str) -> bool {
    !split_command_parts(command).iter().any(may_write)
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn reading_is_told_from_writing() {
        for command in [
            "cat db/1.sql",
            "cd db && ls -la | head -3",
            "git -C web diff HEAD~1 -- a.ts | cat",
            "grep -rn \"a > b\" src 2>/dev/null",
            "sed -n '1,60p' src/main.go 2>&1 | wc -l",
            "find db -name '*.sql' | xargs -n 1 grep -l price",
            "bash -lc 'cat db/1.sql'",
            "LC_ALL=C sort db/1.sql >/dev/null",
            "cat db/1.sql > '/dev/null' # a > b",
            "sed -nE -e 's/-i/i/p' db/1.sql",
            "sort -u -k2 db/1.sql | uniq -c",
            "source .venv/bin/activate && if test -f a; then cat a; fi",
            "awk '{ print $2 }' db/1.sql | tee /dev/null",
            "find db -exec grep -l price {} +",
        ] {
            assert!(only_reads(command), "{command}");
        }
        for command in [
            "psql -f db/1.sql",
            "cat a > db/1.sql",
            "cat a >> db/1.sql",
            "cat a >| db/1.sql",
            "cat a &> db/1.sql",
            "sed -i s/a/b/ db/1.sql",
            "sed -Ei s/a/b/ db/1.sql",
            "sed -ni.bak 1p db/1.sql",
            "sed --in-place=.bak 1d db/1.sql",
            "sort -uo db/1.sql db/1.sql",
            "sort db/1.sql --out=db/1.sql",
            "uniq a db/1.sql",
            "awk '{ print > \"db/1.sql\" }' a",
            "xxd -r a db/1.sql",
            "tree -o db/1.sql",
            "find db -name '*.sql' -delete",
            "find db | xargs rm",
            "find db -exec cat {} + -exec rm {} +",
            "bash -c 'cat a > db/1.sql'",
            "source ./deploy.sh",
            "git checkout db/1.sql",
            "git diff --output=db/1.sql",
            "cat \"$(rm db/1.sql)\"",
            "cat $(rm db/1.sql)",
            "bash -c 'rm db/1.sql'",
            "ssh host cat db/1.sql",
            "cat db/1.sql && make",
            "cat a | tee db/1.sql",
        ] {
            assert!(!only_reads(command), "{command}");
        }
    }
}
