//! The text that is read, and the places in it.
use crate::document::Span;
use std::borrow::Cow;

/// A text, and how sections keep parts of it.
pub(crate) trait Source<'t> {
    fn text(&self) -> &str;
    fn cut(&self, from: usize, to: usize) -> Cow<'t, str>;
}

/// A text that lives as long as the sections.
pub(crate) struct Lent<'t>(pub &'t str);

impl<'t> Source<'t> for Lent<'t> {
    fn text(&self) -> &str {
        self.0
    }

    fn cut(&self, from: usize, to: usize) -> Cow<'t, str> {
        Cow::Borrowed(&self.0[from..to])
    }
}

/// A text that the sections outlive.
pub(crate) struct Copied<'a>(pub &'a str);

impl Source<'static> for Copied<'_> {
    fn text(&self) -> &str {
        self.0
    }

    fn cut(&self, from: usize, to: usize) -> Cow<'static, str> {
        Cow::Owned(self.0[from..to].to_string())
    }
}

/// Counts lines and characters up to a place, on from the place that it was asked for before.
pub(crate) struct Places {
    at: usize,
    /// Bytes of a stream before the text that is left of it.
    forgotten: usize,
    characters: usize,
    line: usize,
    column: usize,
}

impl Places {
    pub fn new() -> Self {
        Places { at: 0, forgotten: 0, characters: 0, line: 1, column: 1 }
    }

    /// The place of the text between two offsets in bytes.
    pub fn span(&mut self, text: &str, start: usize, end: usize) -> Span {
        self.go(text, start);
        Span {
            start: self.characters,
            end: self.characters + count(&text[start..end]),
            line: self.line,
            column: self.column,
            bytes: start + self.forgotten..end + self.forgotten,
        }
    }

    /// Leave out the text before an offset; returns the place where the text begins now.
    pub fn forget(&mut self, text: &str, cut: usize) -> Span {
        let origin = self.span(text, cut, cut);
        self.at = 0;
        self.forgotten += cut;
        origin
    }

    fn go(&mut self, text: &str, place: usize) {
        if place < self.at {
            let back = &text[place..self.at];
            self.characters -= count(back);
            self.line -= count_lines(back);
            self.at = place;
            self.column = 1 + count(&text[line_start(text, place)..place]);
        }
        let passed = &text[self.at..place];
        self.characters += count(passed);
        match passed.rfind('\n') {
            None => self.column += count(passed),
            Some(last) => {
                self.line += count_lines(passed);
                self.column = 1 + count(&passed[last + 1..]);
            }
        }
        self.at = place;
    }
}

pub(crate) fn count(text: &str) -> usize {
    text.chars().count()
}

/// The number of line feeds. Sums of a byte are added many at a time by the processor.
fn count_lines(text: &str) -> usize {
    let chunks = text.as_bytes().chunks(usize::from(u8::MAX));
    chunks
        .map(|chunk| usize::from(chunk.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>()))
        .sum()
}

/// Where the line begins that has an offset.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}
