//! Checks of C arguments that many chapters share: addresses, counts and strings.
//!
//! Before: a C call. After: values that need no more checks. The harm that a null pointer or a
//! negative length would do to the program becomes an error of class `MPI_ERR_ARG` that
//! names the argument.

use std::ffi::{CStr, c_char, c_int};

use crate::error::{ErrorClass, Result};

/// Refuses a null address.
#[inline]
pub fn address<T>(pointer: *const T, name: &str) -> Result {
    if pointer.is_null() {
        return Err(ErrorClass::Arg.with(format!("argument {name} is a null pointer")));
    }
    Ok(())
}

/// Stores a result at an address of the program's.
///
/// # Safety
///
/// `target` is null or writable.
#[inline]
pub unsafe fn store<T>(target: *mut T, value: T, name: &str) -> Result {
    address(target, name)?;
    // SAFETY: it is not null, so the caller vouches for it.
    unsafe { target.write(value) };
    Ok(())
}

/// The program's array of `count` elements.
///
/// # Safety
///
/// `first` is null or good for `count` elements that nobody changes during the call.
pub unsafe fn array<'a, T>(first: *const T, count: c_int, name: &str) -> Result<&'a [T]> {
    let Ok(count) = usize::try_from(count) else {
        return Err(ErrorClass::Arg.with(format!("{count} is no length of {name}")));
    };
    if count == 0 {
        return Ok(&[]);
    }
    address(first, name)?;
    // SAFETY: it is not null, so the caller vouches for all elements.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// The program's string without its terminating zero.
///
/// # Safety
///
/// `text` is null or a string that nobody changes during the call.
pub unsafe fn string<'a>(text: *const c_char, name: &str) -> Result<&'a [u8]> {
    address(text, name)?;
    // SAFETY: it is not null, so the caller vouches that a zero ends it.
    Ok(unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// Writes a string and its terminating zero, cut off to fit `room` bytes in all; gives the
/// length that was written without the zero.
///
/// # Safety
///
/// `target` is null or writable for `room` bytes.
pub unsafe fn store_string(
    target: *mut c_char,
    text: &[u8],
    room: usize,
    name: &str,
) -> Result<c_int> {
    address(target, name)?;
    let bytes = text.len().min(room.saturating_sub(1));
    if room == 0 {
        return Ok(0);
    }
    // SAFETY: the caller vouches for `room` bytes, and bytes + 1 <= room.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), target, bytes);
        target.add(bytes).write(0);
    }
    Ok(bytes as c_int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_cut_off_to_fit() {
        let mut room = [0x7F as c_char; 4];
        // SAFETY: the room has the four bytes that are named.
        let written = unsafe { store_string(room.as_mut_ptr(), b"abcdef", 4, "name") };
        assert_eq!(written.unwrap(), 3);
        assert_eq!(room.map(|c| c as u8), *b"abc\0");
    }

    #[test]
    fn null_pointers_and_negative_lengths_are_refused() {
        // SAFETY: null is allowed.
        unsafe {
            assert!(store(std::ptr::null_mut::<c_int>(), 1, "size").is_err());
            assert!(string(std::ptr::null(), "name").is_err());
            assert!(array(std::ptr::null::<c_int>(), 1, "ranks").is_err());
            assert!(array(&1, -1, "ranks").is_err());
            assert!(
                array(std::ptr::null::<c_int>(), 0, "ranks")
                    .unwrap()
                    .is_empty()
            );
        }
    }
}
