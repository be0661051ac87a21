//! Pointers that C hands in, for safe code.
//!
//! Before: a C call, or a structure that it names. After: the rooms above read and write what they lead to.
//!
//! Only C makes them: their fields are private. Whoever calls a function of `pami.h` vouches for each of them as
//! the function's declaration says:
//!
//! | type | what the caller vouches for |
//! |---|---|
//! | [`In`] | NULL, or one value that is readable during the call |
//! | [`List`] | NULL, or as many values as the call counts, readable during the call |
//! | [`InOut`] | NULL, or such values that nobody else uses during the call |
//! | [`Out`] | NULL, or room for such values |
//! | [`Text`] | NULL, or a string that ends with a 0 |
//! | [`Address`], [`Vector`] | memory for as many bytes as the call's counts and types say, until the event that the call names |

use std::ffi::{CStr, c_char, c_void};

/// One value to read.
#[derive(Debug)]
#[repr(transparent)]
pub struct In<T>(*const T);

/// Values to read.
#[derive(Debug)]
#[repr(transparent)]
pub struct List<T>(*const T);

/// Values to read and change.
#[derive(Debug)]
#[repr(transparent)]
pub struct InOut<T>(*mut T);

/// Where values go.
#[derive(Debug)]
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// A string.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Text(*const c_char);

macro_rules! copied {
    ($($name:ident)*) => {
        $(
            impl<T> Clone for $name<T> {
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl<T> Copy for $name<T> {}
        )*
    };
}
copied!(In List Out);

impl<T> In<T> {
    /// The value, unless it is NULL.
    #[inline(always)]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: NULL, or readable during the call, which the reference does not outlive.
        unsafe { self.0.as_ref() }
    }
}

impl<T> List<T> {
    /// The first `count` values, as many as the call counts; nothing if it is NULL.
    pub fn get(&self, count: usize) -> Option<&[T]> {
        // SAFETY: not NULL, and the caller vouches for as many values as it counts.
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0, count) })
    }
}

impl List<c_void> {
    /// Those of a call that counts in `size_t`.
    pub fn sizes(self) -> List<usize> {
        List(self.0.cast())
    }

    /// Those of a call that counts in `int`.
    pub fn integers(self) -> List<i32> {
        List(self.0.cast())
    }
}

impl<T> InOut<T> {
    /// Where it leads, as a number.
    pub fn address(&self) -> usize {
        self.0.addr()
    }

    /// The value, unless it is NULL.
    pub fn get(&mut self) -> Option<&mut T> {
        // SAFETY: NULL, or usable by nobody else during the call, which the reference does not outlive.
        unsafe { self.0.as_mut() }
    }

    /// The first `count` values, as many as the call counts; nothing if it is NULL.
    pub fn list(&mut self, count: usize) -> Option<&mut [T]> {
        // SAFETY: not NULL, and as for one value.
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(self.0, count) })
    }
}

impl<T> Out<T> {
    /// Whether there is no room.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the only value, or the first; nothing where there is no room.
    pub fn put(self, value: T) {
        self.put_at(0, value);
    }

    /// Writes the value with an index below the number that the call counts.
    pub fn put_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            // SAFETY: not NULL, and the caller vouches for room for as many values as it counts.
            unsafe { self.0.add(index).write(value) };
        }
    }
}

impl Text {
    /// None.
    pub const NULL: Self = Self(std::ptr::null());

    /// A string that the library gives out, for ever.
    pub fn of(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// The string, unless it is NULL.
    pub fn get(&self) -> Option<&CStr> {
        // SAFETY: not NULL, and the caller vouches for the string during the call.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) })
    }
}

/// Memory of the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(*mut u8);

/// The address that says that data is sent from where it goes (`PAMI_IN_PLACE`).
const IN_PLACE: usize = usize::MAX;

impl Address {
    /// None.
    pub const NULL: Self = Self(std::ptr::null_mut());

    /// Memory that the library itself vouches for.
    ///
    /// # Safety
    ///
    /// As a C caller vouches: see the module.
    pub unsafe fn vouched(address: *mut u8) -> Self {
        Self(address)
    }

    /// Whether it is NULL.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Whether it is `PAMI_IN_PLACE`.
    pub fn is_in_place(self) -> bool {
        self.0.addr() == IN_PLACE
    }

    /// As a pointer.
    #[inline(always)]
    pub fn raw(self) -> *mut u8 {
        self.0
    }

    /// The address `bytes` bytes further, in the same memory.
    pub fn at(self, bytes: isize) -> Self {
        Self(self.0.wrapping_offset(bytes))
    }
}

/// `struct iovec`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Vector {
    /// Where the bytes are.
    pub address: Address,
    /// How many.
    pub bytes: usize,
}

impl Vector {
    /// The bytes; nothing where there are some and the address is NULL.
    #[inline(always)]
    pub fn get(&self) -> Option<&[u8]> {
        if self.bytes == 0 {
            return Some(&[]);
        }
        let address = self.address.0;
        // SAFETY: not NULL, and the caller vouches for the bytes during the call.
        (!address.is_null()).then(|| unsafe { std::slice::from_raw_parts(address, self.bytes) })
    }

    /// As the transport takes it.
    #[inline(always)]
    pub fn part(self) -> (*const u8, usize) {
        (self.address.0.cast_const(), self.bytes)
    }
}

/// Tests stand for C.
#[cfg(test)]
pub mod vouched {
    use super::*;

    /// `Address` of a slice.
    pub fn address<T>(memory: &mut [T]) -> Address {
        Address(memory.as_mut_ptr().cast())
    }

    /// An address that nothing is at.
    pub fn nowhere(address: usize) -> Address {
        Address(std::ptr::without_provenance_mut(address))
    }

    /// `List` of a slice.
    pub fn list<T>(values: &[T]) -> List<T> {
        List(values.as_ptr())
    }

    /// `List` of numbers whose width the call says.
    pub fn numbers<T>(values: &[T]) -> List<c_void> {
        List(values.as_ptr().cast())
    }

    /// `InOut` of a slice, or NULL.
    pub fn in_out<T>(values: Option<&mut [T]>) -> InOut<T> {
        InOut(values.map_or(std::ptr::null_mut(), <[T]>::as_mut_ptr))
    }

    /// `Out` of a slice.
    pub fn out<T>(values: &mut [T]) -> Out<T> {
        Out(values.as_mut_ptr())
    }
}
