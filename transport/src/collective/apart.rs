//! A member's own data apart from where the result goes.
//!
//! Before: the MPI layer has a send and a receive buffer. After: algorithms on a board, which take
//! the data from where they lie, a chunk at a time; all others work in place, on a copy.
//!
//! Why: to copy a large buffer first costs as much as to move it, and leaves lines that were
//! just written, which the other members have to ask this core for.

/// What a member contributes, and the room for the result.
#[derive(Debug)]
pub struct Apart<'a> {
    /// The own data; none where they are in `result`.
    pub own: Option<&'a [u8]>,
    /// Where the result goes: as long as the own data.
    pub result: &'a mut [u8],
}

impl<'a> Apart<'a> {
    /// The own data.
    #[inline]
    pub fn own(&self) -> &[u8] {
        self.own.unwrap_or(self.result)
    }

    /// The room for the result, with the own data in it.
    #[inline]
    pub fn in_place(self) -> &'a mut [u8] {
        if let Some(own) = self.own {
            self.result.copy_from_slice(own);
        }
        self.result
    }

    /// A part of it.
    #[inline]
    pub fn part(&mut self, part: std::ops::Range<usize>) -> Apart<'_> {
        Apart {
            own: self.own.map(|own| &own[part.clone()]),
            result: &mut self.result[part],
        }
    }
}

impl<'a> From<&'a mut [u8]> for Apart<'a> {
    #[inline]
    fn from(result: &'a mut [u8]) -> Self {
        Self { own: None, result }
    }
}
