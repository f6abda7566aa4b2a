//! The texts in nodes: cut out of longer ones, and read as numbers.
use crate::data::TABLES;
use crate::source::line_start;
use std::borrow::Cow;

const MAX_DIGITS: usize = 18; // of the number of an action; longer ones are cut to 10^18
const MAX_VITAL: f64 = 1e9;

/// The place without the line ends at its end.
pub(crate) fn trim_lines(text: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let size = text[start..end].trim_end_matches(&['\r', '\n'][..]).len();
    (start, start + size)
}

/// The content of a block: what is between its first and its last line.
pub(crate) fn find_content(text: &str, block: (usize, usize)) -> (usize, usize) {
    let opener = text[block.0..block.1].find('\n').map_or(block.1, |at| block.0 + at);
    let from = opener + 1;
    let mut to = line_start(text, block.1 - 1);
    if from < to {
        to -= 1;
        if from < to && text.as_bytes()[to - 1] == b'\r' {
            to -= 1;
        }
    }
    (from, to)
}

pub(crate) fn slice<'t>(text: &Cow<'t, str>, from: usize, to: usize) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
        Cow::Owned(text) => Cow::Owned(text[from..to].to_string()),
    }
}

pub(crate) fn trim_end<'t>(text: Cow<'t, str>, signs: &[char]) -> Cow<'t, str> {
    let size = text.trim_end_matches(signs).len();
    slice(&text, 0, size)
}

pub(crate) fn unquote(text: Cow<str>) -> Cow<str> {
    let size = text.len();
    if size > 1 && text.starts_with('"') && text.ends_with('"') {
        return slice(&text, 1, size - 1);
    }
    text
}

/// Where the lines of a text are that are not empty; a single one, if it is not to be split.
pub(crate) fn split_lines(text: &str, is_split: bool) -> Vec<(usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    if is_split {
        for (at, _) in text.match_indices('\n') {
            lines.push((start, at));
            start = at + 1;
        }
    }
    lines.push((start, text.len()));
    lines.retain(|(start, end)| start < end);
    lines
}

/// The name and the value of a vital. The name is that of its mark, or else the text before the
/// number.
pub(crate) fn read_vital(text: Cow<str>) -> (Cow<str>, f64) {
    let bare = text.trim_end_matches(&[' ', '\t', '\r'][..]);
    let key = bare.trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    // The key may end with a point itself: the number has the last one.
    let digits = &bare[key.len()..];
    let before = digits.rfind('.').and_then(|point| digits[..point].rfind('.'));
    let digits = &digits[before.map_or(0, |point| point + 1)..];
    let number = digits.parse::<f64>().unwrap_or(0.0).min(MAX_VITAL);
    let key = key.trim_end_matches(&[' ', '\t'][..]);
    let short = key.strip_prefix(TABLES.vital_mark).unwrap_or(key);
    for spelling in [key, short] {
        if let Some(row) = TABLES.vitals.iter().find(|row| row.0 == spelling) {
            return (Cow::Borrowed(row.1), number);
        }
    }
    let start = key.len() - short.len();
    let end = key.len();
    (slice(&text, start, end), number)
}

pub(crate) fn read_number(digits: &str) -> u64 {
    let digits = digits.trim_start_matches('0');
    if digits.len() > MAX_DIGITS {
        return 10u64.pow(MAX_DIGITS as u32);
    }
    digits.parse().unwrap_or(0)
}
