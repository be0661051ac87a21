//! Lists of attributes, asked for or to be changed.
//!
//! Before: a C call with a list. After: [`query`] has filled in what the object answered;
//! [`update`] has refused what cannot be changed, which is everything.

use crate::refusal::Refusal;
use crate::structures::pointer::InOut;
use crate::structures::{Configuration, Value};

/// The list that C gave.
///
/// # Errors
///
/// [`Refusal::Null`] where it has entries and is NULL.
pub fn entries(
    list: &mut InOut<Configuration>,
    count: usize,
) -> Result<&mut [Configuration], Refusal> {
    if count == 0 {
        return Ok(&mut []);
    }
    let argument = "configuration";
    list.list(count).ok_or(Refusal::Null { argument })
}

/// Asks `object` for every attribute of a list; `answer` knows those it has.
///
/// # Errors
///
/// As for [`entries`], and [`Refusal::Attribute`].
pub fn query(
    object: &'static str,
    list: &mut InOut<Configuration>,
    count: usize,
    answer: impl Fn(u32) -> Option<Value>,
) -> Result<(), Refusal> {
    for entry in entries(list, count)? {
        let attribute = entry.name;
        entry.value = answer(attribute).ok_or(Refusal::Attribute { attribute, object })?;
    }
    Ok(())
}

/// Refuses to change what `known` has, and what it has not.
///
/// # Errors
///
/// As for [`entries`], [`Refusal::ReadOnly`] and [`Refusal::Attribute`].
pub fn update(
    object: &'static str,
    list: &mut InOut<Configuration>,
    count: usize,
    known: impl Fn(u32) -> bool,
) -> Result<(), Refusal> {
    let Some(first) = entries(list, count)?.first() else {
        return Ok(());
    };
    let attribute = first.name;
    Err(if known(attribute) {
        Refusal::ReadOnly { attribute, object }
    } else {
        Refusal::Attribute { attribute, object }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::pointer::vouched::in_out;

    #[test]
    fn unknown_attributes_are_named() {
        let value = Value::number(0);
        let mut entries = [
            Configuration { name: 105, value },
            Configuration { name: 999, value },
        ];
        let answer = |name| (name == 105).then(|| Value::number(3));
        let outcome = query("client", &mut in_out(Some(&mut entries)), 2, answer);
        let attribute = 999;
        assert!(
            matches!(outcome, Err(Refusal::Attribute { attribute: 999, .. })),
            "{attribute}"
        );
        assert_eq!(entries[0].value.as_number(), 3);
        let mut list = in_out(Some(&mut entries));
        let outcome = update("client", &mut list, 1, |name| name == 105);
        assert!(matches!(outcome, Err(Refusal::ReadOnly { .. })));
        let outcome = query("client", &mut in_out(None), 1, answer);
        assert!(matches!(outcome, Err(Refusal::Null { .. })));
    }
}
