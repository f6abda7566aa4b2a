//! Why a text does not parse, for people: what was seen, what was expected, what would help.
use crate::data::TABLES;
use crate::document::Span;
use crate::drawing::{draw, is_blank, quoted};
use crate::driver::{Parser, Unexpected};
use crate::source::{line_start, Places};
use std::fmt;

const SHOWN: usize = 20; // characters of what is not expected

/// One mistake of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: &'static str,
    pub message: String,
    pub span: Span,
    /// What could follow there, sorted.
    pub expected: Vec<String>,
    pub hint: String,
}

/// A text is not valid. `Display` draws the line of the mistake with carets below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// At least one; the strict parser stops at the first mistake.
    pub diagnostics: Vec<Diagnostic>,
    drawn: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.drawn)
    }
}

impl std::error::Error for ParseError {}

/// A diagnostic whose place counts bytes of a text without carriage returns at line ends.
struct Judgement {
    code: &'static str,
    message: String,
    start: usize,
    end: usize,
    expected: Vec<String>,
    hint: String,
}

/// The error of a text. The parser has its state where the error is, and, in a stream, the place
/// of the text in a longer one.
pub(crate) fn explain(error: &Unexpected, text: &str, parser: &Parser) -> ParseError {
    let lines = PlainLines::new(text);
    let offset = lines.to_plain(error.offset.min(text.len()));
    let found = judge(error, &lines.plain, offset, parser);
    let (start, end) = (lines.to_text(found.start), lines.to_text(found.end));
    let mut span = Places::new().span(text, start, end);
    let Judgement { code, message, expected, hint, .. } = found;
    let mut diagnostic = Diagnostic { code, message, span: span.clone(), expected, hint };
    let above = parser.origin.as_ref().map_or(0, |origin| origin.line - 1);
    let drawn = draw(&diagnostic, text, above);
    if let Some(origin) = &parser.origin {
        span.start += origin.start;
        span.end += origin.start;
        span.line += above;
        span.bytes = span.bytes.start + origin.bytes.start..span.bytes.end + origin.bytes.start;
        diagnostic.span = span;
    }
    ParseError { diagnostics: vec![diagnostic], drawn }
}

/// A text whose lines end with a line feed alone, and the way from and to it.
struct PlainLines {
    plain: String,
    /// Where carriage returns were left out: the place in the text, in the plain text, and how many
    /// of them were left out up to there.
    cuts: Vec<(usize, usize, usize)>,
}

impl PlainLines {
    fn new(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut cuts = Vec::new();
        if !text.contains('\r') || !text.contains('\n') {
            return PlainLines { plain: text.to_string(), cuts };
        }
        for line in text.split_inclusive('\n') {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let content = bare.trim_end_matches('\r');
            let returns = bare.len() - content.len();
            plain.push_str(content);
            if returns > 0 {
                let total = cuts.last().map_or(0, |(_, _, total)| *total);
                cuts.push((plain.len() + total, plain.len(), total + returns));
            }
            plain.push_str(&line[bare.len()..]);
        }
        PlainLines { plain, cuts }
    }

    fn to_text(&self, offset: usize) -> usize {
        let before = self.cuts.partition_point(|cut| cut.1 < offset);
        offset + self.cuts[..before].last().map_or(0, |cut| cut.2)
    }

    fn to_plain(&self, offset: usize) -> usize {
        let before = self.cuts.partition_point(|cut| cut.0 < offset);
        match self.cuts[..before].last() {
            Some((_, place, total)) => (*place).max(offset.saturating_sub(*total)),
            None => offset,
        }
    }
}

/// The offset and the text of the line that has an offset.
fn line_at(text: &str, offset: usize) -> (usize, &str) {
    let start = line_start(text, offset);
    let line = text[start..].split('\n').next().unwrap_or("");
    (start, line.strip_suffix('\r').unwrap_or(line))
}

fn judge(error: &Unexpected, text: &str, offset: usize, parser: &Parser) -> Judgement {
    let mut expected: Vec<String> = error.expected.iter().map(ToString::to_string).collect();
    expected.sort();
    expected.dedup();
    let missing = find_pathless(text, offset).or_else(|| find_unclosed(text, offset, parser));
    if let Some(found) = missing {
        return found;
    }
    // An error at the end of the text belongs to its last line with text.
    let (start, line) = line_at(text, offset.min(text.trim_end_matches('\n').len()));
    let end = start + line.len();
    let errors = &TABLES.errors;
    let of_line = |code, (message, hint): (&str, &str), expected| Judgement {
        code,
        message: message.to_string(),
        start,
        end,
        expected,
        hint: hint.to_string(),
    };
    if let Some(check) = errors.dfa.find_line(line, errors.start) {
        let (code, message, hint) = errors.near[check];
        return of_line(code, (message, hint), expected);
    }
    let at = offset.max(start);
    if is_blank(&text[start..at.min(end)]) {
        return of_line("stray-text", errors.stray_text, expected);
    }
    let excerpt: String = text[at..].chars().take(SHOWN).take_while(|sign| *sign != '\n').collect();
    let seen = if is_blank(&excerpt) { "the end of the line".into() } else { quoted(&excerpt) };
    Judgement {
        code: "unexpected-text",
        message: format!("{seen} is not expected here"),
        start: at,
        end: at.max(end),
        expected,
        hint: "`symops repair --explain` shows what the repair rules make of this text".into(),
    }
}

/// The kind of a line: the name of a rule.
fn kind_of(line: &str) -> &'static str {
    let found = TABLES.lines.as_ref().and_then(|lines| {
        let number = lines.dfa.find_line(line.strip_prefix('\u{feff}').unwrap_or(line), 0)?;
        Some(lines.rules[number])
    });
    found.unwrap_or("")
}

fn is_attribute(line: &str) -> bool {
    ["attribute", "depends_line"].contains(&kind_of(line))
}

/// If the path of an action must be an attribute and is missing: the action.
fn find_pathless(text: &str, offset: usize) -> Option<Judgement> {
    TABLES.lines.as_ref()?;
    let offset = offset.min(last_place(text));
    let (mut start, mut line) = line_at(text, offset);
    if offset > start && !is_attribute(line) {
        return None;
    }
    if offset == start {
        (start, line) = line_at(text, start.checked_sub(1)?);
    }
    while start > 0 && is_attribute(line) {
        (start, line) = line_at(text, start - 1);
    }
    if kind_of(line) != "verb_line" {
        return None;
    }
    let target = TABLES.errors.target;
    let wanted = format!("{}{}", target, TABLES.errors.path_key);
    Some(Judgement {
        code: "missing-path",
        message: format!(
            "this action names no path: an indented line `{wanted}` is missing right below it"
        ),
        start,
        end: start + line.len(),
        hint: format!("write `  {wanted} a.py` below it, or `{target}a.py` after the verb"),
        expected: vec![wanted],
    })
}

/// If the error is an opener whose block never ends: the opener.
fn find_unclosed(text: &str, offset: usize, parser: &Parser) -> Option<Judgement> {
    let (start, line) = line_at(text, offset.min(last_place(text)));
    let opener = line.trim_end_matches(&[' ', '\t'][..]);
    let (_, closer) = TABLES.fences.iter().find(|fence| fence.0 == opener)?;
    if start != offset {
        return None;
    }
    // Would a block here be an action's?
    let block = TABLES.terminals.iter().find(|terminal| terminal.name == "block")?;
    let state = parser.state_after(usize::try_from(block.symbol).ok()?)?;
    if !TABLES.errors.behind_block.contains(&state) {
        return None;
    }
    Some(Judgement {
        code: "missing-closer",
        message: format!("this block is never closed: `{closer}` alone on a line is missing"),
        start,
        end: start + opener.len(),
        expected: vec![closer.to_string()],
        hint: format!("write `{closer}` after the content; the repair `missing-closer` does it"),
    })
}

/// Where the last character begins.
fn last_place(text: &str) -> usize {
    text.char_indices().last().map_or(0, |(at, _)| at)
}
