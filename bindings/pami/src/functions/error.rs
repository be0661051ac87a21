//! The sentence of a thread's last refused call: `PAMI_Error_text`.
//!
//! Before: a call was refused. After: the program has read why.

use std::ffi::c_char;

use crate::refusal::last_sentence;

/// # Safety
///
/// `string` is writable for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Error_text(string: *mut c_char, length: usize) -> usize {
    if string.is_null() || length == 0 {
        return 0;
    }
    last_sentence(|text| {
        let bytes = text.len().min(length - 1);
        // SAFETY: the caller vouches for `length` bytes, of which one is for the 0.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), string.cast(), bytes);
            *string.add(bytes) = 0;
        }
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::{Refusal, answer};
    use crate::structures::Code;

    fn text(room: usize) -> (usize, Vec<u8>) {
        let mut bytes = vec![7_u8; room + 1];
        // SAFETY: the vector has the room.
        let written = unsafe { PAMI_Error_text(bytes.as_mut_ptr().cast(), room) };
        (written, bytes)
    }

    #[test]
    fn the_last_sentence_is_given_out() {
        assert_eq!(text(9), (8, b"no error\0\x07".to_vec()));
        assert_eq!(answer(Err(Refusal::NotLocked)), Code::Invalid);
        assert_eq!(answer(Ok(())), Code::Success);
        let (written, bytes) = text(8);
        assert_eq!((written, &bytes[..]), (7, &b"the con\0\x07"[..]));
        assert_eq!(text(0), (0, vec![7]));
    }
}
