//! Moving data from one layout to another within this process.
//!
//! Before: `PAMI_Type_transform_data`. After: the data is where it should be.

use std::ffi::c_void;

use pamir_transport::gather_scatter::{Machine, Section};
use pamir_transport::tagged::buffer::Noncontiguous;

use crate::layout::end::{End, Handling};
use crate::layout::{Layout, layout_of};
use crate::refusal::{Code, Refusal, answer};
use crate::structures::{DataFunction, Type};

/// Bytes that are gathered before a data function consumes them.
const CHUNK_BYTES: usize = 8192;

/// One end.
struct Place<'a> {
    layout: &'a Layout,
    address: *mut u8,
    offset: usize,
}

impl Place<'_> {
    /// The machine that stands where the data begins.
    ///
    /// # Safety
    ///
    /// What the layout reaches with `bytes` bytes is good.
    unsafe fn machine(&self, bytes: usize) -> Result<Machine, Refusal> {
        let end = self.offset.checked_add(bytes);
        let program = end.and_then(|end| self.layout.program.covering(end));
        let program = program.ok_or(Refusal::NoData { bytes })?;
        // SAFETY: as the caller vouches.
        let mut machine = unsafe { Machine::new(program, self.address) };
        machine.seek(self.offset);
        Ok(machine)
    }
}

/// # Safety
///
/// Both types' layouts, applied to the addresses, reach good memory for `size` bytes from their
/// offsets on, and do not overlap; the function takes what it is given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_transform_data(
    source: *mut c_void,
    source_type: Type,
    source_offset: usize,
    target: *mut c_void,
    target_type: Type,
    target_offset: usize,
    size: usize,
    function: DataFunction,
    cookie: *mut c_void,
) -> Code {
    let transform = || {
        let from = layout_of(source_type, "src_type")?;
        let to = layout_of(target_type, "dst_type")?;
        let handling = Handling::of(function, cookie, &to)?;
        if size == 0 {
            return Ok(());
        }
        if source.is_null() || target.is_null() {
            let argument = "src_addr or dst_addr";
            return Err(Refusal::Null { argument });
        }
        let from = Place {
            layout: &from,
            address: source.cast(),
            offset: source_offset,
        };
        let to = Place {
            layout: &to,
            address: target.cast(),
            offset: target_offset,
        };
        // SAFETY: as the caller vouches.
        unsafe { move_between(&from, &to, size, handling) }
    };
    answer(transform())
}

/// # Safety
///
/// As for [`PAMI_Type_transform_data`].
unsafe fn move_between(
    from: &Place<'_>,
    to: &Place<'_>,
    bytes: usize,
    handling: Option<Handling>,
) -> Result<(), Refusal> {
    // SAFETY: the caller vouches for both.
    let mut source = unsafe { from.machine(bytes)? };
    let Some(handling) = handling else {
        // SAFETY: as above.
        let mut target = unsafe { to.machine(bytes)? };
        source.copy_bytes_to(&mut target, bytes);
        return Ok(());
    };
    // SAFETY: as above.
    let end = unsafe { End::new(to.layout, to.address, to.offset, bytes, Some(handling))? };
    let End::Function(mut target) = end else {
        return Err(Refusal::MixedElements);
    };
    let mut source = Section::new(source, from.offset, bytes);
    let mut chunk = [0_u8; CHUNK_BYTES];
    for at in (0..bytes).step_by(CHUNK_BYTES) {
        let piece = CHUNK_BYTES.min(bytes - at);
        // SAFETY: the chunk has the room, and the machines stay within `bytes`.
        unsafe {
            source.pack(at, chunk.as_mut_ptr(), piece);
            target.unpack(at, chunk.as_ptr(), piece);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::element::Element;
    use crate::layout::{build, complete, create, destroy};
    use crate::reduction::{PAMI_DATA_MAX, PAMI_DATA_NOOP, PAMI_DATA_SUM};
    use crate::structures::Variable;
    use crate::types::{PAMI_DATA_COPY, PAMI_TYPE_BYTE, PAMI_TYPE_DOUBLE};

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
        let mut transform = |function: &Variable<usize>, to: &mut Vec<f64>, (offset, bytes)| {
            // SAFETY: a number is a function that is never called.
            let function: DataFunction = unsafe { std::mem::transmute(function.0) };
            let (source, to) = (from.as_mut_ptr().cast(), to.as_mut_ptr().cast());
            let (none, double) = (std::ptr::null_mut(), PAMI_TYPE_DOUBLE.0);
            // SAFETY: both vectors are as long as what is reached.
            unsafe {
                PAMI_Type_transform_data(
                    source,
                    double,
                    0,
                    to,
                    every_other,
                    offset,
                    bytes,
                    function,
                    none,
                )
            }
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
                transform(function, &mut to, (8, 8 * COUNT - 8)),
                Code::Success
            );
            for (at, number) in to.iter().enumerate() {
                let hit = at % 2 == 0 && at > 0;
                let came = (at / 2) as f64 - 1.0;
                let expected = if hit { result(1000.5, came) } else { 1000.5 };
                assert_eq!(*number, expected, "number {at}");
            }
            // Half an element cannot be combined.
            assert_eq!(transform(function, &mut to, (4, 8)), Code::Invalid);
        }
        let mut to = vec![0.0; 2 * COUNT];
        for no_such in [1, 15, 4095] {
            assert_eq!(
                transform(&Variable(no_such), &mut to, (0, 8)),
                Code::Invalid
            );
        }
        destroy(every_other).unwrap();
    }

    unsafe extern "C" fn add(
        target: *mut c_void,
        source: *mut c_void,
        bytes: usize,
        _: *mut c_void,
    ) {
        for index in 0..bytes / 4 {
            // SAFETY: the test's numbers.
            unsafe { *target.cast::<u32>().add(index) += *source.cast::<u32>().add(index) };
        }
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
        let base = from.as_mut_ptr().cast();
        for (function, start) in [(PAMI_DATA_COPY.0, 0), (Some(add as _), 1)] {
            to.fill(1);
            // 16,000 bytes: 4,000 numbers, from the second one on, to the third one on.
            // SAFETY: both vectors are longer than what is reached.
            let code = unsafe {
                let to = to.as_mut_ptr().cast();
                let none = std::ptr::null_mut();
                PAMI_Type_transform_data(base, every_other, 4, to, pairs, 8, 16_000, function, none)
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
        let odd = Some(add as unsafe extern "C" fn(_, _, _, _));
        // SAFETY: they are refused before memory is touched.
        unsafe {
            let refused = |of: Type, to: Type, offset, size, function| {
                let none = std::ptr::null_mut();
                PAMI_Type_transform_data(base, of, 0, base, to, offset, size, function, none)
            };
            let copy = PAMI_DATA_COPY.0;
            let number: usize = 5;
            let operation: DataFunction = std::mem::transmute(number);
            assert_eq!(refused(pairs, pairs, 2, 8, odd), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 0, 6, odd), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 0, 8, operation), Code::Invalid);
            assert_eq!(refused(pairs, pairs, 8, usize::MAX, copy), Code::Invalid);
            assert_eq!(refused(base, pairs, 0, 8, copy), Code::Invalid);
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
