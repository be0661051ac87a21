//! Array descriptors, in the two forms that compilers pass.
//!
//! ```text
//! Fortran 2018's for C (section 18.5)                    gfortran's own, to procedures that are not bound to C
//!  0 base_addr   8 elem_len   16 version                  0 base_addr   8 offset   16 elem_len   24 version
//! 20 rank   21 attribute and type, in some order         28 rank   29 type   30 attribute   32 span
//! 24 dim[rank]: lower_bound, extent, stride in bytes     40 dim[rank]: stride in spans, lower, upper bound
//! ```
//!
//! Step before: the compiler. Step after: `layout`.
//! Invariant: of the first form only what gfortran and flang have at the same place is read; the second
//! is that of gfortran from version 9 on.

use crate::c::c_void;

/// One dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// The number of elements; -1 for the last one of an assumed-size array.
    pub extent: isize,
    /// The bytes from one element to the next.
    pub stride: isize,
}

/// Three words as a compiler lays out a dimension.
type Words = [isize; 3];

/// A descriptor: `CFI_cdesc_t`.
#[cfg(not(face = "mpich"))]
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
    dimensions: [Words; 0],
}

/// A descriptor of gfortran's.
#[cfg(face = "mpich")]
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    /// The first element.
    pub address: *mut c_void,
    offset: usize,
    /// The bytes of one element.
    pub element: usize,
    version: i32,
    rank: u8,
    kind: u8,
    attribute: u16,
    span: isize,
    // As many as the rank says; a Rust reference to the descriptor covers only the head.
    dimensions: [Words; 0],
}

impl Descriptor {
    /// The dimensions, fastest first.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor: `rank` dimensions follow its head.
    #[inline(always)]
    pub unsafe fn dimensions<'a>(
        this: *const Self,
    ) -> impl Iterator<Item = Dimension> + Clone + 'a {
        // SAFETY: the caller's promise. The pointer, not a reference to the head, leads to them.
        let (words, unit): (&[Words], _) = unsafe {
            let first = (&raw const (*this).dimensions).cast();
            let rank = usize::from((*this).rank);
            (std::slice::from_raw_parts(first, rank), Self::unit(this))
        };
        words.iter().map(move |words| Self::dimension(words, unit))
    }

    #[cfg(not(face = "mpich"))]
    #[inline(always)]
    fn dimension(&[_, extent, stride]: &Words, _unit: isize) -> Dimension {
        Dimension { extent, stride }
    }

    #[cfg(face = "mpich")]
    #[inline(always)]
    fn dimension(&[stride, lower, upper]: &Words, unit: isize) -> Dimension {
        Dimension {
            extent: (upper - lower + 1).max(0),
            stride: stride * unit,
        }
    }

    /// The bytes that strides are counted in.
    #[cfg(not(face = "mpich"))]
    #[inline(always)]
    unsafe fn unit(_this: *const Self) -> isize {
        1
    }

    /// The bytes that strides are counted in: what lies between two elements of the array that this is of.
    #[cfg(face = "mpich")]
    #[inline(always)]
    unsafe fn unit(this: *const Self) -> isize {
        // SAFETY: the caller's promise.
        unsafe {
            match (*this).span {
                0 => (*this).element as isize,
                span => span,
            }
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
            (*this).rank == 0
                || (*this).rank == 1 && {
                    let only = (&raw const (*this).dimensions).cast::<Words>();
                    Self::dimension(&*only, Self::unit(this)).stride == (*this).element as isize
                }
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
        let (mut dimensions, element) = unsafe { (Self::dimensions(this), (*this).element) };
        let stride = dimensions.next().filter(|first| first.extent > 1);
        stride.map_or(element, |first| element.min(first.stride.unsigned_abs()))
    }

    unsafe fn has_no_gaps(this: *const Self) -> bool {
        // SAFETY: the caller's promise.
        let (dimensions, element) = unsafe { (Self::dimensions(this), Self::size(this) as isize) };
        if dimensions.clone().any(|dimension| dimension.extent == 0) {
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
