//! Error sections that mark an action as incomplete.
use crate::document::{Completeness, Section};
use std::collections::HashMap;

const LONGEST: usize = 12; // characters: of the word `unterminated`

/// Set the completeness of the actions that error sections are about.
pub(crate) fn read_marks(sections: &mut [Section]) {
    if !sections.iter().any(|section| state_of(section).is_some()) {
        return;
    }
    for (place, state) in find_states(sections) {
        if let Section::Action(action) = &mut sections[place] {
            action.completeness = action.completeness.min(state);
        }
    }
}

/// The worst state that is reported of each action, by its index.
fn find_states(sections: &[Section]) -> HashMap<usize, Completeness> {
    let mut paths: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, section) in sections.iter().enumerate() {
        if let Section::Action(action) = section {
            paths.entry(&action.path).or_default().push(place);
        }
    }
    let mut states = HashMap::new();
    let mut named: HashMap<&str, Completeness> = HashMap::new();
    let mut last = None;
    // The path of the last action, as long as only error sections follow it.
    let mut preceding = None;
    for (place, section) in sections.iter().enumerate() {
        if let Section::Action(action) = section {
            last = Some(place);
            preceding = Some(&*action.path);
            continue;
        }
        let (note, state) = match (section, state_of(section)) {
            (Section::Error(note), Some(state)) => (note, state),
            (Section::Error(_), None) => continue,
            _ => {
                preceding = None;
                continue;
            }
        };
        let target = note.target.as_deref().filter(|target| paths.contains_key(target));
        match (target, last) {
            (Some(target), _) if preceding != Some(target) => worsen(&mut named, target, state),
            (_, Some(last)) => worsen(&mut states, last, state),
            _ => {}
        }
    }
    for (target, state) in named {
        for place in &paths[target] {
            worsen(&mut states, *place, state);
        }
    }
    states
}

fn worsen<K: std::hash::Hash + Eq>(
    states: &mut HashMap<K, Completeness>,
    key: K,
    state: Completeness,
) {
    let entry = states.entry(key).or_insert(state);
    *entry = state.min(*entry);
}

fn state_of(section: &Section) -> Option<Completeness> {
    let note = match section {
        Section::Error(note) if note.kind.chars().count() <= LONGEST => note,
        _ => return None,
    };
    // A long s is a small one to whoever ignores case.
    let word = note.kind.to_lowercase().replace('ſ', "s");
    let state = Completeness::ALL.iter().find(|state| state.as_str() == word)?;
    Some(*state).filter(|state| *state != Completeness::Complete)
}
