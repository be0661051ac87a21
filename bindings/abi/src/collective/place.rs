//! Places of data in the program's memory, resolved once and used by each run of an operation.
//!
//! Before: (address, count, datatype) of a call. After: contiguous bytes, the program's own
//! where its elements have no gaps, else a packed copy:
//!
//! ```text
//! Place ──open──▶ Room: own bytes, or a copy ──(the algorithm)──▶ store: unpacked, if a copy
//! ```
//!
//! A place keeps its datatype: the program may free it while the operation is under way, or
//! before a persistent one is started. Nothing is allocated for data without gaps.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use pamir_mpi::datatype::Datatype;

use crate::constants::*;
use crate::error::{ErrorClass, Result};
use crate::state::State;
use crate::state::datatypes::negative_count;
use crate::state::memory::{NOTHING, Span};
use crate::types::MPI_Datatype;

/// Whether a buffer argument is `MPI_IN_PLACE`.
pub fn is_in_place(address: *const u8) -> bool {
    address == MPI_IN_PLACE.cast::<u8>().cast_const()
}

/// A run of elements in the program's memory.
#[derive(Clone)]
pub enum Place {
    /// Bytes that follow on without gaps.
    Own(Span),
    /// Elements that a datatype describes.
    Described {
        /// Their datatype.
        datatype: Rc<Datatype>,
        /// The address that its displacements count from.
        address: *mut u8,
        /// How many.
        count: usize,
    },
}

impl Place {
    /// No data, for arguments that are not looked at.
    pub const NONE: Self = Self::Own(NOTHING);

    /// The place of `count` elements at `address`.
    #[inline]
    pub fn new(
        state: &State,
        address: *const u8,
        count: i64,
        datatype: MPI_Datatype,
    ) -> Result<Self> {
        match state.datatypes.span(address, count, datatype) {
            Some(own) => Self::checked(own),
            None => {
                let count = usize::try_from(count).map_err(|_| negative_count(count))?;
                Self::of(&state.datatypes.committed(datatype)?, address, count)
            }
        }
    }

    /// The same where others take no elements of no datatype, too.
    #[inline]
    pub fn lenient(
        state: &State,
        address: *const u8,
        count: i64,
        datatype: MPI_Datatype,
    ) -> Result<Self> {
        if count == 0 && datatype == MPI_DATATYPE_NULL {
            return Ok(Self::NONE);
        }
        Self::new(state, address, count, datatype)
    }

    /// The place of `count` elements of a committed datatype.
    pub fn of(datatype: &Rc<Datatype>, address: *const u8, count: usize) -> Result<Self> {
        let address = address.cast_mut();
        if let Some((displacement, bytes)) = datatype.contiguous_bytes(count) {
            let address = address.wrapping_offset(displacement as isize);
            return Self::checked(Span { address, bytes });
        }
        if is_in_place(address) {
            return Err(misplaced(address));
        }
        let datatype = datatype.clone();
        Ok(Self::Described {
            datatype,
            address,
            count,
        })
    }

    /// Refuses addresses at which no program has data.
    #[inline]
    fn checked(own: Span) -> Result<Self> {
        if own.bytes > 0 && (own.address.is_null() || is_in_place(own.address)) {
            return Err(misplaced(own.address));
        }
        Ok(Self::Own(own))
    }

    /// Bytes of data.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Own(own) => own.bytes,
            Self::Described {
                datatype, count, ..
            } => datatype.size() * count,
        }
    }

    /// Copies the data to `target`.
    ///
    /// # Safety
    ///
    /// The place is readable; `target` is writable for its bytes, which lie elsewhere.
    pub unsafe fn pack(&self, target: *mut u8) {
        // SAFETY: as the caller vouches.
        unsafe {
            match self {
                Self::Own(own) => target.copy_from(own.address, own.bytes),
                Self::Described {
                    datatype,
                    address,
                    count,
                } => {
                    datatype
                        .machine(*count, *address)
                        .pack_to(target, self.bytes());
                }
            }
        }
    }

    /// Copies the data from `source`.
    ///
    /// # Safety
    ///
    /// The place is writable; `source` is readable for its bytes, which lie elsewhere.
    pub unsafe fn unpack(&self, source: *const u8) {
        // SAFETY: as the caller vouches.
        unsafe {
            match self {
                Self::Own(own) => own.address.copy_from(source, own.bytes),
                Self::Described {
                    datatype,
                    address,
                    count,
                } => {
                    datatype
                        .machine(*count, *address)
                        .unpack_from(source, self.bytes());
                }
            }
        }
    }

    /// The data as contiguous bytes; a copy holds what the place does if `load`, else zeros.
    ///
    /// # Safety
    ///
    /// As long as the room lives, the place is good for what the operation does with it, and
    /// nobody else changes it.
    pub unsafe fn open(&self, load: bool) -> Room<'_> {
        let mut copy = Vec::new();
        if let Self::Described { .. } = self {
            copy.resize(self.bytes(), 0);
            if load {
                // SAFETY: the copy has room for the bytes; the caller vouches for the place.
                unsafe { self.pack(copy.as_mut_ptr()) };
            }
        }
        Room { place: self, copy }
    }
}

/// The error of data at an address at which no program has any.
#[cold]
pub fn misplaced(address: *mut u8) -> crate::error::Error {
    ErrorClass::Buffer.with(if address.is_null() {
        "a buffer with data is a null pointer"
    } else {
        "MPI_IN_PLACE stands for a buffer that has to be one"
    })
}

/// A place's data as contiguous bytes, as long as an operation runs.
pub struct Room<'p> {
    place: &'p Place,
    /// Empty where the bytes are the program's own.
    copy: Vec<u8>,
}

impl Room<'_> {
    /// Puts a copy where the program has the data.
    pub fn store(self) {
        if let Place::Described { .. } = self.place {
            // SAFETY: whoever opened the place vouched for it; the copy has its bytes.
            unsafe { self.place.unpack(self.copy.as_ptr()) };
        }
    }
}

impl Deref for Room<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self.place {
            // SAFETY: whoever opened the place vouched for it as long as the room lives.
            Place::Own(own) => unsafe { own.bytes_mut() },
            Place::Described { .. } => &self.copy,
        }
    }
}

impl DerefMut for Room<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self.place {
            // SAFETY: as in `deref`.
            Place::Own(own) => unsafe { own.bytes_mut() },
            Place::Described { .. } => &mut self.copy,
        }
    }
}
