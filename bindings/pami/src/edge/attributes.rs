//! Lists of attributes, asked for or to be changed.
//!
//! Before: a C call with a list. After: [`query`] has filled in what the object answered;
//! [`update`] has refused what cannot be changed, which is everything.

use crate::refusal::Refusal;
use crate::structures::{Configuration, Value};

/// The list that C gave.
///
/// # Safety
///
/// `list` is NULL, or has `count` entries that nobody else uses during the call.
pub unsafe fn entries<'a>(
    list: *mut Configuration,
    count: usize,
) -> Result<&'a mut [Configuration], Refusal> {
    if count == 0 {
        return Ok(&mut []);
    }
    if list.is_null() {
        let argument = "configuration";
        return Err(Refusal::Null { argument });
    }
    // SAFETY: the caller vouches for the entries.
    Ok(unsafe { std::slice::from_raw_parts_mut(list, count) })
}

/// Asks `object` for every attribute of a list; `answer` knows those it has.
///
/// # Safety
///
/// As for [`entries`].
pub unsafe fn query(
    object: &'static str,
    list: *mut Configuration,
    count: usize,
    answer: impl Fn(u32) -> Option<Value>,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    for entry in unsafe { entries(list, count)? } {
        let attribute = entry.name;
        entry.value = answer(attribute).ok_or(Refusal::Attribute { attribute, object })?;
    }
    Ok(())
}

/// Refuses to change what `known` has, and what it has not.
///
/// # Safety
///
/// As for [`entries`].
pub unsafe fn update(
    object: &'static str,
    list: *mut Configuration,
    count: usize,
    known: impl Fn(u32) -> bool,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    let Some(first) = unsafe { entries(list, count)? }.first() else {
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

    #[test]
    fn unknown_attributes_are_named() {
        let value = Value { intval: 0 };
        let mut list = [
            Configuration { name: 105, value },
            Configuration { name: 999, value },
        ];
        let answer = |name| (name == 105).then_some(Value { intval: 3 });
        // SAFETY: the list has the entries.
        let outcome = unsafe { query("client", list.as_mut_ptr(), 2, answer) };
        let attribute = 999;
        assert!(
            matches!(outcome, Err(Refusal::Attribute { attribute: 999, .. })),
            "{attribute}"
        );
        // SAFETY: the union's number was written.
        assert_eq!(unsafe { list[0].value.intval }, 3);
        // SAFETY: the list has the entries.
        let outcome = unsafe { update("client", list.as_mut_ptr(), 1, |name| name == 105) };
        assert!(matches!(outcome, Err(Refusal::ReadOnly { .. })));
        // SAFETY: no entry is read.
        let outcome = unsafe { query("client", std::ptr::null_mut(), 1, answer) };
        assert!(matches!(outcome, Err(Refusal::Null { .. })));
    }
}
