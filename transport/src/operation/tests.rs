//! Every operation on every primitive, against a scalar oracle written from the standard's definitions.

use super::long_double::tests::{from_integer, not_a_number};
use super::quad::tests::{from_f64, to_f64};
use super::*;
use Primitive::*;
use proptest::prelude::*;

const PRIMITIVES: [Primitive; 39] = Primitive::ALL;

/// How an element is made of numbers: (kind, offset in bytes) of each.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
    /// Binary128, which is as long as C's `long double`.
    Quad,
}

fn members(primitive: Primitive) -> Vec<(Kind, usize)> {
    use Kind::*;
    match primitive {
        Int8 => vec![(Signed(1), 0)],
        Int16 => vec![(Signed(2), 0)],
        Int32 => vec![(Signed(4), 0)],
        Int64 | Long => vec![(Signed(8), 0)],
        Int128 => vec![(Signed(16), 0)],
        UInt8 | Bool | Logical8 | Byte | Character | Packed => vec![(Unsigned(1), 0)],
        UInt16 | Logical16 => vec![(Unsigned(2), 0)],
        UInt32 | Logical32 | WideCharacter => vec![(Unsigned(4), 0)],
        UInt64 | UnsignedLong | Logical64 => vec![(Unsigned(8), 0)],
        Float16 => vec![(Float(2), 0)],
        Float32 => vec![(Float(4), 0)],
        Float64 => vec![(Float(8), 0)],
        LongDouble => vec![(Float(16), 0)],
        Complex16 => vec![(Float(2), 0), (Float(2), 2)],
        Complex32 => vec![(Float(4), 0), (Float(4), 4)],
        Complex64 => vec![(Float(8), 0), (Float(8), 8)],
        ComplexLongDouble => vec![(Float(16), 0), (Float(16), 16)],
        FloatInt => vec![(Float(4), 0), (Signed(4), 4)],
        DoubleInt => vec![(Float(8), 0), (Signed(4), 8)],
        LongInt => vec![(Signed(8), 0), (Signed(4), 8)],
        TwoInt => vec![(Signed(4), 0), (Signed(4), 4)],
        ShortInt => vec![(Signed(2), 0), (Signed(4), 4)],
        LongDoubleInt => vec![(Float(16), 0), (Signed(4), 16)],
        TwoReal => vec![(Float(4), 0), (Float(4), 4)],
        TwoDoublePrecision => vec![(Float(8), 0), (Float(8), 8)],
        Logical128 => vec![(Unsigned(16), 0)],
        Float128 => vec![(Quad, 0)],
        Complex128 => vec![(Quad, 0), (Quad, 16)],
    }
}

/// A number. Floating-point ones are small integers or not a number, which every
/// format holds exactly; rounding is tested where it happens.
#[derive(Clone, Copy, Debug)]
enum Number {
    Integer(i128),
    Float(f64),
}

fn write(number: Number, kind: Kind, bytes: &mut [u8]) {
    match (number, kind) {
        (Number::Integer(n), Kind::Signed(width) | Kind::Unsigned(width)) => {
            bytes[..width].copy_from_slice(&n.to_le_bytes()[..width]);
        }
        (Number::Float(x), Kind::Float(2)) => {
            bytes[..2].copy_from_slice(&half::from_f32(x as f32));
        }
        (Number::Float(x), Kind::Float(4)) => {
            bytes[..4].copy_from_slice(&(x as f32).to_ne_bytes());
        }
        (Number::Float(x), Kind::Quad) => bytes[..16].copy_from_slice(&from_f64(x).to_ne_bytes()),
        (Number::Float(x), Kind::Float(8)) => bytes[..8].copy_from_slice(&x.to_ne_bytes()),
        (Number::Float(x), Kind::Float(_)) => {
            let whole = if x.is_nan() {
                not_a_number()
            } else {
                from_integer(x as i64)
            };
            bytes[..10].copy_from_slice(&whole[..10]);
        }
        (number, kind) => panic!("{number:?} is no {kind:?}"),
    }
}

fn read(kind: Kind, bytes: &[u8]) -> Number {
    match kind {
        Kind::Signed(width) => {
            let negative = bytes[width - 1] & 0x80 != 0;
            let mut wide = [if negative { 0xFF } else { 0 }; 16];
            wide[..width].copy_from_slice(&bytes[..width]);
            Number::Integer(i128::from_le_bytes(wide))
        }
        Kind::Unsigned(width) => {
            let mut wide = [0; 16];
            wide[..width].copy_from_slice(&bytes[..width]);
            Number::Integer(i128::from_le_bytes(wide))
        }
        Kind::Float(2) => Number::Float(half::to_f32(bytes[..2].try_into().unwrap()).into()),
        Kind::Float(4) => Number::Float(f32::from_ne_bytes(bytes[..4].try_into().unwrap()).into()),
        Kind::Quad => Number::Float(to_f64(u128::from_ne_bytes(bytes[..16].try_into().unwrap()))),
        Kind::Float(8) => Number::Float(f64::from_ne_bytes(bytes[..8].try_into().unwrap())),
        Kind::Float(_) => {
            let fraction = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            let high = u16::from_le_bytes(bytes[8..10].try_into().unwrap());
            if high & 0x7FFF == 0x7FFF {
                return Number::Float(f64::NAN);
            }
            let sign = if high & 0x8000 == 0 { 1.0 } else { -1.0 };
            let exponent = i32::from(high & 0x7FFF) - 16383 - 63;
            Number::Float(sign * fraction as f64 * 2f64.powi(exponent))
        }
    }
}

/// C's comparison of two numbers of one kind: false where one is not a number.
fn greater(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => a > b,
        (Number::Float(a), Number::Float(b)) => a > b,
        _ => panic!("numbers of two kinds"),
    }
}

fn equal(a: Number, b: Number) -> bool {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => a == b,
        (Number::Float(a), Number::Float(b)) => a == b,
        _ => panic!("numbers of two kinds"),
    }
}

/// The standard's result of one operation on one element, as numbers.
fn oracle(operation: Operation, primitive: Primitive, a: &[Number], b: &[Number]) -> Vec<Number> {
    use Number::*;
    let each = |integer: fn(i128, i128) -> i128, float: fn(f64, f64) -> f64| -> Vec<Number> {
        a.iter()
            .zip(b)
            .map(|pair| match pair {
                (Integer(a), Integer(b)) => Integer(integer(*a, *b)),
                (Float(a), Float(b)) => Float(float(*a, *b)),
                _ => panic!("numbers of two kinds"),
            })
            .collect()
    };
    let undefined = |_, _| panic!("not defined on floating point");
    match operation {
        Operation::Max => if greater(a[0], b[0]) { a } else { b }.to_vec(),
        Operation::Min => if greater(b[0], a[0]) { a } else { b }.to_vec(),
        Operation::Sum => each(|a, b| a.wrapping_add(b), |a, b| a + b),
        Operation::Prod if TypeGroup::of(primitive) == TypeGroup::Complex => {
            let [Float(a), Float(b), Float(c), Float(d)] = [a[0], a[1], b[0], b[1]] else {
                panic!("complex numbers are of floating point")
            };
            vec![Float(a * c - b * d), Float(a * d + b * c)]
        }
        Operation::Prod => each(|a, b| a.wrapping_mul(b), |a, b| a * b),
        Operation::LogicalAnd => each(|a, b| (a != 0 && b != 0).into(), undefined),
        Operation::LogicalOr => each(|a, b| (a != 0 || b != 0).into(), undefined),
        Operation::LogicalXor => each(|a, b| ((a != 0) != (b != 0)).into(), undefined),
        Operation::BitAnd => each(|a, b| a & b, undefined),
        Operation::BitOr => each(|a, b| a | b, undefined),
        Operation::BitXor => each(|a, b| a ^ b, undefined),
        Operation::MinLocation | Operation::MaxLocation => {
            let better = match operation {
                Operation::MinLocation => greater(b[0], a[0]),
                _ => greater(a[0], b[0]),
            };
            let tie = equal(a[0], b[0]) && greater(b[1], a[1]);
            if better || tie { a } else { b }.to_vec()
        }
        Operation::Replace => a.to_vec(),
        Operation::NoOperation => b.to_vec(),
    }
}

/// The standard's table, written out as it stands there. C's `char` is `Int8`, on which other libraries compute, too.
fn in_table(operation: Operation, primitive: Primitive) -> bool {
    use Operation::*;
    let integer = matches!(
        primitive,
        Int8 | Int16
            | Int32
            | Int64
            | Int128
            | UInt8
            | UInt16
            | UInt32
            | UInt64
            | Long
            | UnsignedLong
    );
    let float = matches!(
        primitive,
        Float16 | Float32 | Float64 | LongDouble | Float128
    );
    let complex = matches!(
        primitive,
        Complex16 | Complex32 | Complex64 | ComplexLongDouble | Complex128
    );
    let logical = matches!(
        primitive,
        Bool | Logical8 | Logical16 | Logical32 | Logical64 | Logical128
    );
    let pair = members(primitive).len() == 2 && !complex;
    match operation {
        Max | Min => integer || float,
        Sum | Prod => integer || float || complex,
        LogicalAnd | LogicalOr | LogicalXor => integer || logical,
        BitAnd | BitOr | BitXor => integer || primitive == Byte,
        MinLocation | MaxLocation => pair,
        Replace | NoOperation => true,
    }
}

/// A number of a kind, from random bits: often one of few, so that ties happen.
fn number(kind: Kind, bits: u64) -> Number {
    match kind {
        Kind::Float(_) | Kind::Quad if bits % 16 == 15 => Number::Float(f64::NAN),
        Kind::Float(_) | Kind::Quad => Number::Float((bits % 31) as f64 - 15.0),
        _ if bits.is_multiple_of(4) => Number::Integer((bits >> 8) as i128 % 3),
        _ => Number::Integer(bits as i64 as i128),
    }
}

/// `count` elements from random bits, and padding that tells where it is from.
fn elements(primitive: Primitive, count: usize, padding: u8, seed: u64) -> Vec<u8> {
    let extent = extent_bytes(primitive);
    let mut bytes = vec![padding; count * extent];
    let mut state = seed | 1;
    for element in bytes.chunks_exact_mut(extent) {
        for (kind, offset) in members(primitive) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            write(
                number(kind, state.wrapping_mul(0x2545_F491_4F6C_DD1D)),
                kind,
                &mut element[offset..],
            );
        }
    }
    bytes
}

/// Compares `combine` with the oracle on `count` elements at given misalignments.
fn check(
    operation: Operation,
    primitive: Primitive,
    count: usize,
    shifts: (usize, usize),
    seed: u64,
) {
    let extent = extent_bytes(primitive);
    let first = elements(primitive, count, 0x11, seed);
    let second = elements(primitive, count, 0x22, seed.rotate_left(32) ^ 0x9E37_79B9);
    let mut incoming = vec![0x33; shifts.0];
    incoming.extend(&first);
    let mut inout = vec![0x44; shifts.1];
    inout.extend(&second);
    inout.extend([0x55; 40]);
    combine(
        operation,
        primitive,
        &incoming[shifts.0..],
        &mut inout[shifts.1..],
        count,
    )
    .unwrap();

    let (before, rest) = inout.split_at(shifts.1);
    let (result, after) = rest.split_at(count * extent);
    assert!(
        before.iter().all(|&byte| byte == 0x44),
        "wrote before the buffer"
    );
    assert!(
        after.iter().all(|&byte| byte == 0x55),
        "wrote behind the buffer"
    );
    let parts = members(primitive);
    for i in 0..count {
        let element = |bytes: &[u8]| -> Vec<Number> {
            parts
                .iter()
                .map(|(kind, offset)| read(*kind, &bytes[i * extent + offset..]))
                .collect()
        };
        let (a, b) = (element(&first), element(&second));
        let expected = oracle(operation, primitive, &a, &b);
        let mut bytes = vec![0; extent];
        for ((kind, offset), expected) in parts.iter().zip(expected) {
            // Through the format and back: integers wrap around to their width.
            write(expected, *kind, &mut bytes[*offset..]);
            let expected = read(*kind, &bytes[*offset..]);
            let got = read(*kind, &result[i * extent + offset..]);
            let both_nan = matches!((got, expected), (Number::Float(x), Number::Float(y)) if x.is_nan() && y.is_nan());
            assert!(
                both_nan || equal(got, expected),
                "{operation:?} {primitive:?} element {i}: {a:?} op {b:?} = {got:?}, not {expected:?}"
            );
        }
    }
}

#[test]
fn every_operation_is_defined_where_the_standard_says() {
    for primitive in PRIMITIVES {
        for operation in Operation::ALL {
            let mut inout = elements(primitive, 3, 0, 5);
            let before = inout.clone();
            let incoming = elements(primitive, 3, 0, 6);
            let outcome = combine(operation, primitive, &incoming, &mut inout, 3);
            assert_eq!(outcome, operation.check(primitive));
            assert_eq!(
                outcome.is_ok(),
                in_table(operation, primitive),
                "{operation:?} {primitive:?}"
            );
            if outcome.is_err() {
                assert_eq!(inout, before);
            }
        }
    }
}

#[test]
fn what_goes_elsewhere_is_what_would_be_combined_in_place() {
    const COUNT: usize = 37;
    for primitive in PRIMITIVES {
        for operation in Operation::ALL {
            let own = elements(primitive, COUNT, 0, 5);
            let incoming = elements(primitive, COUNT, 0, 6);
            let mut inout = own.clone();
            let in_place = combine(operation, primitive, &incoming, &mut inout, COUNT);
            let mut result = vec![0xEE; own.len()];
            let operands = (&incoming[..], &own[..]);
            let apart = combine_out_of_place(operation, primitive, operands, &mut result, COUNT);
            assert_eq!(apart, in_place, "{operation:?} {primitive:?}");
            if apart.is_ok() {
                assert_eq!(result, inout, "{operation:?} {primitive:?}");
            }
            let short = (&incoming[..], &own[1..]);
            assert!(combine_out_of_place(operation, primitive, short, &mut result, COUNT).is_err());
        }
    }
}

#[test]
fn an_operation_that_is_not_defined_says_so() {
    assert_eq!(
        Operation::Max.check(Complex64),
        Err(OperationError::Undefined {
            operation: Operation::Max,
            primitive: Complex64
        })
    );
}

#[test]
fn the_name_decides_what_the_primitive_cannot() {
    assert!(Operation::LogicalAnd.is_defined_on_group(TypeGroup::CInteger));
    assert!(!Operation::LogicalAnd.is_defined_on_group(TypeGroup::FortranInteger));
    assert!(Operation::LogicalAnd.is_defined_on_group(TypeGroup::MultiLanguage));
    assert!(Operation::BitAnd.is_defined_on_group(TypeGroup::MultiLanguage));
    assert!(!Operation::BitAnd.is_defined_on_group(TypeGroup::Logical));
}

#[test]
fn every_operation_agrees_with_the_oracle() {
    for primitive in PRIMITIVES {
        for operation in Operation::ALL {
            if operation.check(primitive).is_ok() {
                for count in [0, 1, 2, 7, 64, 257] {
                    check(operation, primitive, count, (0, 0), 42 + count as u64);
                }
            }
        }
    }
}

#[test]
fn where_a_value_is_not_a_number_inout_stays() {
    let (one, nan) = (1f64.to_ne_bytes(), f64::NAN.to_ne_bytes());
    for operation in [Operation::Max, Operation::Min] {
        for (a, b) in [(one, nan), (nan, one)] {
            let mut inout = b;
            combine(operation, Float64, &a, &mut inout, 1).unwrap();
            assert_eq!(inout, b);
        }
    }
}

#[test]
fn padding_of_pairs_stays_as_it_was() {
    let (a, mut b) = ([1u8; 16], [0u8; 16]);
    combine(Operation::MaxLocation, DoubleInt, &a, &mut b, 1).unwrap();
    assert_eq!(b, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    let (a, mut b) = ([1u8; 8], [0u8; 8]);
    combine(Operation::MaxLocation, ShortInt, &a, &mut b, 1).unwrap();
    assert_eq!(b, [1, 1, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn short_buffers_are_refused() {
    let short = |needed_bytes, available_bytes| {
        Err(OperationError::Short {
            needed_bytes,
            available_bytes,
        })
    };
    let operation = Operation::Sum;
    assert_eq!(
        combine(operation, Int32, &[0; 8], &mut [0; 7], 2),
        short(8, 7)
    );
    assert_eq!(
        combine(operation, Int32, &[0; 7], &mut [0; 8], 2),
        short(8, 7)
    );
    assert_eq!(
        combine(operation, Int32, &[], &mut [], usize::MAX),
        short(usize::MAX, 0)
    );
}

proptest! {
    #[test]
    fn any_length_at_any_alignment(
        primitive in prop::sample::select(&PRIMITIVES[..]),
        operation in prop::sample::select(&Operation::ALL[..]),
        count in 0usize..100,
        shifts in (0usize..33, 0usize..33),
        seed: u64,
    ) {
        prop_assume!(operation.check(primitive).is_ok());
        check(operation, primitive, count, shifts, seed);
    }

    #[test]
    fn floating_point_is_the_hardware_s(values: Vec<(f64, f64, f32, f32)>) {
        let bytes = |f: fn(&(f64, f64, f32, f32)) -> f64| -> Vec<u8> {
            values.iter().flat_map(|v| f(v).to_ne_bytes()).collect()
        };
        let mut sum = bytes(|v| v.1);
        combine(Operation::Sum, Float64, &bytes(|v| v.0), &mut sum, values.len()).unwrap();
        prop_assert_eq!(sum, bytes(|v| v.0 + v.1));
        let bytes = |f: fn(&(f64, f64, f32, f32)) -> f32| -> Vec<u8> {
            values.iter().flat_map(|v| f(v).to_ne_bytes()).collect()
        };
        let mut product = bytes(|v| v.3);
        combine(Operation::Prod, Float32, &bytes(|v| v.2), &mut product, values.len()).unwrap();
        prop_assert_eq!(product, bytes(|v| v.2 * v.3));
    }
}

/// How long 64 KiB take; not a test but a measurement:
/// `cargo test --release -p pamir-mpi measure_throughput -- --ignored --nocapture`.
#[test]
#[ignore = "measures; run it alone, with --release --nocapture"]
fn measure_throughput() {
    const BYTES: usize = 64 * 1024;
    for (operation, primitive) in [
        (Operation::Replace, Float64),
        (Operation::Sum, Float64),
        (Operation::Max, Float64),
        (Operation::Sum, Int32),
        (Operation::Max, Int32),
        (Operation::Prod, Int64),
        (Operation::BitXor, UInt8),
        (Operation::LogicalAnd, Int32),
        (Operation::Prod, Complex64),
        (Operation::MaxLocation, DoubleInt),
        (Operation::Sum, Float16),
        (Operation::Sum, LongDouble),
        (Operation::Sum, Float128),
        (Operation::Prod, Complex128),
    ] {
        for (bytes, shift) in [(8192, 0), (BYTES, 0), (BYTES, 1)] {
            let incoming = vec![0u8; BYTES + 1];
            let mut inout = vec![0u8; BYTES + 1];
            let count = bytes / extent_bytes(primitive);
            let mut best = u128::MAX;
            for _ in 0..50 {
                let start = std::time::Instant::now();
                for _ in 0..20 {
                    let incoming = std::hint::black_box(&incoming[shift..]);
                    combine(operation, primitive, incoming, &mut inout[shift..], count).unwrap();
                }
                best = best.min(start.elapsed().as_nanos());
            }
            let rate = bytes as f64 * 20.0 / best as f64;
            println!("{operation:?} {primitive:?} {bytes} B shift {shift}: {rate:.1} GB/s");
        }
    }
}
