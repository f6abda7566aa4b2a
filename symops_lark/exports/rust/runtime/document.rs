//! What a document consists of: sections, in the order of the text.
use std::borrow::Cow;
use std::ops::Range;

/// A place in the text. Offsets and columns count characters (code points).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// From 1 on.
    pub line: usize,
    /// From 1 on.
    pub column: usize,
    /// The same place in bytes, to slice the text: `&text[span.bytes.clone()]`.
    pub bytes: Range<usize>,
}

/// A section of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Section<'t> {
    Thought(Thought<'t>),
    Vitals(Vitals<'t>),
    Action(Action<'t>),
    Question(Question<'t>),
    Error(ErrorNote<'t>),
    Custom(CustomSection<'t>),
}

impl Section<'_> {
    /// The place of the section, without the line end after it.
    pub fn span(&self) -> &Span {
        match self {
            Section::Thought(section) => &section.span,
            Section::Vitals(section) => &section.span,
            Section::Action(section) => &section.span,
            Section::Question(section) => &section.span,
            Section::Error(section) => &section.span,
            Section::Custom(section) => &section.span,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thought<'t> {
    pub text: Cow<'t, str>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Vitals<'t> {
    /// Names and values; each name occurs once.
    pub values: Vec<(Cow<'t, str>, f64)>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Action<'t> {
    /// The verb.
    pub kind: Cow<'t, str>,
    /// The path of a file, or a command.
    pub path: Cow<'t, str>,
    pub content: Option<Cow<'t, str>>,
    pub dependencies: Vec<Cow<'t, str>>,
    /// Whether an error section of the text marks the action as incomplete.
    pub completeness: Completeness,
    pub span: Span,
    pub content_span: Option<Span>,
    /// The number that some dialects give each action.
    pub number: Option<u64>,
    /// Keys and values; each key occurs once, with its last value.
    pub attributes: Vec<(Cow<'t, str>, Cow<'t, str>)>,
    /// The keys that the text has more than once.
    pub repeated_attributes: Vec<Cow<'t, str>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Question<'t> {
    pub text: Cow<'t, str>,
    pub choices: Vec<Cow<'t, str>>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ErrorNote<'t> {
    /// The code of the error.
    pub kind: Cow<'t, str>,
    pub target: Option<Cow<'t, str>>,
    pub message: Option<Cow<'t, str>>,
    pub span: Span,
}

/// A section that only this dialect has.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomSection<'t> {
    /// The name of its rule in the grammar.
    pub name: &'static str,
    pub parts: Vec<Part<'t>>,
    /// The section as the text has it.
    pub text: Cow<'t, str>,
    pub span: Span,
}

/// A terminal or a rule inside a custom section: a text, or parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'t> {
    pub name: &'static str,
    pub text: Cow<'t, str>,
    pub parts: Vec<Part<'t>>,
}

/// How complete an action is. The order is from bad to good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Completeness {
    Truncated,
    Unterminated,
    Suspect,
    Complete,
}

impl Completeness {
    pub(crate) const ALL: [Completeness; 4] = [
        Completeness::Truncated,
        Completeness::Unterminated,
        Completeness::Suspect,
        Completeness::Complete,
    ];

    /// The word for it in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Completeness::Truncated => "truncated",
            Completeness::Unterminated => "unterminated",
            Completeness::Suspect => "suspect",
            Completeness::Complete => "complete",
        }
    }
}
