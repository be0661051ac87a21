//! A member's buffer as algorithms take it: its bytes follow each other.
//!
//! Before: address, type and count of a call. After: an algorithm reads or writes the bytes; where the type leaves gaps,
//! they lie in memory of the operation's own, which the gather/scatter machine fills from the program's memory before
//! and empties into it afterwards.
//!
//! | the type's data | bytes | `fill` | `finish` |
//! |---|---|---|---|
//! | follows each other | the program's own | nothing | nothing |
//! | lies apart | packed | packs | unpacks |

use pamir_transport::collective::data::scratch::Scratch;

use crate::collective::elements::Elements;
use crate::edge::span::Span;
use crate::layout::Layout;
use crate::layout::end::End;
use crate::refusal::Refusal;
use crate::structures::Type;
use crate::structures::pointer::Address;

/// A buffer; see the module.
pub struct Buffer {
    bytes: Bytes,
    /// What lies apart in the program's memory.
    pieces: Vec<Piece>,
}

enum Bytes {
    Own(Span),
    Packed(Scratch),
}

/// Where a run of packed bytes stands in the program's memory.
struct Piece {
    end: End,
    at: usize,
    bytes: usize,
}

impl From<Span> for Buffer {
    fn from(span: Span) -> Self {
        Self {
            bytes: Bytes::Own(span),
            pieces: Vec::new(),
        }
    }
}

impl Buffer {
    /// `count` elements of a type at `address`, an argument's.
    ///
    /// # Errors
    ///
    /// A type that is none, a count that is too large, and an address that is missing.
    pub fn new(
        type_: Type,
        address: Address,
        count: usize,
        argument: &'static str,
    ) -> Result<Self, Refusal> {
        let elements = Elements::of(type_)?;
        let bytes = elements.times(count)?;
        match &elements {
            Elements::Together(_) => Ok(Span::new(address, bytes, argument)?.into()),
            Elements::Apart(layout) => {
                let mut buffer = Self::packed(bytes)?;
                buffer.add(layout, address, (0, bytes), argument)?;
                Ok(buffer)
            }
        }
    }

    /// A buffer of so many packed bytes, which stand nowhere yet.
    ///
    /// # Errors
    ///
    /// Without memory.
    pub fn packed(bytes: usize) -> Result<Self, Refusal> {
        Ok(Self {
            bytes: Bytes::Packed(Scratch::new(bytes)?),
            pieces: Vec::new(),
        })
    }

    /// The packed bytes `at..at + bytes` are those of a layout at `address`.
    ///
    /// # Errors
    ///
    /// An address that is missing, where there are bytes.
    pub fn add(
        &mut self,
        layout: &Layout,
        address: Address,
        (at, bytes): (usize, usize),
        argument: &'static str,
    ) -> Result<(), Refusal> {
        if bytes == 0 {
            return Ok(());
        }
        if address.is_null() || address.is_in_place() {
            return Err(Refusal::Null { argument });
        }
        let end = End::new(layout, address, 0, bytes, None)?;
        self.pieces.push(Piece { end, at, bytes });
        Ok(())
    }

    /// The program's memory, where it has the bytes itself.
    pub fn span(&self) -> Option<Span> {
        match &self.bytes {
            Bytes::Own(span) => Some(span.at(0, span.bytes())),
            Bytes::Packed(_) => None,
        }
    }

    /// How many bytes.
    pub fn bytes(&self) -> usize {
        self.read().len()
    }

    /// The bytes.
    pub fn read(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Own(span) => span.read(),
            Bytes::Packed(bytes) => bytes,
        }
    }

    /// The bytes, to write.
    pub fn write(&mut self) -> &mut [u8] {
        match &mut self.bytes {
            Bytes::Own(span) => span.write(),
            Bytes::Packed(bytes) => bytes,
        }
    }

    /// With what is in the program's memory.
    #[must_use]
    pub fn filled(mut self) -> Self {
        if let Bytes::Packed(packed) = &mut self.bytes {
            for Piece { end, at, bytes } in &mut self.pieces {
                end.pack(0, &mut packed[*at..][..*bytes]);
            }
        }
        self
    }

    /// The program's memory gets what was written.
    pub fn finish(&mut self) {
        if let Bytes::Packed(packed) = &self.bytes {
            for Piece { end, at, bytes } in &mut self.pieces {
                end.unpack(0, &packed[*at..][..*bytes]);
            }
        }
    }

    /// The bytes `to..` become the bytes `from..from + bytes` of another buffer, also where both are the same memory.
    pub fn copy(&mut self, to: usize, source: &Self, from: usize, bytes: usize) {
        if let (Bytes::Own(target), Bytes::Own(source)) = (&self.bytes, &source.bytes) {
            return target.at(to, bytes).copy_from(&source.at(from, bytes));
        }
        self.write()[to..][..bytes].copy_from_slice(&source.read()[from..][..bytes]);
    }

    /// Whether the two are bytes of the program's that they have in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.bytes, &other.bytes) {
            (Bytes::Own(one), Bytes::Own(other)) => one.overlaps(other),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use pamir_transport::gather_scatter::Builder;

    use super::*;
    use crate::layout::element::Element;
    use crate::layout::{build, complete, create, destroy};
    use crate::structures::pointer::vouched::address;
    use crate::structures::variables::PAMI_TYPE_SIGNED_INT;

    /// Two numbers, and a gap of one behind each.
    fn pairs() -> Type {
        let handle = create();
        let add = |builder: &mut Builder| Ok(builder.add_simple(4, 0, 2, 8)?);
        build(handle, Element::Mixed, add).unwrap();
        complete(handle, 4).unwrap();
        handle
    }

    #[test]
    fn data_that_lies_apart_is_packed_and_unpacked() {
        let type_ = pairs();
        let mut numbers = [1_i32, 2, 3, 4, 5, 6, 7, 8];
        let here = address(&mut numbers);
        let mut buffer = Buffer::new(type_, here, 2, "buf").unwrap().filled();
        let packed = [1_i32, 3, 5, 7].map(i32::to_ne_bytes);
        assert_eq!(buffer.read(), packed.as_flattened());
        let mut own = [9_i32];
        let own = Buffer::new(PAMI_TYPE_SIGNED_INT.0, address(&mut own), 1, "own").unwrap();
        buffer.copy(4, &own, 0, 4);
        assert!(!buffer.overlaps(&own));
        buffer.finish();
        assert_eq!(numbers, [1, 2, 9, 4, 5, 6, 7, 8]);
        destroy(type_).unwrap();
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let type_ = pairs();
        for handle in [type_, PAMI_TYPE_SIGNED_INT.0] {
            let refused = Buffer::new(handle, Address::NULL, 1, "buf");
            assert!(matches!(refused, Err(Refusal::Null { argument: "buf" })));
            assert_eq!(
                Buffer::new(handle, Address::NULL, 0, "buf")
                    .unwrap()
                    .bytes(),
                0
            );
        }
        destroy(type_).unwrap();
        let refused = Buffer::new(type_, Address::NULL, 0, "buf");
        assert!(matches!(refused, Err(Refusal::Handle { .. })));
    }
}
