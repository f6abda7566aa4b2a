//! Check a strict parser in Rust with the cases: run CASES.jsonl.
//! rustc --edition 2021 run.rs --extern parser=libsymops_v2.rlib -o run
use std::process::exit;

/// The text of a case: JSON in ASCII, from the quote on at which it begins.
fn read_string(json: &str) -> String {
    let mut units = Vec::new();
    let mut rest = json.chars().skip(1);
    while let Some(sign) = rest.next().filter(|sign| *sign != '"') {
        let unit = match (sign, if sign == '\\' { rest.next() } else { None }) {
            (_, Some('n')) => 10,
            (_, Some('r')) => 13,
            (_, Some('t')) => 9,
            (_, Some('b')) => 8,
            (_, Some('f')) => 12,
            (_, Some('u')) => {
                let digits: String = rest.by_ref().take(4).collect();
                u16::from_str_radix(&digits, 16).expect("a case is JSON")
            }
            (_, Some(escaped)) => escaped as u16,
            (plain, None) => plain as u16,
        };
        units.push(unit);
    }
    String::from_utf16(&units).expect("the text of a case is Unicode")
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "cases.jsonl".to_string());
    let rows = std::fs::read_to_string(&path).expect("the first argument is the file of the cases");
    let (mut count, mut failures) = (0, 0);
    for row in rows.lines() {
        let (before, after) = row.split_once("\"text\": ").expect("a case has a text");
        let outcome = parser::to_json(&read_string(after));
        // The parser writes JSON as the cases do, so that texts can be compared.
        count += 1;
        let dialect = format!("{{\"dialect\": \"{}\", ", parser::DIALECT);
        if before != dialect || !row.ends_with(&format!(", {}", &outcome[1..])) {
            failures += 1;
            eprintln!("expected {row}\noutcome {outcome}");
        }
    }
    println!("{} of {count} cases passed", count - failures);
    exit(i32::from(failures > 0 || count == 0));
}
