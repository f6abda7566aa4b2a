//! Draw a diagnostic: the line of the text, carets below the span, what was expected, the hint.
use crate::explain::Diagnostic;
use crate::source::{count, line_start};
use crate::widths::{NARROW, UNPRINTABLE, WIDE};

const MAX_CELLS: usize = 120; // of a line that is drawn
const MAX_BEFORE: usize = 60; // of them, before the caret

/// Whether a character is within ranges, given by the code points where they begin and end.
fn is_within(edges: &[u32], sign: char) -> bool {
    edges.partition_point(|edge| *edge <= sign as u32) % 2 == 1
}

/// The columns of a terminal that a character needs.
fn width(sign: char) -> usize {
    if is_within(NARROW, sign) {
        return 0;
    }
    1 + usize::from(is_within(WIDE, sign))
}

/// Whether there is only white space, as Python has it: separators of files are, a byte order mark
/// is not.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|sign| sign.is_whitespace() || ('\x1c'..='\x1f').contains(&sign))
}

/// A text in quotes, with its control characters visible, as Python writes it.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut shown = String::from(quote);
    for sign in text.chars() {
        match sign {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\\' => shown.push_str("\\\\"),
            _ if sign == quote => shown.extend(['\\', sign]),
            _ if !is_within(UNPRINTABLE, sign) => shown.push(sign),
            _ => shown.push_str(&match sign as u32 {
                code if code < 0x100 => format!("\\x{code:02x}"),
                code if code < 0x10000 => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    shown.push(quote);
    shown
}

/// The message of a diagnostic for people; `above` counts the lines before the text.
pub(crate) fn draw(found: &Diagnostic, text: &str, above: usize) -> String {
    let line = found.span.line + above;
    let (column, message, code) = (found.span.column, &found.message, found.code);
    let mut lines = vec![format!("<reply>:{line}:{column}: error: {message} [{code}]")];
    lines.extend(draw_line(found, text, line));
    if !found.expected.is_empty() {
        lines.push(format!("        expected: {}", found.expected.join(", ")));
    }
    if !found.hint.is_empty() {
        lines.push(format!("        hint: {}", found.hint));
    }
    lines.join("\n")
}

/// The line of a text with carets below a span.
fn draw_line(found: &Diagnostic, text: &str, number: usize) -> Vec<String> {
    let span = &found.span;
    let start = line_start(text, span.bytes.start);
    let line = text[start..].split('\n').next().unwrap_or("");
    let line = line.strip_suffix('\r').unwrap_or(line);
    let cells: Vec<char> = line.chars().collect();
    let begin = (span.column - 1).min(cells.len());
    let length = count(&text[span.bytes.clone()]).max(1);
    let left = begin.saturating_sub(MAX_BEFORE);
    let right = cells.len().min(left + MAX_CELLS);
    let window: String = cells[left..right].iter().collect();
    if is_blank(&window) {
        return Vec::new();
    }
    let mut margin = String::new();
    for cell in &cells[left..begin] {
        match cell {
            '\t' => margin.push('\t'),
            cell => margin.push_str(&" ".repeat(width(*cell))),
        }
    }
    let marked = &cells[begin..right.min(begin + length)];
    let carets = marked.iter().map(|cell| width(*cell)).sum::<usize>().max(1);
    let before = if left > 0 { "…" } else { "" };
    let blank = if left > 0 { " " } else { "" };
    let after = if cells.len() > right { "…" } else { "" };
    vec![
        format!("{number:>5} | {before}{window}{after}"),
        format!("      | {blank}{margin}{}", "^".repeat(carets)),
    ]
}
