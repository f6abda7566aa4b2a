//! From rules to sections: a maker for each rule that all dialects share, one for custom sections
//! of a dialect, and one for their parts.
use crate::data::TABLES;
use crate::document::{
    Action, Completeness, CustomSection, ErrorNote, Part, Question, Section, Span, Thought, Vitals,
};
use crate::source::{Places, Source};
use crate::tables::Maker;
use crate::texts::{
    find_content, read_number, read_vital, slice, split_lines, trim_end, trim_lines, unquote,
};
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Clone, Copy)]
pub(crate) struct Token {
    pub terminal: usize,
    pub start: usize,
    pub end: usize,
}

/// What a rule, or a terminal, becomes.
pub(crate) enum Value<'t> {
    /// An optional part that is absent.
    Hole,
    Token(Token),
    Many(Vec<Value<'t>>),
    Section(Box<Section<'t>>),
    Head(Box<Head<'t>>),
    Path(Cow<'t, str>),
    Dependencies(Vec<Cow<'t, str>>),
    Attribute(Cow<'t, str>, Cow<'t, str>),
    Text(Cow<'t, str>),
    Part(Part<'t>),
}

/// The line of an action's verb.
pub(crate) struct Head<'t> {
    number: Option<u64>,
    verb: Cow<'t, str>,
    path: Cow<'t, str>,
    dependencies: Vec<Cow<'t, str>>,
    /// Arguments that only this dialect has.
    further: Vec<Value<'t>>,
}

/// A token, or a part that a dialect has in the place of one.
struct Word<'t> {
    name: &'static str,
    text: Cow<'t, str>,
}

impl Token {
    pub fn name(&self) -> &'static str {
        TABLES.terminals[self.terminal].name
    }
}

impl Value<'_> {
    /// Count the places of tokens from a later beginning of the text.
    pub fn move_back(&mut self, cut: usize) {
        match self {
            Value::Token(token) => {
                token.start -= cut;
                token.end -= cut;
            }
            Value::Many(values) => values.iter_mut().for_each(|value| value.move_back(cut)),
            _ => {}
        }
    }
}

/// Makes the nodes of a text.
pub(crate) struct Builder<'b, S> {
    pub source: &'b S,
    pub places: &'b mut Places,
}

impl<'t, S: Source<'t>> Builder<'_, S> {
    /// Make the node of a rule from its children, and from the place of its terminals.
    pub fn make(
        &mut self,
        maker: Maker,
        children: Vec<Value<'t>>,
        place: (usize, usize),
    ) -> Value<'t> {
        let section = match maker {
            Maker::Children => return Value::Many(children),
            Maker::Reasoning => return self.reasoning(children, place),
            Maker::Head => return Value::Head(Box::new(self.head(children))),
            Maker::Path => return Value::Path(self.words(children).take_text(0)),
            Maker::Dependencies => return Value::Dependencies(self.texts(children)),
            Maker::Attribute => return self.attribute(children),
            Maker::Ask => return Value::Text(unquote(self.words(children).take_text(0))),
            Maker::Choice => return Value::Text(self.words(children).take_text(1)),
            Maker::Part(name) => return Value::Part(self.part(name, children)),
            Maker::Thought => self.thought(children, place),
            Maker::Vitals => self.vitals(children, place),
            Maker::Action => self.action(children, place),
            Maker::Question => self.question(children, place),
            Maker::Error => self.error(children, place),
            Maker::Section(name) => self.section(name, children, place),
        };
        Value::Section(Box::new(section))
    }

    fn thought(&mut self, children: Vec<Value<'t>>, place: (usize, usize)) -> Section<'t> {
        let text = trim_end(self.words(children).take_text(0), &[' ', '\t', '\r', '\n']);
        Section::Thought(Thought { text, span: self.span(place) })
    }

    /// The line of the mark belongs to the first thought.
    fn reasoning(&mut self, mut thoughts: Vec<Value<'t>>, place: (usize, usize)) -> Value<'t> {
        let whole = self.span(place);
        if let Some(Value::Section(section)) = thoughts.first_mut() {
            if let Section::Thought(thought) = &mut **section {
                let end = thought.span.bytes.end;
                let bytes = whole.bytes.start..end;
                thought.span = Span { end: thought.span.end, bytes, ..whole };
            }
        }
        Value::Many(thoughts)
    }

    fn vitals(&mut self, children: Vec<Value<'t>>, place: (usize, usize)) -> Section<'t> {
        let mut values = Vec::new();
        for word in self.words(children) {
            let is_own = TABLES.has_own && word.name != "vital" && word.name != "vitals";
            for (from, to) in split_lines(&word.text, word.name == "vitals") {
                let (name, number) = read_vital(slice(&word.text, from, to));
                values.push((if is_own { Cow::Borrowed(word.name) } else { name }, number));
            }
        }
        let (values, _) = keep_last(values);
        Section::Vitals(Vitals { values, span: self.span(place) })
    }

    fn head(&mut self, mut children: Vec<Value<'t>>) -> Head<'t> {
        let mut number = None;
        if let Some(Value::Token(token)) = children.first() {
            if token.name() == "number" {
                number = Some(read_number(&self.cut(token)));
                children.remove(0);
            }
        }
        let mut known = Vec::new();
        let mut further = Vec::new();
        for (index, child) in children.into_iter().enumerate() {
            if TABLES.has_own && is_argument(&child, index) {
                further.push(child);
            } else {
                known.push(child);
            }
        }
        let mut words = self.words(known);
        let verb = words.take_text(0);
        let path = words.take_text(1);
        let dependencies = words.into_iter().skip(2).map(|word| word.text).collect();
        Head { number, verb, path, dependencies, further }
    }

    fn attribute(&mut self, children: Vec<Value<'t>>) -> Value<'t> {
        let mut words = self.words(children);
        let key = words.take_text(0);
        let end = key.char_indices().last().map_or(0, |(at, _)| at);
        // Without the sign after the key.
        Value::Attribute(slice(&key, 0, end), words.take_text(1))
    }

    fn action(&mut self, children: Vec<Value<'t>>, place: (usize, usize)) -> Section<'t> {
        let span = self.span(place);
        let mut children = children.into_iter();
        let head = match children.next() {
            Some(Value::Head(head)) => *head,
            // A head without a rule of its own has no further parts.
            first => self.head(first.into_iter().collect()),
        };
        let mut action = Action {
            kind: head.verb,
            path: head.path,
            content: None,
            dependencies: head.dependencies,
            completeness: Completeness::Complete,
            span,
            content_span: None,
            number: head.number,
            attributes: Vec::new(),
            repeated_attributes: Vec::new(),
        };
        let mut attributes = Vec::new();
        for child in head.further.into_iter().chain(children) {
            match child {
                Value::Token(token) if token.name() == "block" => {
                    let (from, to) = find_content(self.source.text(), (token.start, token.end));
                    action.content = Some(self.source.cut(from, to));
                    action.content_span = Some(self.places.span(self.source.text(), from, to));
                }
                Value::Path(path) => action.path = path,
                Value::Dependencies(more) => action.dependencies.extend(more),
                Value::Attribute(key, value) => attributes.push((key, value)),
                argument => {
                    let parts = self.parts(vec![argument]);
                    attributes.extend(parts.into_iter().flat_map(list_arguments));
                }
            }
        }
        if !attributes.is_empty() {
            (action.attributes, action.repeated_attributes) = keep_last(attributes);
        }
        Section::Action(action)
    }

    fn question(&mut self, children: Vec<Value<'t>>, place: (usize, usize)) -> Section<'t> {
        let mut texts = Vec::new();
        for child in children {
            if let Value::Text(text) = child {
                texts.push(text);
            }
        }
        let choices = texts.split_off(texts.len().min(1));
        let text = texts.pop().unwrap_or_default();
        Section::Question(Question { text, choices, span: self.span(place) })
    }

    fn error(&mut self, children: Vec<Value<'t>>, place: (usize, usize)) -> Section<'t> {
        let mut words = self.words(children);
        let message = words.iter().find(|word| word.name == "message");
        let message = message.map(|word| word.text.clone());
        // The first word is the code.
        let target = words.iter().skip(1).find(|word| word.name == "word");
        let target = target.map(|word| word.text.clone());
        let kind = words.take_text(0);
        Section::Error(ErrorNote { kind, target, message, span: self.span(place) })
    }

    fn section(
        &mut self,
        name: &'static str,
        children: Vec<Value<'t>>,
        place: (usize, usize),
    ) -> Section<'t> {
        let (start, end) = trim_lines(self.source.text(), place);
        let text = self.source.cut(start, end);
        let parts = self.parts(children);
        Section::Custom(CustomSection { name, parts, text, span: self.span(place) })
    }

    /// A rule with a single terminal has its text; any other rule has parts.
    fn part(&mut self, name: &'static str, children: Vec<Value<'t>>) -> Part<'t> {
        if let [Value::Token(token)] = children.as_slice() {
            if token.name() != "block" {
                return Part { name, text: self.cut(token), parts: Vec::new() };
            }
        }
        Part { name, text: Cow::Borrowed(""), parts: self.parts(children) }
    }

    fn parts(&mut self, children: Vec<Value<'t>>) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        for child in children {
            match child {
                Value::Part(part) => parts.push(part),
                Value::Token(token) => {
                    let mut text = self.cut(&token);
                    if token.name() == "block" {
                        let (from, to) = find_content(self.source.text(), (token.start, token.end));
                        text = self.source.cut(from, to);
                    }
                    parts.push(Part { name: token.name(), text, parts: Vec::new() });
                }
                _ => {}
            }
        }
        parts
    }

    fn words(&self, children: Vec<Value<'t>>) -> Vec<Word<'t>> {
        let mut words = Vec::new();
        for child in children {
            match child {
                Value::Token(token) => {
                    words.push(Word { name: token.name(), text: self.cut(&token) });
                }
                Value::Part(part) => words.push(Word { name: part.name, text: join_texts(part) }),
                _ => {}
            }
        }
        words
    }

    fn texts(&self, children: Vec<Value<'t>>) -> Vec<Cow<'t, str>> {
        self.words(children).into_iter().map(|word| word.text).collect()
    }

    fn cut(&self, token: &Token) -> Cow<'t, str> {
        self.source.cut(token.start, token.end)
    }

    fn span(&mut self, place: (usize, usize)) -> Span {
        let (start, end) = trim_lines(self.source.text(), place);
        self.places.span(self.source.text(), start, end)
    }
}

trait TakeText<'t> {
    fn take_text(&mut self, index: usize) -> Cow<'t, str>;
}

impl<'t> TakeText<'t> for Vec<Word<'t>> {
    /// The text of a word; empty if there is no such word.
    fn take_text(&mut self, index: usize) -> Cow<'t, str> {
        self.get_mut(index).map(|word| std::mem::take(&mut word.text)).unwrap_or_default()
    }
}

/// Whether what follows the number of an action is neither verb, target nor dependency.
fn is_argument(child: &Value, index: usize) -> bool {
    match child {
        Value::Token(token) => index > 1 && !["dependency", "path"].contains(&token.name()),
        _ => true,
    }
}

type Pairs<'t, V> = Vec<(Cow<'t, str>, V)>;

/// Pairs of which each key occurs once, with its last value, and the keys that occurred again. The
/// places of keys are looked up, so that many attributes take linear time.
fn keep_last<V>(pairs: Pairs<V>) -> (Pairs<V>, Vec<Cow<str>>) {
    let mut places = HashMap::new();
    let mut kept: Pairs<V> = Vec::new();
    let mut repeated = Vec::new();
    for (key, value) in pairs {
        let (place, is_repeated) = places.entry(key.clone()).or_insert((kept.len(), false));
        if *place == kept.len() {
            kept.push((key, value));
            continue;
        }
        kept[*place].1 = value;
        if !*is_repeated {
            *is_repeated = true;
            repeated.push(key);
        }
    }
    (kept, repeated)
}

/// The names and texts of an argument: a terminal among others has the name of its rule as well.
fn list_arguments(part: Part) -> Vec<(Cow<str>, Cow<str>)> {
    if part.parts.is_empty() {
        return vec![(Cow::Borrowed(part.name), part.text)];
    }
    let mut arguments = Vec::new();
    for inner in part.parts {
        for (name, text) in list_arguments(inner) {
            arguments.push((Cow::Owned(format!("{}.{}", part.name, name)), text));
        }
    }
    arguments
}

fn join_texts(part: Part) -> Cow<str> {
    if !part.text.is_empty() {
        return part.text;
    }
    let texts: Vec<Cow<str>> = part.parts.into_iter().map(join_texts).collect();
    Cow::Owned(texts.join(" "))
}
