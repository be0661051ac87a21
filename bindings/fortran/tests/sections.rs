//! Descriptors and layouts against counting by hand: every small shape, with gaps, reversed, empty.
//!
//! The library itself needs a C library to link with, so that the files are compiled in here.

#![allow(
    dead_code,
    missing_docs,
    reason = "a part of the library is compiled in, and a part of that is used"
)]

mod c {
    pub use std::ffi::c_void;
}

#[path = "../src/section"]
mod section {
    #[path = "descriptor.rs"]
    mod descriptor;
    #[path = "layout.rs"]
    mod layout;

    pub use descriptor::Descriptor;
    pub use layout::Layout;
}

use section::{Descriptor, Layout};

/// A descriptor as a compiler lays it out: 24 bytes, then three words a dimension.
fn descriptor(address: usize, element: usize, dimensions: &[(isize, isize)]) -> Vec<u64> {
    let mut words = vec![
        address as u64,
        element as u64,
        (dimensions.len() as u64) << 32 | 1,
    ];
    for &(extent, stride) in dimensions {
        words.extend([0, extent as u64, stride as u64]);
    }
    words
}

/// The place of each element from the first, in Fortran's order.
fn places(dimensions: &[(isize, isize)]) -> Vec<isize> {
    let mut places = vec![0];
    for &(extent, stride) in dimensions.iter().rev() {
        let next = |place: &isize| {
            (0..extent)
                .map(move |index| place + index * stride)
                .collect::<Vec<_>>()
        };
        places = places.iter().flat_map(next).collect();
    }
    places
}

/// All shapes of up to three dimensions with extents to 3 and a few strides.
fn shapes(element: isize) -> Vec<Vec<(isize, isize)>> {
    let one: Vec<_> = (0..=3)
        .flat_map(|extent| [1, 2, 3, -1, -2].map(|step| (extent, step * element)))
        .collect();
    let mut all = vec![vec![]];
    for rank in 1..=3 {
        let shorter: Vec<_> = all
            .iter()
            .filter(|shape: &&Vec<_>| shape.len() == rank - 1)
            .cloned()
            .collect();
        for shape in shorter {
            all.extend(
                one.iter()
                    .map(|dimension| [shape.clone(), vec![*dimension]].concat()),
            );
        }
    }
    all
}

#[test]
fn runs_cover_the_elements_in_order() {
    for shape in shapes(8) {
        let words = descriptor(0x1000, 8, &shape);
        // SAFETY: the words are a descriptor with as many dimensions as it says.
        let layout = unsafe { Layout::of(words.as_ptr().cast()) };
        let bytes = layout
            .offsets()
            .flat_map(|run| (0..layout.run as isize).map(move |byte| run + byte));
        let expected = places(&shape)
            .into_iter()
            .flat_map(|place| (0..8).map(move |byte| place + byte));
        assert!(bytes.eq(expected), "{shape:?} became {layout:?}");
    }
}

#[test]
fn contiguous_means_without_gaps_in_order() {
    for shape in shapes(8) {
        let words = descriptor(0x1000, 8, &shape);
        // SAFETY: as above.
        let says = unsafe { Descriptor::is_contiguous(words.as_ptr().cast()) };
        let expected = places(&shape)
            .iter()
            .enumerate()
            .all(|(index, place)| *place == index as isize * 8);
        assert!(
            says == expected || shape.iter().any(|(extent, _)| *extent == 0),
            "{shape:?}"
        );
    }
}

#[test]
fn an_array_of_unknown_size_is_contiguous() {
    let words = descriptor(0x1000, 4, &[(-1, 4)]);
    // SAFETY: as above.
    assert!(unsafe { Descriptor::is_contiguous(words.as_ptr().cast()) });
    let words = descriptor(0x1000, 4, &[(3, 4), (-1, 12)]);
    // SAFETY: as above.
    assert!(unsafe { Descriptor::is_contiguous(words.as_ptr().cast()) });
}
