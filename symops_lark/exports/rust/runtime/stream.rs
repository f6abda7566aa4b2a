//! Sections of a text that arrives in pieces, each as soon as no further text can change it.
use crate::document::Section;
use crate::driver::{Parser, Unexpected};
use crate::explain::{explain, ParseError};
use crate::source::Copied;
use crate::unfinished::read_marks;
use crate::BOM;

// The text of complete sections is dropped in parts of at least this many bytes: for less, the copy
// of what stays would cost more than it saves.
const LEAST_FORGOTTEN: usize = 4096;

/// Reads a valid text as it arrives.
#[derive(Default)]
pub struct StreamReader {
    parser: Option<Parser<'static>>,
    /// Whole lines, from the section on that is not complete.
    text: String,
    /// A line that has not ended.
    waiting: String,
    sections: Vec<Section<'static>>,
    /// An error after which only line ends have come.
    mistake: Option<Unexpected>,
    error: Option<ParseError>,
}

impl StreamReader {
    /// A reader of one text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Take in a piece; returns the sections that it completes.
    ///
    /// # Errors
    ///
    /// The text is not valid: an error is returned as soon as the line of the mistake is complete,
    /// and again by each further call.
    pub fn push(&mut self, piece: &str) -> Result<&[Section<'static>], ParseError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let count = self.sections.len();
        // Nothing is decided before the line ends.
        let end = piece.rfind('\n').map_or(0, |at| at + 1);
        self.waiting.push_str(&piece[..end]);
        if end > 0 {
            let lines = std::mem::take(&mut self.waiting);
            self.read(&lines, false, false)?;
        }
        self.waiting.push_str(&piece[end..]);
        Ok(&self.sections[count..])
    }

    /// End the text; returns all sections. An error section may have made the completeness of an
    /// action worse since `push` returned it.
    ///
    /// # Errors
    ///
    /// The text is not valid.
    pub fn end(mut self) -> Result<Vec<Section<'static>>, ParseError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut lines = std::mem::take(&mut self.waiting);
        let is_open = !lines.is_empty() || self.parser.is_none();
        if is_open {
            lines.push('\n');
        }
        self.read(&lines, true, is_open)?;
        read_marks(&mut self.sections);
        Ok(self.sections)
    }

    /// Read whole lines. `is_added`: the last line end is not part of the text.
    fn read(&mut self, lines: &str, is_whole: bool, is_added: bool) -> Result<(), ParseError> {
        let begin = if lines.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let parser = self.parser.get_or_insert_with(|| Parser::new(begin));
        self.text.push_str(lines);
        if self.mistake.is_none() {
            self.mistake = parser.run(&Copied(&self.text), is_whole).err();
        }
        let mistake = match &self.mistake {
            Some(mistake) => mistake,
            None => {
                self.sections.extend(parser.take_sections(is_whole));
                parser.forget(&mut self.text, LEAST_FORGOTTEN);
                return Ok(());
            }
        };
        // An error at the end of a text is one of its last line: more lines may show that it is not.
        let following = &self.text[mistake.offset..];
        if !is_whole && following.bytes().all(|byte| byte == b'\r' || byte == b'\n') {
            return Ok(());
        }
        let size = self.text.len() - usize::from(is_added);
        let error = explain(mistake, &self.text[..size], parser);
        self.error = Some(error.clone());
        Err(error)
    }
}
