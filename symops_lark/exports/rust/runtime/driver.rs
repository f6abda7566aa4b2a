//! The strict parser: an LALR(1) driver over the tables of the dialect.
use crate::data::TABLES;
use crate::document::{Section, Span};
use crate::nodes::{Builder, Token, Value};
use crate::source::{Places, Source};
use crate::tables::{Lexer, Treatment};

/// Where a text leaves the language, and what could follow there.
#[derive(Clone, Debug)]
pub(crate) struct Unexpected {
    pub offset: usize,
    pub expected: Vec<&'static str>,
}

/// A scan of a terminal: how far it is, and the last terminal that it passed.
#[derive(Clone)]
struct Scan {
    state: i16,
    place: usize,
    terminal: i16,
    end: usize,
}

/// What the parser has read of a rule: its value, the rule, and the place of its terminals.
struct Entry<'t> {
    value: Value<'t>,
    rule: Option<usize>,
    place: Option<(usize, usize)>,
}

pub(crate) struct Parser<'t> {
    /// One more than there are entries.
    states: Vec<i16>,
    entries: Vec<Entry<'t>>,
    at: usize,
    /// Where the last terminal begins.
    last: usize,
    /// A terminal that the text ends in, in a stream.
    open: Option<Scan>,
    places: Places,
    /// Where the text begins, in a stream that forgets.
    pub origin: Option<Span>,
}

impl<'t> Parser<'t> {
    /// `at` is where reading begins.
    pub fn new(at: usize) -> Self {
        Parser {
            states: vec![TABLES.start],
            entries: Vec::new(),
            at,
            last: at,
            open: None,
            places: Places::new(),
            origin: None,
        }
    }

    /// Read a text that ends with a line feed. In a stream, `is_whole` is false until its end: the
    /// parser stops before a terminal that further text might change.
    pub fn run<S: Source<'t>>(&mut self, source: &S, is_whole: bool) -> Result<(), Unexpected> {
        while self.at < source.text().len() {
            let lexer = &TABLES.lexers[TABLES.lexer_of[self.state() as usize]];
            let scan = self.scan(source.text(), lexer);
            if !is_whole && scan.state >= 0 {
                self.open = Some(scan);
                return Ok(());
            }
            if scan.terminal < 0 {
                let said = lexer.tries.iter().flat_map(|terminal| TABLES.terminals[*terminal].said);
                return Err(Unexpected { offset: self.at, expected: said.copied().collect() });
            }
            let start = self.at;
            self.at = scan.end;
            let text = &source.text()[start..scan.end];
            let word = lexer.words.iter().find(|row| row.0 == scan.terminal && row.1 == text);
            let terminal = word.map_or(scan.terminal, |row| row.2);
            if !TABLES.ignored.contains(&terminal) {
                self.last = start;
                let token = Token { terminal: terminal as usize, start, end: scan.end };
                self.advance(source, Some(token))?;
            }
        }
        if is_whole {
            self.advance(source, None)?;
        }
        Ok(())
    }

    /// Scan the terminal at `at`, up to where no more characters can belong to it.
    fn scan(&mut self, text: &str, lexer: &Lexer) -> Scan {
        let fresh = Scan { state: lexer.start, place: self.at, terminal: -1, end: self.at };
        let mut scan = self.open.take().unwrap_or(fresh);
        while scan.state >= 0 {
            let state = scan.state as usize;
            if TABLES.dfa.matches[state] >= 0 {
                scan.terminal = TABLES.dfa.matches[state];
                scan.end = scan.place;
            }
            if let Some(stops) = TABLES.dfa.skips[state] {
                scan.place = pass_lines(text, scan.place, stops);
            }
            if scan.place >= text.len() {
                break;
            }
            let (next, after) = TABLES.dfa.step(scan.state, text, scan.place);
            scan.state = next;
            scan.place = after;
        }
        scan
    }

    fn state(&self) -> i16 {
        self.states[self.states.len() - 1]
    }

    /// Shift a terminal, or the end of the text, after the reductions that it asks for.
    fn advance<S: Source<'t>>(
        &mut self,
        source: &S,
        token: Option<Token>,
    ) -> Result<(), Unexpected> {
        let symbol = match token {
            Some(token) => TABLES.terminals[token.terminal].symbol as usize,
            None => TABLES.end_symbol,
        };
        loop {
            let action = action_of(self.state(), symbol);
            if action < 0 {
                self.reduce(source, (-1 - action) as usize);
                if token.is_none() && self.state() == TABLES.end {
                    return Ok(());
                }
                continue;
            }
            match token {
                Some(token) if action > 0 => {
                    let place = Some((token.start, token.end));
                    self.entries.push(Entry { value: Value::Token(token), rule: None, place });
                    self.states.push(action - 1);
                    return Ok(());
                }
                _ => {
                    let expected = self.list_expected();
                    return Err(Unexpected { offset: self.last, expected });
                }
            }
        }
    }

    fn reduce<S: Source<'t>>(&mut self, source: &S, number: usize) {
        let rule = &TABLES.rules[number];
        let base = self.entries.len() - rule.parts.len();
        let mut place: Option<(usize, usize)> = None;
        let mut children = Vec::new();
        for (index, entry) in self.entries.drain(base..).enumerate() {
            if let Some((start, end)) = entry.place {
                place = Some((place.map_or(start, |before| before.0), end));
            }
            add_holes(&mut children, rule.holes.get(index));
            match (rule.parts[index], entry.value) {
                // A repetition grows its first list, so that many sections take linear time.
                (Treatment::TakeChildrenIn, Value::Many(more)) if children.is_empty() => {
                    children = more;
                }
                (Treatment::TakeChildrenIn, Value::Many(more)) => children.extend(more),
                (Treatment::LeaveOut, _) => {}
                (_, value) => children.push(value),
            }
        }
        add_holes(&mut children, rule.holes.get(rule.parts.len()));
        let value = if rule.expands && children.len() == 1 {
            children.remove(0)
        } else {
            let mut builder = Builder { source, places: &mut self.places };
            builder.make(rule.maker, children, place.unwrap_or((0, 0)))
        };
        self.entries.push(Entry { value, rule: Some(number), place });
        self.states.truncate(base + 1);
        self.states.push(action_of(self.state(), rule.origin) - 1);
    }

    /// What the state accepts, as messages name it.
    fn list_expected(&self) -> Vec<&'static str> {
        let mut expected = Vec::new();
        for terminal in TABLES.terminals {
            if terminal.symbol >= 0 && action_of(self.state(), terminal.symbol as usize) != 0 {
                expected.extend(terminal.said);
            }
        }
        expected
    }

    /// The state after a symbol, without reading it; `None` if it is not expected.
    pub fn state_after(&self, symbol: usize) -> Option<i16> {
        let mut states = self.states.clone();
        loop {
            let action = action_of(*states.last()?, symbol);
            if action >= 0 {
                return if action > 0 { Some(action - 1) } else { None };
            }
            let rule = &TABLES.rules[(-1 - action) as usize];
            states.truncate(states.len() - rule.parts.len());
            let next = action_of(*states.last()?, rule.origin) - 1;
            states.push(next);
        }
    }

    /// Whether the parser is between or within the sections of a document, after the first one.
    fn repeats_sections(&self) -> bool {
        let rule = self.entries.first().and_then(|entry| entry.rule);
        rule.map_or(false, |rule| TABLES.rules[rule].repeats_sections)
    }

    /// Take the sections that are complete; at the end of a text, all of them.
    pub fn take_sections(&mut self, is_whole: bool) -> Vec<Section<'t>> {
        let mut sections = Vec::new();
        if is_whole || self.repeats_sections() {
            if let Some(Value::Many(values)) =
                self.entries.first_mut().map(|entry| &mut entry.value)
            {
                flatten(std::mem::take(values), &mut sections);
            }
        }
        sections
    }

    /// Drop the text before the first section that is not complete, if it has `least` bytes.
    pub fn forget(&mut self, text: &mut String, least: usize) {
        let begin = self.entries.iter().skip(1).find_map(|entry| entry.place);
        // The line end before the section stays, so that places within lines do not change.
        let cut = begin.map_or(self.at, |place| place.0).saturating_sub(1);
        if !self.repeats_sections() || cut < least || text.as_bytes()[cut] != b'\n' {
            return;
        }
        self.origin = Some(self.places.forget(text, cut));
        text.drain(..cut);
        for entry in &mut self.entries {
            entry.value.move_back(cut);
            entry.place = entry
                .place
                .map(|(start, end)| (start.saturating_sub(cut), end.saturating_sub(cut)));
        }
        self.at -= cut;
        self.last = self.last.saturating_sub(cut);
        if let Some(scan) = &mut self.open {
            scan.place -= cut;
            scan.end = scan.end.saturating_sub(cut);
        }
    }
}

fn action_of(state: i16, symbol: usize) -> i16 {
    TABLES.actions[state as usize * TABLES.symbols + symbol]
}

fn add_holes(children: &mut Vec<Value>, count: Option<&usize>) {
    for _ in 0..count.copied().unwrap_or(0) {
        children.push(Value::Hole);
    }
}

fn flatten<'t>(values: Vec<Value<'t>>, sections: &mut Vec<Section<'t>>) {
    for value in values {
        match value {
            Value::Section(section) => sections.push(*section),
            Value::Many(more) => flatten(more, sections),
            _ => {}
        }
    }
}

/// The next line, from the beginning of one on, that begins with one of some texts.
fn pass_lines(text: &str, mut place: usize, stops: &[&str]) -> usize {
    while place < text.len() {
        let line = &text[place..];
        if stops.iter().any(|stop| line.starts_with(stop)) {
            break;
        }
        place += line.find('\n').map_or(line.len(), |at| at + 1);
    }
    place
}
