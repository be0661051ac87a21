//! Error classes, codes and strings, the standard's and the program's own
//! (MPI-5.0 sections 9.4 and 9.5).
//!
//! These functions may be called at any time, also before MPI is initialised and after it
//! is finalized, so what they share is not part of MPI's state.
//!
//! The program's classes and codes share one line of numbers behind `MPI_ERR_LASTCODE`; what
//! was removed is given out again when it was the last one.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::argument::{address, store, store_string, string};
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result, last_detail};

/// A class or code that the program added.
#[derive(Debug)]
struct Added {
    /// A class is its own.
    class: c_int,
    text: Vec<u8>,
}

static ADDED: Mutex<BTreeMap<c_int, Added>> = Mutex::new(BTreeMap::new());

fn added() -> MutexGuard<'static, BTreeMap<c_int, Added>> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The greatest code in use: the value of attribute `MPI_LASTUSEDCODE`.
pub fn last_used() -> c_int {
    let added = added();
    added
        .last_key_value()
        .map_or(MPI_ERR_LASTCODE, |(code, _)| *code)
}

fn is_predefined(code: c_int) -> bool {
    code == MPI_SUCCESS || ErrorClass::from_code(code).is_some()
}

#[cold]
fn no_code(code: c_int) -> Error {
    ErrorClass::Arg.with(format!("{code} is no error code or class"))
}

/// Refuses what is no error code.
pub fn check(code: c_int) -> Result {
    if is_predefined(code) || added().contains_key(&code) {
        return Ok(());
    }
    Err(no_code(code))
}

/// Adds a class, or a code of one.
fn add(class: Option<c_int>) -> c_int {
    let mut added = added();
    let last = added
        .last_key_value()
        .map_or(MPI_ERR_LASTCODE, |(code, _)| *code);
    let code = last + 1;
    let entry = Added {
        class: class.unwrap_or(code),
        text: Vec::new(),
    };
    added.insert(code, entry);
    code
}

/// The class of a code; `None` if there is no such code.
fn class_of(code: c_int) -> Option<c_int> {
    if is_predefined(code) {
        return Some(code);
    }
    added().get(&code).map(|entry| entry.class)
}

/// `MPI_Error_class`, section 9.4.
///
/// # Safety
///
/// `errorclass` is null or writable.
pub unsafe fn error_class(errorcode: c_int, errorclass: *mut c_int) -> Result {
    let class = class_of(errorcode).ok_or_else(|| no_code(errorcode))?;
    // SAFETY: as the caller vouches.
    unsafe { store(errorclass, class, "errorclass") }
}

/// `MPI_Error_string`, section 9.3.4: the class's text, and what was found if this thread's
/// last error had this code.
///
/// # Safety
///
/// `string` is null or has room for `MPI_MAX_ERROR_STRING` characters; `resultlen` is null or writable.
pub unsafe fn error_string(errorcode: c_int, string: *mut c_char, resultlen: *mut c_int) -> Result {
    address(resultlen, "resultlen")?;
    let mut text = match (errorcode, ErrorClass::from_code(errorcode)) {
        (MPI_SUCCESS, _) => b"No error".to_vec(),
        (_, Some(class)) => format!("{}: {}", class.name(), class.text()).into_bytes(),
        (_, None) => match added().get(&errorcode) {
            Some(entry) => entry.text.clone(),
            None => return Err(no_code(errorcode)),
        },
    };
    if ErrorClass::from_code(errorcode).is_some()
        && let Some(detail) = last_detail(errorcode)
    {
        text.extend_from_slice(format!("; {detail}").as_bytes());
    }
    // SAFETY: as the caller vouches.
    unsafe {
        let bytes = store_string(string, &text, MPI_MAX_ERROR_STRING as usize, "string")?;
        store(resultlen, bytes, "resultlen")
    }
}

/// The text that the program gave a code or class of its own.
pub fn added_text(code: c_int) -> Option<String> {
    let added = added();
    let text = &added.get(&code)?.text;
    (!text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
}

/// `MPI_Add_error_class`, section 9.5.
///
/// # Safety
///
/// `errorclass` is null or writable.
pub unsafe fn add_error_class(errorclass: *mut c_int) -> Result {
    address(errorclass, "errorclass")?;
    // SAFETY: as the caller vouches.
    unsafe { store(errorclass, add(None), "errorclass") }
}

/// `MPI_Add_error_code`, section 9.5.
///
/// # Safety
///
/// `errorcode` is null or writable.
pub unsafe fn add_error_code(errorclass: c_int, errorcode: *mut c_int) -> Result {
    address(errorcode, "errorcode")?;
    if class_of(errorclass) != Some(errorclass) {
        return Err(ErrorClass::Arg.with(format!("{errorclass} is no error class")));
    }
    // SAFETY: as the caller vouches.
    unsafe { store(errorcode, add(Some(errorclass)), "errorcode") }
}

/// Gives a class or code of the program's a text.
fn set_text(code: c_int, text: &[u8]) -> Result {
    if is_predefined(code) {
        return Err(ErrorClass::Arg.with(format!(
            "{code} is an error class of MPI's own: its string does not change"
        )));
    }
    let mut added = added();
    let entry = added.get_mut(&code).ok_or_else(|| no_code(code))?;
    entry.text = text[..text.len().min(MPI_MAX_ERROR_STRING as usize - 1)].to_vec();
    Ok(())
}

/// `MPI_Add_error_string`, section 9.5.
///
/// # Safety
///
/// `string` is null or a string.
pub unsafe fn add_error_string(errorcode: c_int, string: *const c_char) -> Result {
    // SAFETY: as the caller vouches.
    let text = unsafe { self::string(string, "string")? };
    set_text(errorcode, text)
}

/// A class or code goes after its string.
fn refuse_string(code: c_int, added: &BTreeMap<c_int, Added>) -> Result {
    match added.get(&code) {
        Some(entry) if !entry.text.is_empty() => Err(ErrorClass::Arg.with(format!(
            "{code} still has an error string: remove that first"
        ))),
        _ => Ok(()),
    }
}

/// `MPI_Remove_error_class`, section 9.5.
pub fn remove_error_class(errorclass: c_int) -> Result {
    let mut added = added();
    match added.get(&errorclass) {
        Some(entry) if entry.class == errorclass => {}
        _ => {
            return Err(ErrorClass::Arg.with(format!(
                "{errorclass} is no error class that the program added"
            )));
        }
    }
    let has_codes =
        |(code, entry): (&c_int, &Added)| entry.class == errorclass && *code != errorclass;
    if added.iter().any(has_codes) {
        return Err(ErrorClass::Arg.with(format!(
            "error class {errorclass} still has codes: remove them first"
        )));
    }
    refuse_string(errorclass, &added)?;
    added.remove(&errorclass);
    Ok(())
}

/// `MPI_Remove_error_code`, section 9.5.
pub fn remove_error_code(errorcode: c_int) -> Result {
    let mut added = added();
    match added.get(&errorcode) {
        Some(entry) if entry.class != errorcode => {
            refuse_string(errorcode, &added)?;
            added.remove(&errorcode);
            Ok(())
        }
        _ => Err(ErrorClass::Arg.with(format!(
            "{errorcode} is no error code that the program added"
        ))),
    }
}

/// `MPI_Remove_error_string`, section 9.5.
pub fn remove_error_string(errorcode: c_int) -> Result {
    let has_text = added()
        .get(&errorcode)
        .is_some_and(|entry| !entry.text.is_empty());
    if !has_text {
        return Err(ErrorClass::Arg.with(format!(
            "{errorcode} has no error string that the program added"
        )));
    }
    set_text(errorcode, b"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_codes_and_strings_come_and_go_in_order() {
        let class = add(None);
        let code = add(Some(class));
        assert!(class > MPI_ERR_LASTCODE && code == class + 1 && last_used() == code);
        assert_eq!(
            (class_of(class), class_of(code)),
            (Some(class), Some(class))
        );
        assert_eq!(class_of(MPI_ERR_RANK), Some(MPI_ERR_RANK));
        assert_eq!(class_of(code + 1), None);
        set_text(code, b"too hot").expect("the code was added");
        assert!(remove_error_class(class).is_err());
        assert!(remove_error_code(code).is_err());
        remove_error_string(code).expect("it has one");
        assert!(remove_error_string(code).is_err());
        remove_error_code(code).expect("it has no string any more");
        assert!(check(code).is_err() && remove_error_code(code).is_err());
        assert!(remove_error_code(class).is_err());
        remove_error_class(class).expect("it has no code any more");
        assert_eq!(last_used(), MPI_ERR_LASTCODE);
        assert!(set_text(MPI_ERR_RANK, b"mine").is_err());
    }
}
