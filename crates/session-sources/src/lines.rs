//! Lines of a JSONL file with bounded memory.

mod elide;

use crate::{file, is_packed};
use elide::Elider;
use memchr::memchr;
use session_core::TurnSpan;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes before the offset of a cursor that must be the same for it to hold.
pub(crate) const TAIL_BYTES: usize = 4096;

const BUFFER_BYTES: usize = 256 * 1024;
const MIN_BUFFER_BYTES: usize = 512;
/// Longest line that is given as it is.
const WHOLE_LIMIT: usize = 1024 * 1024;

/// Most bytes that are unpacked of a file.
const UNPACKED_LIMIT: u64 = 8 << 30;

/// One line of a file, or several blank ones.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Offset of its first byte.
    pub start: u64,
    /// Offset of the byte after its line end.
    pub end: u64,
    /// Its bytes without the line end. Of a line over 1 MiB, long JSON strings
    /// are cut; `None` when even that is too long.
    pub text: Option<&'a [u8]>,
    /// False for a last line without a line feed.
    pub terminated: bool,
}

/// Counts the zeros that stand where a machine lost power before a line was written.
fn leading_zeros(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == 0).count()
}

/// Returns a line without the zeros before it; one of zeros alone is damage.
fn trim_zeros(line: &[u8]) -> &[u8] {
    let rest = &line[leading_zeros(line)..];
    if rest.is_empty() { line } else { rest }
}

/// Returns a content without the byte order mark that some editors put before a file.
pub(crate) fn trim_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

impl Line<'_> {
    /// Makes it a blank one.
    fn without_text(self) -> Self {
        Self {
            text: Some(&[]),
            ..self
        }
    }

    /// Returns the bytes of the line. Its line feed does not count: it may come later.
    pub(crate) fn span(&self) -> TurnSpan {
        TurnSpan {
            start: self.start,
            end: self.end - u64::from(self.terminated),
        }
    }
}

/// Reads a file line by line. Only `\n` ends a line: JSON strings may hold the
/// other characters that Unicode calls line ends.
pub(crate) struct Lines {
    reader: Box<dyn Read>,
    /// As many bytes as the tail of a cursor has, and those to be given: what is long is cut by the size of the latter.
    buffer: Vec<u8>,
    /// The bytes read and not yet given are `buffer[at..filled]`; those given last stand before them.
    at: usize,
    filled: usize,
    /// Offset in the file of `buffer[at]`.
    offset: u64,
    /// Offset at which the file was opened.
    opened: u64,
    elider: Elider,
}

/// A file of lines and those that go on with it, in order. They are read as one: offsets go on, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineFiles<'p> {
    pub first: &'p Path,
    pub continuations: &'p [PathBuf],
}

impl<'p> LineFiles<'p> {
    /// Returns the file that grows.
    pub(crate) fn last(self) -> &'p Path {
        self.continuations
            .last()
            .map_or(self.first, PathBuf::as_path)
    }
}

impl<'p> From<&'p Path> for LineFiles<'p> {
    fn from(first: &'p Path) -> Self {
        Self {
            first,
            continuations: &[],
        }
    }
}

impl<'p> From<&'p PathBuf> for LineFiles<'p> {
    fn from(first: &'p PathBuf) -> Self {
        Self::from(first.as_path())
    }
}

/// Returns true for an error that is in the content of a file, not in reading it: it ends too early, or what is packed is
/// damaged. (Those of the system are of no kind or of another one.)
pub(crate) fn is_content_error(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::Other)
}

/// Opens files, packed by zstd or not, at an offset in their content.
pub(crate) fn open_at(files: LineFiles<'_>, offset: u64) -> io::Result<Box<dyn Read>> {
    let (mut content, mut left) = skip(files.first, offset)?;
    for path in files.continuations {
        let (more, still_left) = skip(path, left)?;
        content = Box::new(content.chain(more));
        left = still_left;
    }
    Ok(content)
}

/// Opens a file behind its first bytes. Returns how many of them it lacks, too.
fn skip(path: &Path, count: u64) -> io::Result<(Box<dyn Read>, u64)> {
    let mut file = file::open(path)?;
    if is_packed(path) {
        let mut content = zstd::Decoder::new(file)?.take(UNPACKED_LIMIT);
        let skipped = io::copy(&mut content.by_ref().take(count), &mut io::sink())?;
        return Ok((Box::new(content), count - skipped));
    }
    if count == 0 {
        return Ok((Box::new(file), 0));
    }
    let skipped = count.min(file.metadata()?.len());
    file.seek(SeekFrom::Start(skipped))?;
    Ok((Box::new(file), count - skipped))
}

impl Lines {
    /// Opens a file at an offset, which should begin a line.
    pub(crate) fn open<'p>(files: impl Into<LineFiles<'p>>, offset: u64) -> io::Result<Self> {
        Self::open_buffered(files.into(), offset, BUFFER_BYTES)
    }

    /// Opens a file at an offset to read the lines before `end`, a turn of many: no more is read at first.
    pub(crate) fn open_span<'p>(
        files: impl Into<LineFiles<'p>>,
        offset: u64,
        end: u64,
    ) -> io::Result<Self> {
        let bytes = usize::try_from(end.saturating_sub(offset)).unwrap_or(BUFFER_BYTES);
        // It doubles to the same sizes as the other.
        let bytes = bytes.clamp(MIN_BUFFER_BYTES, BUFFER_BYTES);
        let bytes = bytes.next_power_of_two();
        Self::open_buffered(files.into(), offset, bytes)
    }

    fn open_buffered(files: LineFiles<'_>, offset: u64, bytes: usize) -> io::Result<Self> {
        Ok(Self {
            reader: open_at(files, offset)?,
            buffer: vec![0; TAIL_BYTES + bytes],
            at: TAIL_BYTES,
            filled: TAIL_BYTES,
            offset,
            opened: offset,
            elider: Elider::default(),
        })
    }

    /// Returns the offset of the next line.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the last bytes before the next line, as many as a cursor compares; `None` if not all of them were read.
    pub(crate) fn tail(&self) -> Option<&[u8]> {
        let wanted = self.offset.min(TAIL_BYTES as u64);
        let is_read = self.offset - self.opened >= wanted;
        let begin = self.at - usize::try_from(wanted).unwrap_or_default();
        is_read.then(|| &self.buffer[begin..self.at])
    }

    /// Returns the next line, or `None` at the end of the file. Line feeds in a row are one blank line, as far as they
    /// are in the buffer: of a gigabyte of them each would take a record's time.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let unread = &self.buffer[self.at..self.filled];
        let blank = unread.iter().take_while(|byte| **byte == b'\n').count();
        if blank > 1 {
            return Ok(Some(self.whole_line(blank - 1, true).without_text()));
        }
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.at..self.filled];
            if let Some(found) = memchr(b'\n', &unread[searched..]) {
                return Ok(Some(self.whole_line(searched + found, true)));
            }
            searched = unread.len();
            if searched > WHOLE_LIMIT {
                return self.elided_line().map(Some);
            }
            if self.fill()? == 0 {
                return Ok((searched > 0).then(|| self.whole_line(searched, false)));
            }
        }
    }

    fn whole_line(&mut self, len: usize, terminated: bool) -> Line<'_> {
        let (from, start) = (self.at, self.offset);
        self.advance(len + usize::from(terminated));
        let text = trim_cr(&self.buffer[from..from + len]);
        let text = match start {
            0 => trim_mark(text),
            _ => text,
        };
        let text = trim_zeros(text);
        Line {
            start,
            end: self.offset,
            text: Some(text),
            terminated,
        }
    }

    fn elided_line(&mut self) -> io::Result<Line<'_>> {
        let start = self.offset;
        self.elider.clear();
        let terminated = loop {
            let unread = &self.buffer[self.at..self.filled];
            let found = memchr(b'\n', unread);
            let len = found.unwrap_or(unread.len());
            let zeros = if self.elider.is_empty() {
                leading_zeros(&unread[..len])
            } else {
                0
            };
            unread[zeros..len]
                .iter()
                .for_each(|&byte| self.elider.push(byte));
            self.advance(len + usize::from(found.is_some()));
            if found.is_some() || self.fill()? == 0 {
                break found.is_some();
            }
        };
        let text = self.elider.line().filter(|line| !line.is_empty());
        let text = text.map(trim_cr);
        Ok(Line {
            start,
            end: self.offset,
            text,
            terminated,
        })
    }

    fn advance(&mut self, count: usize) {
        self.at += count;
        self.offset += count as u64;
    }

    /// Reads more behind what is unread, and says how much.
    fn fill(&mut self) -> io::Result<usize> {
        let given = self.at - TAIL_BYTES;
        self.buffer.copy_within(given..self.filled, 0);
        self.filled -= given;
        self.at = TAIL_BYTES;
        if self.filled == self.buffer.len() {
            let bytes = self.buffer.len() - TAIL_BYTES;
            self.buffer.resize(TAIL_BYTES + 2 * bytes, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.filled += count;
                    return Ok(count);
                }
            }
        }
    }
}

fn trim_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A line as [`Lines::next`] returns it, with its bytes copied.
    #[derive(Debug, Clone, PartialEq)]
    struct OwnedLine {
        start: u64,
        end: u64,
        text: Option<Vec<u8>>,
        terminated: bool,
    }

    /// Returns the lines behind an offset, which a small buffer must not change.
    fn read(content: &[u8], offset: u64) -> Vec<OwnedLine> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), content).unwrap();
        let whole = read_lines(Lines::open(file.path(), offset).unwrap());
        let small = Lines::open_span(file.path(), offset, offset + 3).unwrap();
        let has_text = |line: &OwnedLine| line.text.as_deref() != Some(&[]);
        let with_text = whole.iter().filter(|line| has_text(line)).cloned();
        let small = read_lines(small).into_iter().filter(has_text);
        assert_eq!(small.collect::<Vec<_>>(), with_text.collect::<Vec<_>>());
        whole
    }

    fn read_lines(mut lines: Lines) -> Vec<OwnedLine> {
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(OwnedLine {
                start: line.start,
                end: line.end,
                text: line.text.map(<[u8]>::to_vec),
                terminated: line.terminated,
            });
        }
        found
    }

    fn texts(content: &[u8]) -> Vec<String> {
        let text = |line: Option<Vec<u8>>| String::from_utf8(line.unwrap()).unwrap();
        read(content, 0)
            .into_iter()
            .map(|line| text(line.text))
            .collect()
    }

    #[test]
    fn only_line_feeds_end_lines() {
        assert_eq!(
            texts("a\u{2028}b\u{85}c\r\nd\re\n".as_bytes()),
            ["a\u{2028}b\u{85}c", "d\re"]
        );
        assert_eq!(read(b"", 0), []);
        assert_eq!(
            read(b"ab\n\ncd", 3),
            [
                OwnedLine {
                    start: 3,
                    end: 4,
                    text: Some(vec![]),
                    terminated: true,
                },
                OwnedLine {
                    start: 4,
                    end: 6,
                    text: Some(b"cd".to_vec()),
                    terminated: false,
                },
            ]
        );
    }

    #[test]
    fn line_feeds_in_a_row_are_one_blank_line() {
        let content = [b"{}\n".to_vec(), vec![b'\n'; 3 << 20], b"{}".to_vec()].concat();
        let found = read(&content, 0);
        assert!(found.len() < 100, "{}", found.len());
        let blank = found.iter().filter(|line| line.text == Some(Vec::new()));
        assert_eq!(
            blank.map(|line| line.end - line.start).sum::<u64>(),
            3 << 20
        );
        assert_eq!(found.last().unwrap().text.as_deref(), Some(&b"{}"[..]));
    }

    /// A file system may leave a block of zeros where the machine lost power.
    #[test]
    fn zeros_before_a_line_do_not_take_it_along() {
        for zeros in [1, 4096, 3 << 20] {
            let content = [vec![0; zeros], b"{\"a\":1}\n{}\n".to_vec()].concat();
            assert_eq!(texts(&content), [r#"{"a":1}"#, "{}"], "{zeros}");
        }
        assert_eq!(texts(b"{}\n\0\0"), ["{}", "\0\0"], "which is damage");
        assert_eq!(read(&vec![0; 3 << 20], 0)[0].text, None);
    }

    #[test]
    fn long_strings_of_huge_lines_are_cut() {
        let line = format!(r#"{{"a":"{}","b":"kept"}}"#, "x".repeat(3 << 20));
        let content = format!("{line}\n{{}}\n");
        let found = texts(content.as_bytes());
        assert_eq!(found.len(), 2);
        assert!(found[0].len() < 70_000, "{}", found[0].len());
        assert!(found[0].ends_with(r#"x … 3080192 bytes left out","b":"kept"}"#));
        assert_eq!(found[1], "{}");
    }

    #[test]
    fn a_huge_line_without_strings_is_too_long() {
        let content = format!("[{}0]\n{{}}\n", "1,".repeat(5 << 20));
        let found = read(content.as_bytes(), 0);
        assert_eq!(found[0].text, None);
        assert_eq!(found[1].text.as_deref(), Some(&b"{}"[..]));
        assert_eq!(found[0].end, found[1].start);
    }

    #[test]
    fn the_bytes_before_a_line_are_known_where_they_were_read() {
        let lines = [10, 5000, 3 << 20, 1, 300_000, 2].map(|len| "x".repeat(len) + "\n");
        let content = lines.concat().into_bytes();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), &content).unwrap();
        for opened in [0, 11] {
            let mut lines = Lines::open(file.path(), opened).unwrap();
            loop {
                let offset = usize::try_from(lines.offset()).unwrap();
                let tail = &content[offset.saturating_sub(TAIL_BYTES)..offset];
                let is_read = opened == 0 || offset > 11;
                assert_eq!(lines.tail(), is_read.then_some(tail), "{offset}");
                if lines.next().unwrap().is_none() {
                    break;
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn lines_cover_the_file(parts in prop::collection::vec("[a-z]{0,3}\r?\n?", 0..20), long in 0usize..600_000) {
            let content = format!("{}{}\n{}", parts.concat(), "y".repeat(long), parts.concat());
            let found = read(content.as_bytes(), 0);
            let mut at = 0;
            for OwnedLine { start, end, text, terminated } in found {
                prop_assert_eq!(start, at);
                let whole = &content.as_bytes()[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()];
                let bare = whole.strip_suffix(b"\n").unwrap_or(whole);
                prop_assert_eq!(terminated, bare.len() < whole.len());
                let is_blank = bare.iter().all(|byte| *byte == b'\n');
                let expected = if is_blank { &[][..] } else { trim_cr(bare) };
                prop_assert_eq!(text.as_deref(), Some(expected));
                at = end;
            }
            prop_assert_eq!(at, content.len() as u64);
        }
    }
}
