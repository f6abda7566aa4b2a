#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

#[cfg(feature = "c")]
#[allow(unsafe_code)]
mod c;
mod data;
mod document;
mod drawing;
mod driver;
mod explain;
mod json;
mod nodes;
mod source;
mod stream;
mod tables;
mod texts;
mod unfinished;
mod widths;

pub use data::{DIALECT, FINGERPRINT};
pub use document::{
    Action, Completeness, CustomSection, ErrorNote, Part, Question, Section, Span, Thought, Vitals,
};
pub use explain::{Diagnostic, ParseError};
pub use json::to_json;
pub use stream::StreamReader;

use driver::Parser;
use source::{Copied, Lent, Source};

const BOM: char = '\u{feff}';

/// The sections of a valid text. They borrow from a text that ends with a line feed; without it,
/// they have copies.
///
/// # Errors
///
/// The text is not valid; the error has the place of the first mistake.
pub fn parse(text: &str) -> Result<Vec<Section<'_>>, ParseError> {
    if text.ends_with('\n') {
        return read(&Lent(text), text);
    }
    read(&Copied(&format!("{text}\n")), text)
}

/// `source` ends with a line feed, which the text may not have.
fn read<'t, S: Source<'t>>(source: &S, text: &str) -> Result<Vec<Section<'t>>, ParseError> {
    let mut parser = Parser::new(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 });
    if let Err(error) = parser.run(source, true) {
        return Err(explain::explain(&error, text, &parser));
    }
    let mut sections = parser.take_sections(true);
    unfinished::read_marks(&mut sections);
    Ok(sections)
}
