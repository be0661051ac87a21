//! Moving data from one layout to another within this process.
//!
//! Before: `PAMI_Type_transform_data`. After: the data is where it should be.

use std::ffi::c_void;

use pamir_transport::gather_scatter::Section;

use crate::layout::end::End;
use crate::layout::handling::Handling;
use crate::layout::layout_of;
use crate::refusal::Refusal;
use crate::structures::pointer::Address;
use crate::structures::{DataFunction, Type};

/// Bytes that are gathered before a data function consumes them.
const CHUNK_BYTES: usize = 8192;

/// One end, as the program gives it.
pub struct Place {
    /// What the memory's layout is.
    pub type_: Type,
    /// Where the memory is.
    pub address: Address,
    /// Where in the layout the data begins, in bytes of data.
    pub offset: usize,
}

/// Moves `bytes` bytes; the data function with its cookie handles them, if it is none that copies.
///
/// # Errors
///
/// A type that is none, or has not so many bytes, and data that the function does not take.
pub fn transform(
    from: &Place,
    to: &Place,
    bytes: usize,
    (function, cookie): (DataFunction, *mut c_void),
) -> Result<(), Refusal> {
    let source = layout_of(from.type_, "src_type")?;
    let target = layout_of(to.type_, "dst_type")?;
    let handling = Handling::of(function, cookie, &target)?;
    if bytes == 0 {
        return Ok(());
    }
    if from.address.is_null() || to.address.is_null() {
        let argument = "src_addr or dst_addr";
        return Err(Refusal::Null { argument });
    }
    let Some(handling) = handling else {
        let mut source = source.machine(from.address, from.offset, bytes)?;
        let mut target = target.machine(to.address, to.offset, bytes)?;
        source.copy_bytes_to(&mut target, bytes);
        return Ok(());
    };
    let mut target = End::new(&target, to.address, to.offset, bytes, Some(handling))?;
    let source = source.machine(from.address, from.offset, bytes)?;
    let mut source = End::Scattered(Section::new(source, from.offset, bytes));
    let mut chunk = [0_u8; CHUNK_BYTES];
    for at in (0..bytes).step_by(CHUNK_BYTES) {
        let piece = &mut chunk[..CHUNK_BYTES.min(bytes - at)];
        source.pack(at, piece);
        target.unpack(at, piece);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::element::Element;
    use crate::layout::{build, complete, create, destroy};
    use crate::refusal::answer;
    use crate::structures::Code;
    use crate::structures::function::vouched::{adding, number};
    use crate::structures::pointer::vouched::address;
    use crate::structures::variables::Variable;
    use crate::structures::variables::{PAMI_DATA_COPY, PAMI_TYPE_BYTE, PAMI_TYPE_DOUBLE};
    use crate::structures::variables::{PAMI_DATA_MAX, PAMI_DATA_NOOP, PAMI_DATA_SUM};

    fn place(type_: Type, address: Address, offset: usize) -> Place {
        Place {
            type_,
            address,
            offset,
        }
    }

    #[test]
    fn predefined_functions_combine_elements_between_layouts() {
        const COUNT: usize = 3000;
        let every_other = create();
        let double = crate::layout::layout_of(PAMI_TYPE_DOUBLE.0, "type").unwrap();
        build(every_other, double.element, |builder| {
            Ok(builder.add_typed(&double.program, 0, COUNT, 16)?)
        })
        .unwrap();
        complete(every_other, 8).unwrap();
        let mut from: Vec<f64> = (0..COUNT).map(|number| number as f64).collect();
        let mut combine = |function: &Variable<usize>, to: &mut Vec<f64>, (offset, bytes)| {
            let (function, source, to) = (number(function.0), address(&mut from), address(to));
            let (none, double) = (std::ptr::null_mut(), PAMI_TYPE_DOUBLE.0);
            let (source, to) = (place(double, source, 0), place(every_other, to, offset));
            answer(transform(&source, &to, bytes, (function, none)))
        };
        for (function, result) in [
            (
                &PAMI_DATA_SUM,
                (|there, came| there + came) as fn(f64, f64) -> f64,
            ),
            (&PAMI_DATA_MAX, f64::max),
            (&PAMI_DATA_NOOP, |there, _| there),
        ] {
            let mut to = vec![1000.5; 2 * COUNT];
            assert_eq!(
                combine(function, &mut to, (8, 8 * COUNT - 8)),
                Code::Success
            );
            for (at, number) in to.iter().enumerate() {
                let hit = at % 2 == 0 && at > 0;
                let came = (at / 2) as f64 - 1.0;
                let expected = if hit { result(1000.5, came) } else { 1000.5 };
                assert_eq!(*number, expected, "number {at}");
            }
            // Half an element cannot be combined.
            assert_eq!(combine(function, &mut to, (4, 8)), Code::Invalid);
        }
        let mut to = vec![0.0; 2 * COUNT];
        for no_such in [1, 15, 4095] {
            assert_eq!(combine(&Variable(no_such), &mut to, (0, 8)), Code::Invalid);
        }
        destroy(every_other).unwrap();
    }

    #[test]
    fn data_is_copied_and_combined_between_layouts() {
        let [every_other, pairs] = [(4, 8), (8, 12)].map(|(bytes, stride)| {
            let handle = create();
            build(handle, Element::Mixed, |builder| {
                Ok(builder.add_simple(bytes, 0, 4, stride)?)
            })
            .unwrap();
            complete(handle, 4).unwrap();
            handle
        });
        let mut from: Vec<u32> = (0..16_000).collect();
        let mut to = vec![1_u32; 16_000];
        let base = address(&mut from);
        for (function, start) in [(PAMI_DATA_COPY.0, 0), (adding(), 1)] {
            to.fill(1);
            // 16,000 bytes: 4,000 numbers, from the second one on, to the third one on.
            let code = {
                let to = address(&mut to);
                let none = std::ptr::null_mut();
                let (from, to) = (place(every_other, base, 4), place(pairs, to, 8));
                answer(transform(&from, &to, 16_000, (function, none)))
            };
            assert_eq!(code, Code::Success);
            for (at, number) in to.iter().enumerate() {
                let packed = at / 3 * 2 + at % 3;
                let inside = at % 3 != 2 && (2..4002).contains(&packed);
                let expected = if inside {
                    2 * (packed as u32 - 1) + start
                } else {
                    1
                };
                assert_eq!(*number, expected, "number {at}");
            }
        }
        let odd = adding();
        {
            let refused = |of: Type, to: Type, offset, size, function| {
                let none = std::ptr::null_mut();
                let (from, to) = (place(of, base, 0), place(to, base, offset));
                answer(transform(&from, &to, size, (function, none)))
            };
            let copy = PAMI_DATA_COPY.0;
            let operation = number(5);
            assert_eq!(refused(pairs, pairs, 2, 8, odd), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 0, 6, odd), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 0, 8, operation), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 8, usize::MAX, copy), Code::Invalid);
            assert_eq!(refused(base.raw().cast(), pairs, 0, 8, copy), Code::Invalid);
            destroy(pairs).unwrap();
            assert_eq!(refused(every_other, pairs, 0, 8, copy), Code::Invalid);
            let unfinished = create();
            assert_eq!(
                refused(unfinished, PAMI_TYPE_BYTE.0, 0, 8, copy),
                Code::Invalid
            );
            destroy(unfinished).unwrap();
        }
        destroy(every_other).unwrap();
    }
}
