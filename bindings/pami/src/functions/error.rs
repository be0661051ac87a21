//! The sentence of a thread's last refused call: `PAMI_Error_text`.
//!
//! Before: a call was refused. After: the program has read why.

use crate::refusal::last_sentence;
use crate::structures::pointer::Out;

/// Writes the sentence into `length` bytes, with a 0 behind it; how many bytes it has there.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Error_text(string: Out<u8>, length: usize) -> usize {
    if string.is_null() || length == 0 {
        return 0;
    }
    last_sentence(|text| {
        let text = &text.as_bytes()[..text.len().min(length - 1)];
        for (index, byte) in text.iter().enumerate() {
            string.put_at(index, *byte);
        }
        string.put_at(text.len(), 0);
        text.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::{Refusal, answer};
    use crate::structures::Code;
    use crate::structures::pointer::vouched::out;

    fn text(room: usize) -> (usize, Vec<u8>) {
        let mut bytes = vec![7_u8; room + 1];
        let written = PAMI_Error_text(out(&mut bytes), room);
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
