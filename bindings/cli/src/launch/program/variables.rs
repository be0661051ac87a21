//! Variables of an environment that is being built: a value found, a value set.
//!
//! Before: the variables that are inherited. After: those that a program is started with.

use std::ffi::{OsStr, OsString};

/// The value of a variable among these.
pub fn value_of<'a>(variables: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    variables
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_os_str())
}

/// Gives a variable among these a value, whether it is there yet or not.
pub fn set_value(
    variables: &mut Vec<(OsString, OsString)>,
    name: impl AsRef<OsStr>,
    value: OsString,
) {
    let name = name.as_ref();
    match variables.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => *known = value,
        None => variables.push((name.to_owned(), value)),
    }
}
