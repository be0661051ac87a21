//! Decoding, section 5.1.13: how a datatype was made.

use std::ffi::c_int;

use pamir_mpi::datatype::{Combiner, Contents, Distribution, Envelope, Integer, Order};

use super::handle_of;
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

fn combiner(combiner: Combiner) -> c_int {
    match combiner {
        Combiner::Named => MPI_COMBINER_NAMED,
        Combiner::Dup => MPI_COMBINER_DUP,
        Combiner::Contiguous => MPI_COMBINER_CONTIGUOUS,
        Combiner::Vector => MPI_COMBINER_VECTOR,
        Combiner::Hvector => MPI_COMBINER_HVECTOR,
        Combiner::Indexed => MPI_COMBINER_INDEXED,
        Combiner::Hindexed => MPI_COMBINER_HINDEXED,
        Combiner::IndexedBlock => MPI_COMBINER_INDEXED_BLOCK,
        Combiner::HindexedBlock => MPI_COMBINER_HINDEXED_BLOCK,
        Combiner::Struct => MPI_COMBINER_STRUCT,
        Combiner::Subarray => MPI_COMBINER_SUBARRAY,
        Combiner::Darray => MPI_COMBINER_DARRAY,
        Combiner::F90Real => MPI_COMBINER_F90_REAL,
        Combiner::F90Complex => MPI_COMBINER_F90_COMPLEX,
        Combiner::F90Integer => MPI_COMBINER_F90_INTEGER,
        Combiner::Resized => MPI_COMBINER_RESIZED,
        other => unreachable!("combiner {other:?} has no constant"),
    }
}

fn integer(integer: Integer) -> c_int {
    match integer {
        Integer::Number(number) => number as c_int,
        Integer::Order(Order::C) => MPI_ORDER_C,
        Integer::Order(Order::Fortran) => MPI_ORDER_FORTRAN,
        Integer::Distribution(Distribution::Block) => MPI_DISTRIBUTE_BLOCK,
        Integer::Distribution(Distribution::Cyclic) => MPI_DISTRIBUTE_CYCLIC,
        Integer::Distribution(Distribution::None) => MPI_DISTRIBUTE_NONE,
        Integer::DefaultArgument => MPI_DISTRIBUTE_DFLT_DARG,
        Integer::Undefined => MPI_UNDEFINED,
    }
}

#[cold]
fn needs_large(name: &str) -> Error {
    ErrorClass::Type.with(format!(
        "the datatype was made with large counts, which only {name}_c can tell"
    ))
}

/// `MPI_Type_get_envelope`.
///
/// # Safety
///
/// The results are writable.
pub unsafe fn type_get_envelope(
    datatype: MPI_Datatype,
    num_integers: *mut c_int,
    num_addresses: *mut c_int,
    num_datatypes: *mut c_int,
    combiner_of: *mut c_int,
) -> Result {
    let state = running()?;
    let envelope = state.datatypes.get(datatype)?.envelope();
    if envelope.counts != 0 {
        return Err(needs_large("MPI_Type_get_envelope"));
    }
    // SAFETY: the caller vouches for them.
    unsafe {
        num_integers.write(envelope.integers as c_int);
        num_addresses.write(envelope.addresses as c_int);
        num_datatypes.write(envelope.datatypes as c_int);
        combiner_of.write(combiner(envelope.combiner));
    }
    Ok(())
}

/// `MPI_Type_get_envelope_c`.
///
/// # Safety
///
/// The results are writable.
pub unsafe fn type_get_envelope_c(
    datatype: MPI_Datatype,
    num_integers: *mut MPI_Count,
    num_addresses: *mut MPI_Count,
    num_large_counts: *mut MPI_Count,
    num_datatypes: *mut MPI_Count,
    combiner_of: *mut c_int,
) -> Result {
    let state = running()?;
    let Envelope {
        integers,
        addresses,
        counts,
        datatypes,
        combiner: made,
    } = state.datatypes.get(datatype)?.envelope();
    // SAFETY: the caller vouches for them.
    unsafe {
        num_integers.write(integers as MPI_Count);
        num_addresses.write(addresses as MPI_Count);
        num_large_counts.write(counts as MPI_Count);
        num_datatypes.write(datatypes as MPI_Count);
        combiner_of.write(combiner(made));
    }
    Ok(())
}

/// The arguments of a datatype, which must be a made one and fit the program's arrays.
fn contents(state: &State, datatype: MPI_Datatype, room: [i64; 4]) -> Result<Contents> {
    let datatype = state.datatypes.get(datatype)?;
    if datatype.combiner() == Combiner::Named {
        return Err(ErrorClass::Type.with("a predefined datatype has no contents"));
    }
    let contents = datatype.contents();
    let lengths = [
        contents.integers.len(),
        contents.addresses.len(),
        contents.counts.len(),
        contents.datatypes.len(),
    ];
    if lengths
        .iter()
        .zip(room)
        .any(|(length, room)| *length as i64 > room)
    {
        let text =
            "the arrays are shorter than the contents: ask MPI_Type_get_envelope for the lengths";
        return Err(ErrorClass::Arg.with(text));
    }
    Ok(contents)
}

/// Writes the lists that both forms have. Each datatype is a new handle, to be freed.
///
/// # Safety
///
/// The arrays are as long as the lists.
unsafe fn write_contents(
    state: &State,
    contents: Contents,
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    datatypes: *mut MPI_Datatype,
) {
    // SAFETY: the caller vouches for the arrays.
    unsafe {
        for (index, value) in contents.integers.into_iter().enumerate() {
            integers.add(index).write(integer(value));
        }
        for (index, value) in contents.addresses.into_iter().enumerate() {
            addresses.add(index).write(value as MPI_Aint);
        }
        for (index, value) in contents.datatypes.into_iter().enumerate() {
            datatypes.add(index).write(handle_of(state, value));
        }
    }
}

/// `MPI_Type_get_contents`.
///
/// # Safety
///
/// The arrays have the lengths that are given.
pub unsafe fn type_get_contents(
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    datatypes: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    if state.datatypes.get(datatype)?.envelope().counts != 0 {
        return Err(needs_large("MPI_Type_get_contents"));
    }
    let room = [max_integers, max_addresses, 0, max_datatypes].map(i64::from);
    let contents = contents(&state, datatype, room)?;
    // SAFETY: the caller vouches for the arrays, which are long enough.
    unsafe { write_contents(&state, contents, integers, addresses, datatypes) };
    Ok(())
}

/// `MPI_Type_get_contents_c`.
///
/// # Safety
///
/// The arrays have the lengths that are given.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn type_get_contents_c(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    large_counts: *mut MPI_Count,
    datatypes: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let room = [max_integers, max_addresses, max_large_counts, max_datatypes];
    let contents = contents(&state, datatype, room)?;
    // SAFETY: the caller vouches for the arrays, which are long enough.
    unsafe {
        for (index, value) in contents.counts.iter().enumerate() {
            large_counts.add(index).write(*value);
        }
        write_contents(&state, contents, integers, addresses, datatypes);
    }
    Ok(())
}
