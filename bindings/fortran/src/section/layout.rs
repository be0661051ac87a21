//! The shape of a section in bytes, with neighbouring elements joined.
//!
//! ```text
//! a(1:4, 1:7:2) of an array of 4 rows, 8 bytes an element
//!   dimensions (4, 8) (4, 64)  -->  runs of 32 bytes, one dimension (4, 64)
//! ```
//!
//! Step before: `descriptor`. Step after: `datatype`, `staged`.
//! Invariant: runs come in Fortran's order of elements, and none is empty.

use super::Descriptor;

/// Runs of bytes, at regular distances in each dimension.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The first byte.
    pub address: *mut u8,
    /// The bytes of one run.
    pub run: usize,
    /// Extent and stride of each dimension of runs, fastest first.
    pub dimensions: Vec<(usize, isize)>,
}

// SAFETY: the address is the program's buffer, which it leaves to the operation until that is complete,
// whichever thread completes it.
unsafe impl Send for Layout {}

impl Layout {
    /// The layout that a descriptor describes.
    ///
    /// # Safety
    ///
    /// A compiler made the descriptor, of an array whose size is known.
    pub unsafe fn of(descriptor: *const Descriptor) -> Self {
        // SAFETY: the caller's promise.
        let (address, element, dimensions) = unsafe {
            (
                (*descriptor).address.cast(),
                Descriptor::size(descriptor),
                Descriptor::dimensions(descriptor),
            )
        };
        let mut layout = Self {
            address,
            run: element,
            dimensions: Vec::new(),
        };
        for dimension in dimensions {
            let extent = usize::try_from(dimension.extent).unwrap_or(0);
            let continues = layout.dimensions.is_empty() && dimension.stride == layout.run as isize;
            match extent {
                1 => {}
                _ if continues => layout.run *= extent,
                _ => layout.dimensions.push((extent, dimension.stride)),
            }
        }
        layout
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.dimensions.iter().map(|(extent, _)| extent).product()
    }

    /// All bytes.
    pub fn size(&self) -> usize {
        self.runs() * self.run
    }

    /// The distance of each run from the first byte, in order.
    pub fn offsets(&self) -> impl Iterator<Item = isize> + '_ {
        let mut index = vec![0; self.dimensions.len()];
        (0..self.runs()).map(move |_| {
            let steps = index.iter().zip(&self.dimensions);
            let offset = steps.map(|(at, (_, stride))| *at as isize * stride).sum();
            for (at, (extent, _)) in index.iter_mut().zip(&self.dimensions) {
                *at += 1;
                if *at < *extent {
                    break;
                }
                *at = 0;
            }
            offset
        })
    }
}
