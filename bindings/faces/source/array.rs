//! Arrays that go in: handles, integers.
//!
//! What: [`Array`], the standard ABI's form of an array of the program's. Step before: a call with many handles. Step
//! after: the library; and the program's array again, where handles come out. Invariant: up to [`FEW`] elements there
//! is no allocation; a null pointer stays one.

use std::mem::MaybeUninit;

/// So many elements need no allocation.
const FEW: usize = 64;

/// A number of elements; a negative one, which the library refuses, is none.
#[inline(always)]
pub fn length(count: impl TryInto<usize>) -> usize {
    count.try_into().unwrap_or(0)
}

/// Elements in the standard ABI's form.
pub struct Array<T> {
    few: [MaybeUninit<T>; FEW],
    many: Vec<T>,
    length: usize,
    is_null: bool,
}

impl<T: Copy> Array<T> {
    /// The elements of an array of the program's.
    ///
    /// # Safety
    ///
    /// `own` is null, or there are `length` elements.
    #[inline(always)]
    pub unsafe fn new<O: Copy>(own: *const O, length: usize, to_standard: impl Fn(O) -> T) -> Self {
        let mut array = Self {
            few: [const { MaybeUninit::uninit() }; FEW],
            many: Vec::new(),
            length: if own.is_null() { 0 } else { length },
            is_null: own.is_null(),
        };
        // SAFETY: the caller's promise; each index is below the length.
        let element = |index| to_standard(unsafe { *own.add(index) });
        match array.few.get_mut(..array.length) {
            Some(few) => {
                for (index, place) in few.iter_mut().enumerate() {
                    place.write(element(index));
                }
            }
            None => array.many = (0..length).map(element).collect(),
        }
        array
    }

    /// What the library is given.
    #[inline(always)]
    pub fn address(&mut self) -> *mut T {
        match (self.is_null, self.length <= FEW) {
            (true, _) => std::ptr::null_mut(),
            (false, true) => self.few.as_mut_ptr().cast(),
            (false, false) => self.many.as_mut_ptr(),
        }
    }

    /// Writes the elements to the program's array.
    ///
    /// # Safety
    ///
    /// `own` is the array that this one was made of, and is writable.
    #[inline(always)]
    pub unsafe fn give<O>(&mut self, own: *mut O, to_own: impl Fn(T) -> O) {
        let standard = self.address();
        for index in 0..self.length {
            // SAFETY: the caller's promise; so many elements were written by `new`.
            unsafe { *own.add(index) = to_own(*standard.add(index)) };
        }
    }
}
