//! Documents and errors as JSON, in ASCII, as the cases of `symops export conformance` have them.
use crate::document::{Action, CustomSection, Part, Section, Span};
use crate::explain::ParseError;
use crate::{parse, DIALECT};
use std::fmt::Write;

/// What a text is, as JSON: `{"document": …}`, or `{"error": …}` with the code, the place, the
/// message, what was expected, the hint and the drawn message.
pub fn to_json(text: &str) -> String {
    match parse(text) {
        Ok(sections) => object(&[("document", document(&sections))]),
        Err(error) => object(&[("error", failure(&error))]),
    }
}

fn document(sections: &[Section]) -> String {
    let sections = list(sections.iter().map(section));
    object(&[("dialect", string(DIALECT)), ("sections", sections)])
}

fn failure(error: &ParseError) -> String {
    let found = &error.diagnostics[0];
    object(&[
        ("code", string(found.code)),
        ("offset", found.span.start.to_string()),
        ("end", found.span.end.to_string()),
        ("line", found.span.line.to_string()),
        ("column", found.span.column.to_string()),
        ("message", string(&found.message)),
        ("expected", strings(&found.expected)),
        ("hint", string(&found.hint)),
        ("drawn", string(&error.to_string())),
    ])
}

fn section(section: &Section) -> String {
    let (kind, mut members) = match section {
        Section::Thought(thought) => ("thought", vec![("text", string(&thought.text))]),
        Section::Vitals(vitals) => {
            let values = vitals.values.iter().map(|(name, value)| (&**name, number(*value)));
            ("vitals", vec![("values", object(&values.collect::<Vec<_>>()))])
        }
        Section::Action(action) => return write_action(action),
        Section::Question(question) => {
            let text = string(&question.text);
            ("question", vec![("text", text), ("choices", strings(&question.choices))])
        }
        Section::Error(note) => {
            let target = optional(note.target.as_deref().map(string));
            let message = optional(note.message.as_deref().map(string));
            let kind = string(&note.kind);
            ("error", vec![("type", kind), ("target", target), ("message", message)])
        }
        Section::Custom(section) => ("custom", custom_members(section)),
    };
    members.insert(0, ("kind", string(kind)));
    members.push(("span", span(section.span())));
    object(&members)
}

fn custom_members(section: &CustomSection) -> Vec<(&'static str, String)> {
    vec![
        ("name", string(section.name)),
        ("parts", list(section.parts.iter().map(part))),
        ("text", string(&section.text)),
        ("confidence", number(1.0)),
        ("completeness", string("complete")),
    ]
}

fn part(one: &Part) -> String {
    let parts = list(one.parts.iter().map(part));
    object(&[("name", string(one.name)), ("text", string(&one.text)), ("parts", parts)])
}

fn write_action(action: &Action) -> String {
    let attributes = action.attributes.iter().map(|(key, value)| (&**key, string(value)));
    let mut members = vec![
        ("kind", string("action")),
        ("type", string(&action.kind)),
        ("path", string(&action.path)),
        ("content", optional(action.content.as_deref().map(string))),
        ("dependencies", strings(&action.dependencies)),
        ("confidence", number(1.0)),
        ("completeness", string(action.completeness.as_str())),
        ("span", span(&action.span)),
        ("content_span", optional(action.content_span.as_ref().map(span))),
        ("number", optional(action.number.map(|number| number.to_string()))),
        ("attributes", object(&attributes.collect::<Vec<_>>())),
    ];
    if !action.repeated_attributes.is_empty() {
        members.push(("repeated_attributes", strings(&action.repeated_attributes)));
    }
    object(&members)
}

fn span(span: &Span) -> String {
    object(&[
        ("start", span.start.to_string()),
        ("end", span.end.to_string()),
        ("line", span.line.to_string()),
        ("column", span.column.to_string()),
    ])
}

fn object(members: &[(&str, String)]) -> String {
    let members = members.iter().map(|(name, value)| format!("{}: {value}", string(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn strings<T: AsRef<str>>(texts: &[T]) -> String {
    list(texts.iter().map(|text| string(text.as_ref())))
}

fn optional(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_string())
}

/// A number as Python writes it: `1.0`, `1e-05`.
fn number(value: f64) -> String {
    if value == 0.0 || value >= 1e-4 {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    match text.split_once("e-") {
        Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
        None => text,
    }
}

fn string(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 2);
    shown.push('"');
    for sign in text.chars() {
        match sign {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\x08' => shown.push_str("\\b"),
            '\x0c' => shown.push_str("\\f"),
            ' '..='~' => shown.push(sign),
            // A character beyond the first 65,536 is two units in JSON.
            _ => sign.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                // Writing to a string never fails.
                let _ = write!(shown, "\\u{unit:04x}");
            }),
        }
    }
    shown.push('"');
    shown
}
