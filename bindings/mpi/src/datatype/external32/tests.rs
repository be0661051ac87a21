//! The lengths of the standard's table, the bytes, and the way back.

use crate::datatype::error::DatatypeError;
use crate::datatype::{Datatype, Form, named};

fn of(name: &str) -> std::rc::Rc<Datatype> {
    Datatype::named(named::find(name).unwrap())
}

fn there_and_back(datatype: &Datatype, count: usize, memory: &mut [u8]) -> Vec<u8> {
    let (low, bytes) = datatype.span(count);
    assert!(low >= 0 && low as usize + bytes <= memory.len());
    let before = memory.to_vec();
    let mut out = vec![0; datatype.external32_bytes(count).unwrap()];
    // SAFETY: the span of the type lies within `memory`.
    let mut machine = unsafe { datatype.machine(count, memory.as_mut_ptr()) };
    let packed = datatype
        .pack_external32(count, &mut machine, &mut out)
        .unwrap();
    assert_eq!(packed, out.len());
    for (displacement, bytes) in machine.program().iter_blocks(0) {
        memory[displacement as usize..][..bytes].fill(0xEE);
    }
    // SAFETY: as above.
    let mut machine = unsafe { datatype.machine(count, memory.as_mut_ptr()) };
    datatype
        .unpack_external32(count, &mut machine, &out)
        .unwrap();
    assert_eq!(memory, before);
    out
}

#[test]
fn numbers_are_big_endian() {
    let mut memory: Vec<u8> = [1i32, -2, 300]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let out = there_and_back(&of("MPI_INT"), 3, &mut memory);
    assert_eq!(out, [0, 0, 0, 1, 255, 255, 255, 254, 0, 0, 1, 44]);
    let mut memory: Vec<u8> = [1.5f64, -0.25]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let out = there_and_back(&of("MPI_C_DOUBLE_COMPLEX"), 1, &mut memory);
    assert_eq!(out[..8], 1.5f64.to_be_bytes());
    assert_eq!(out[8..], (-0.25f64).to_be_bytes());
}

#[test]
fn long_double_is_binary128() {
    // 1.5 in x87: exponent 0x3FFF, significand 1.1.
    let mut memory = vec![0; 16];
    memory[7] = 0xC0;
    memory[8..10].copy_from_slice(&0x3FFFu16.to_le_bytes());
    let out = there_and_back(&of("MPI_LONG_DOUBLE"), 1, &mut memory);
    assert_eq!(out, ((0x3FFFu128 << 112) | 1 << 111).to_be_bytes());
}

/// The table of the standard, section 14.5.2, by bytes.
const TABLE: &[(usize, &[&str])] = &[
    (
        1,
        &[
            "MPI_PACKED",
            "MPI_BYTE",
            "MPI_CHAR",
            "MPI_UNSIGNED_CHAR",
            "MPI_SIGNED_CHAR",
            "MPI_INT8_T",
            "MPI_UINT8_T",
            "MPI_C_BOOL",
            "MPI_CXX_BOOL",
            "MPI_CHARACTER",
            "MPI_INTEGER1",
            "MPI_LOGICAL1",
        ],
    ),
    (
        2,
        &[
            "MPI_WCHAR",
            "MPI_SHORT",
            "MPI_UNSIGNED_SHORT",
            "MPI_INT16_T",
            "MPI_UINT16_T",
            "MPI_INTEGER2",
            "MPI_LOGICAL2",
            "MPI_REAL2",
        ],
    ),
    (
        4,
        &[
            "MPI_INT",
            "MPI_LONG",
            "MPI_UNSIGNED",
            "MPI_UNSIGNED_LONG",
            "MPI_FLOAT",
            "MPI_INT32_T",
            "MPI_UINT32_T",
            "MPI_LOGICAL",
            "MPI_LOGICAL4",
            "MPI_INTEGER",
            "MPI_INTEGER4",
            "MPI_REAL",
            "MPI_REAL4",
            "MPI_COMPLEX4",
        ],
    ),
    (
        8,
        &[
            "MPI_LONG_LONG_INT",
            "MPI_UNSIGNED_LONG_LONG",
            "MPI_DOUBLE",
            "MPI_INT64_T",
            "MPI_UINT64_T",
            "MPI_AINT",
            "MPI_COUNT",
            "MPI_OFFSET",
            "MPI_C_COMPLEX",
            "MPI_CXX_FLOAT_COMPLEX",
            "MPI_COMPLEX",
            "MPI_COMPLEX8",
            "MPI_DOUBLE_PRECISION",
            "MPI_INTEGER8",
            "MPI_LOGICAL8",
            "MPI_REAL8",
        ],
    ),
    (
        16,
        &[
            "MPI_LONG_DOUBLE",
            "MPI_C_DOUBLE_COMPLEX",
            "MPI_CXX_DOUBLE_COMPLEX",
            "MPI_DOUBLE_COMPLEX",
            "MPI_COMPLEX16",
            "MPI_INTEGER16",
            "MPI_LOGICAL16",
            "MPI_REAL16",
        ],
    ),
    (
        32,
        &[
            "MPI_C_LONG_DOUBLE_COMPLEX",
            "MPI_CXX_LONG_DOUBLE_COMPLEX",
            "MPI_COMPLEX32",
        ],
    ),
    // The members of pairs follow each other.
    (6, &["MPI_SHORT_INT"]),
    (
        8,
        &[
            "MPI_LONG_INT",
            "MPI_FLOAT_INT",
            "MPI_2INT",
            "MPI_2INTEGER",
            "MPI_2REAL",
        ],
    ),
    (12, &["MPI_DOUBLE_INT"]),
    (16, &["MPI_2DOUBLE_PRECISION"]),
    (20, &["MPI_LONG_DOUBLE_INT"]),
];

#[test]
fn sizes_are_those_of_the_table() {
    let named: usize = TABLE.iter().map(|(_, names)| names.len()).sum();
    assert_eq!(named, named::NAMED.len(), "every type stands there once");
    for (bytes, names) in TABLE {
        for name in *names {
            assert_eq!(of(name).external32_bytes(3), Some(3 * bytes), "{name}");
        }
    }
}

#[test]
fn every_type_comes_back() {
    for named in named::NAMED {
        let datatype = Datatype::named(named);
        // Small numbers, which fit everywhere; in padding and in a long double there is none.
        let mut memory = vec![0; 5 * datatype.extent() as usize];
        for element in memory.chunks_exact_mut(datatype.extent() as usize) {
            element[0] = 7;
            if named.name.contains("LONG_DOUBLE") {
                element[0] = 0;
            }
        }
        there_and_back(&datatype, 5, &mut memory);
    }
}

#[test]
fn longs_are_four_bytes_there() {
    let longs = |values: &[i64]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    let mut memory = longs(&[1, -2, i32::MAX.into(), i32::MIN.into()]);
    let out = there_and_back(&of("MPI_LONG"), 4, &mut memory);
    assert_eq!(out[..8], [0, 0, 0, 1, 255, 255, 255, 254]);
    assert_eq!(out[8..], [127, 255, 255, 255, 128, 0, 0, 0]);
    let mut memory = longs(&[u32::MAX.into(), 3]);
    let out = there_and_back(&of("MPI_UNSIGNED_LONG"), 2, &mut memory);
    assert_eq!(out, [255, 255, 255, 255, 0, 0, 0, 3]);
    let mut memory = vec![0xAA; 16];
    memory[..8].copy_from_slice(&(-7i64).to_le_bytes());
    memory[8..12].copy_from_slice(&9i32.to_le_bytes());
    let out = there_and_back(&of("MPI_LONG_INT"), 1, &mut memory);
    assert_eq!(out, [255, 255, 255, 249, 0, 0, 0, 9]);
    // More than a burst, with something else between.
    let record = Datatype::structure(
        Form::Int,
        &[3000, 1],
        &[0, 24_000],
        &[of("MPI_LONG"), of("MPI_WCHAR")],
    )
    .unwrap();
    let mut memory = longs(&(-1500..1500).collect::<Vec<i64>>());
    memory.extend(0x20ACu32.to_le_bytes());
    let out = there_and_back(&record, 1, &mut memory);
    assert_eq!(out.len(), 12_002);
    assert_eq!(out[12_000..], [0x20, 0xAC]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let packed = |name: &str, memory: &mut [u8]| {
        // SAFETY: one element lies within `memory`.
        let mut machine = unsafe { of(name).machine(1, memory.as_mut_ptr()) };
        of(name).pack_external32(1, &mut machine, &mut [0; 4])
    };
    let refused = |value, bytes| Err(DatatypeError::NotRepresentable { value, bytes });
    for value in [i64::from(i32::MAX) + 1, i64::from(i32::MIN) - 1, i64::MIN] {
        let outcome = packed("MPI_LONG", &mut value.to_le_bytes());
        assert_eq!(outcome, refused(value.into(), 4));
    }
    for value in [u64::from(u32::MAX) + 1, u64::MAX] {
        let outcome = packed("MPI_UNSIGNED_LONG", &mut value.to_le_bytes());
        assert_eq!(outcome, refused(value.into(), 4));
    }
    let outcome = packed("MPI_WCHAR", &mut 0x1_F600u32.to_le_bytes());
    assert_eq!(outcome, refused(0x1_F600, 2));
}

#[test]
fn pairs_lose_their_padding() {
    let mut memory = vec![0xAA; 16];
    memory[..2].copy_from_slice(&7i16.to_le_bytes());
    memory[4..8].copy_from_slice(&9i32.to_le_bytes());
    memory[8..10].copy_from_slice(&(-1i16).to_le_bytes());
    memory[12..16].copy_from_slice(&2i32.to_le_bytes());
    let out = there_and_back(&of("MPI_SHORT_INT"), 2, &mut memory);
    assert_eq!(out, [0, 7, 0, 0, 0, 9, 255, 255, 0, 0, 0, 2]);
}

#[test]
fn large_irregular_types_go_in_bursts() {
    let column = Datatype::vector(Form::Int, 3000, 1, 3, &of("MPI_DOUBLE")).unwrap();
    let record =
        Datatype::structure(Form::Int, &[1, 1], &[0, 8], &[of("MPI_INT"), column]).unwrap();
    let mut memory: Vec<u8> = (0..80_000u32).map(|i| (i * 7) as u8).collect();
    let out = there_and_back(&record, 1, &mut memory);
    assert_eq!(out.len(), 24_004);
    let mut last: [u8; 8] = memory[8 + 24 * 2999..][..8].try_into().unwrap();
    last.reverse();
    assert_eq!(out[23_996..], last);
}

#[test]
fn a_short_buffer_is_refused() {
    let int = of("MPI_INT");
    let mut memory = [0; 8];
    // SAFETY: two integers lie within `memory`.
    let mut machine = unsafe { int.machine(2, memory.as_mut_ptr()) };
    let result = int.pack_external32(2, &mut machine, &mut [0; 7]);
    assert_eq!(
        result,
        Err(DatatypeError::BufferTooSmall {
            needed: 8,
            found: 7
        })
    );
}
