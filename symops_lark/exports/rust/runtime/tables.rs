//! The types of the tables in data.rs, and the automaton over characters.

pub(crate) struct Tables {
    /// Openers of blocks, each with its first closer.
    pub fences: &'static [(&'static str, &'static str)],
    /// Spellings of vitals and the names for them.
    pub vitals: &'static [(&'static str, &'static str)],
    pub vital_mark: &'static str,
    /// Whether the dialect has sections, parts or arguments that the built-in ones do not have.
    pub has_own: bool,
    pub dfa: Dfa,
    pub terminals: &'static [Terminal],
    pub lexers: &'static [Lexer],
    /// The lexer of each state of the parser.
    pub lexer_of: &'static [usize],
    /// Terminals that may occur anywhere.
    pub ignored: &'static [i16],
    pub symbols: usize,
    /// By state and symbol: a state + 1, -1 - a rule, or 0 for an error.
    pub actions: &'static [i16],
    pub start: i16,
    pub end: i16,
    pub end_symbol: usize,
    pub rules: &'static [Rule],
    pub lines: Option<Lines>,
    pub errors: Errors,
}

pub(crate) struct Dfa {
    /// Characters from the first number on are of that class, up to the next row.
    pub classes: &'static [(u32, u8)],
    /// The classes of the first 128 characters.
    pub ascii: [u8; 128],
    pub width: usize,
    /// By state and class: the next state, or -1.
    pub rows: &'static [i16],
    /// By state: the pattern that ends there, or -1.
    pub matches: &'static [i16],
    /// By state: lines that begin with none of these texts lead back to the state.
    pub skips: &'static [Option<&'static [&'static str]>],
}

pub(crate) struct Terminal {
    /// In lower case, as parts of custom sections have it.
    pub name: &'static str,
    /// -1 for a terminal that the parser never sees.
    pub symbol: i16,
    pub said: &'static [&'static str],
}

pub(crate) struct Lexer {
    pub start: i16,
    pub tries: &'static [usize],
    /// A terminal, a text, and the terminal that this text is instead.
    pub words: &'static [(i16, &'static str, i16)],
}

pub(crate) struct Rule {
    pub origin: usize,
    pub maker: Maker,
    pub parts: &'static [Treatment],
    /// Whether a single child replaces the node.
    pub expands: bool,
    /// The number of absent optional parts before each part and after the last; may be empty.
    pub holes: &'static [usize],
    /// Whether it is the repetition of a document, in which each section is complete.
    pub repeats_sections: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Treatment {
    Keep,
    LeaveOut,
    TakeChildrenIn,
}

/// What becomes of a rule. `nodes.rs` has the makers.
// No dialect has all of them.
#[allow(dead_code)]
#[derive(Clone, Copy)]
pub(crate) enum Maker {
    /// The children, for the rule above.
    Children,
    Thought,
    Reasoning,
    Vitals,
    Head,
    Path,
    Dependencies,
    Attribute,
    Action,
    Ask,
    Choice,
    Question,
    Error,
    Section(&'static str),
    Part(&'static str),
}

/// The kinds of whole lines.
pub(crate) struct Lines {
    pub dfa: Dfa,
    pub rules: &'static [&'static str],
}

pub(crate) struct Errors {
    /// Lines that are nearly a section.
    pub dfa: Dfa,
    pub start: i16,
    /// Code, message and hint of each pattern.
    pub near: &'static [(&'static str, &'static str, &'static str)],
    pub stray_text: (&'static str, &'static str),
    pub path_key: &'static str,
    pub target: &'static str,
    /// States after a block that belongs to an action.
    pub behind_block: &'static [i16],
}

impl Dfa {
    /// The state after the character at a place, and the place after it.
    pub fn step(&self, state: i16, text: &str, place: usize) -> (i16, usize) {
        let byte = text.as_bytes()[place];
        let mut class = 0;
        let mut size = 1;
        if byte < 128 {
            class = self.ascii[byte as usize];
        } else if let Some(sign) = text[place..].chars().next() {
            let row = self.classes.partition_point(|(from, _)| *from <= sign as u32);
            class = self.classes[row - 1].1;
            size = sign.len_utf8();
        }
        let next = self.rows[state as usize * self.width + class as usize];
        (next, place + size)
    }

    /// The pattern that matches a whole line, with the line feed that it ends with.
    pub fn find_line(&self, line: &str, start: i16) -> Option<usize> {
        let line = format!("{line}\n");
        let mut state = start;
        let mut place = 0;
        while place < line.len() && state >= 0 {
            let (next, after) = self.step(state, &line, place);
            state = next;
            place = after;
        }
        if state < 0 || self.matches[state as usize] < 0 {
            return None;
        }
        Some(self.matches[state as usize] as usize)
    }
}
