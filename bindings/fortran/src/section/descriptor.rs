//! Array descriptors as Fortran 2018 defines them for C (section 18.5).
//!
//! ```text
//!  0 base_addr   8 elem_len   16 version   20 rank   21 attribute and type, in an order of the compiler's
//! 24 dim[rank]: lower_bound, extent, stride in bytes
//! ```
//!
//! Step before: the compiler. Step after: `layout`.
//! Invariant: only what gfortran and flang have at the same place is read.

use crate::c::c_void;

/// One dimension.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    lower: isize,
    /// The number of elements; -1 for the last one of an assumed-size array.
    pub extent: isize,
    /// The bytes from one element to the next.
    pub stride: isize,
}

/// A descriptor: `CFI_cdesc_t`.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    /// The first element.
    pub address: *mut c_void,
    /// The bytes of one element.
    pub element: usize,
    version: i32,
    rank: u8,
    attribute_and_type: [u8; 3],
    // As many as the rank says; a Rust reference to the descriptor covers only the head.
    dimensions: [Dimension; 0],
}

impl Descriptor {
    /// The dimensions, fastest first.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor: `rank` dimensions follow its head.
    #[inline(always)]
    pub unsafe fn dimensions<'a>(this: *const Self) -> &'a [Dimension] {
        // SAFETY: the caller's promise. The pointer, not a reference to the head, leads to them.
        unsafe {
            std::slice::from_raw_parts(
                (&raw const (*this).dimensions).cast(),
                usize::from((*this).rank),
            )
        }
    }

    /// Whether it is a scalar, or an array of one dimension without gaps: what most programs pass.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor.
    #[inline(always)]
    pub unsafe fn is_plain(this: *const Self) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let only = (&raw const (*this).dimensions).cast::<Dimension>();
            (*this).rank == 0 || (*this).rank == 1 && (*only).stride == (*this).element as isize
        }
    }

    /// Whether the elements lie one after the other. An array that is not allocated has none, and its
    /// dimensions say nothing.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor.
    pub unsafe fn is_contiguous(this: *const Self) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (*this).address.is_null() || Self::is_plain(this) || Self::has_no_gaps(this) }
    }

    /// The bytes of one element. For `CLASS(*)` gfortran says more than there can be between two elements
    /// of an array; then it is the stride.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor.
    pub unsafe fn size(this: *const Self) -> usize {
        // SAFETY: the caller's promise.
        let (dimensions, element) = unsafe { (Self::dimensions(this), (*this).element) };
        let stride = dimensions.first().filter(|first| first.extent > 1);
        stride.map_or(element, |first| element.min(first.stride.unsigned_abs()))
    }

    unsafe fn has_no_gaps(this: *const Self) -> bool {
        // SAFETY: the caller's promise.
        let (dimensions, element) = unsafe { (Self::dimensions(this), Self::size(this) as isize) };
        if dimensions.iter().any(|dimension| dimension.extent == 0) {
            return true;
        }
        let mut next = element;
        for dimension in dimensions {
            if dimension.stride != next && dimension.extent != 1 {
                return false;
            }
            next *= dimension.extent;
        }
        true
    }
}
