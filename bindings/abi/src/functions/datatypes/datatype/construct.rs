//! The constructors, sections 5.1.2 to 5.1.5 and 19.1.5.

use std::any::TypeId;
use std::ffi::c_int;
use std::rc::Rc;

use pamir_mpi::datatype::{
    Datatype, DatatypeError, Distribution, DistributionArgument, Form, Order,
};

use crate::constants::*;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::types::*;

/// Which of the two functions was called, by the type that its counts have.
fn form<C: 'static>() -> Form {
    if TypeId::of::<C>() == TypeId::of::<MPI_Count>() {
        Form::Large
    } else {
        Form::Int
    }
}

/// An array of counts or displacements.
///
/// # Safety
///
/// The array has `length` entries.
unsafe fn array<C: Count>(array: *const C, length: i64) -> Result<Vec<i64>> {
    let length = usize::try_from(length)
        .map_err(|_| ErrorClass::Count.with(format!("a count is at least 0, not {length}")))?;
    if array.is_null() && length > 0 {
        return Err(ErrorClass::Arg.with("an array argument is null"));
    }
    // SAFETY: the caller vouches for the array.
    Ok((0..length)
        .map(|index| unsafe { (*array.add(index)).to_i64() })
        .collect())
}

/// Writes the handle of what a constructor made.
///
/// # Safety
///
/// `newtype` is writable.
unsafe fn give(
    state: &State,
    made: std::result::Result<Rc<Datatype>, DatatypeError>,
    newtype: *mut MPI_Datatype,
) -> Result {
    if newtype.is_null() {
        return Err(ErrorClass::Arg.with("the argument `newtype` is null"));
    }
    let handle = MPI_Datatype(state.datatypes.made.insert(made?));
    // SAFETY: the caller vouches for it.
    unsafe { newtype.write(handle) };
    Ok(())
}

/// `MPI_Type_dup`.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_dup(oldtype: MPI_Datatype, newtype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    // SAFETY: the caller vouches for it.
    unsafe {
        give(&state, Datatype::dup(&old), newtype)?;
        let made = *newtype;
        if let Err(error) = state.attributes.copy_to_duplicate(oldtype, made) {
            state.datatypes.made.remove(made.0);
            newtype.write(MPI_DATATYPE_NULL);
            return Err(error);
        }
    }
    Ok(())
}

/// `MPI_Type_contiguous`.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_contiguous<C: Count>(
    count: C,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    // SAFETY: the caller vouches for it.
    unsafe {
        give(
            &state,
            Datatype::contiguous(form::<C>(), count.to_i64(), &old),
            newtype,
        )
    }
}

/// `MPI_Type_vector`.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_vector<C: Count>(
    count: C,
    blocklength: C,
    stride: C,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    let (count, block, stride) = (count.to_i64(), blocklength.to_i64(), stride.to_i64());
    // SAFETY: the caller vouches for it.
    unsafe {
        give(
            &state,
            Datatype::vector(form::<C>(), count, block, stride, &old),
            newtype,
        )
    }
}

/// `MPI_Type_create_hvector`.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_create_hvector<C: Count, E: Count>(
    count: C,
    blocklength: C,
    stride: E,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    let (count, block, stride) = (count.to_i64(), blocklength.to_i64(), stride.to_i64());
    // SAFETY: the caller vouches for it.
    unsafe {
        give(
            &state,
            Datatype::hvector(form::<C>(), count, block, stride, &old),
            newtype,
        )
    }
}

/// `MPI_Type_indexed`.
///
/// # Safety
///
/// Both arrays have `count` entries; `newtype` is writable.
pub unsafe fn type_indexed<C: Count>(
    count: C,
    blocklengths: *const C,
    displacements: *const C,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let blocks = array(blocklengths, count.to_i64())?;
        let places = array(displacements, count.to_i64())?;
        give(
            &state,
            Datatype::indexed(form::<C>(), &blocks, &places, &old),
            newtype,
        )
    }
}

/// `MPI_Type_create_hindexed`.
///
/// # Safety
///
/// Both arrays have `count` entries; `newtype` is writable.
pub unsafe fn type_create_hindexed<C: Count, E: Count>(
    count: C,
    blocklengths: *const C,
    displacements: *const E,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let blocks = array(blocklengths, count.to_i64())?;
        let places = array(displacements, count.to_i64())?;
        give(
            &state,
            Datatype::hindexed(form::<C>(), &blocks, &places, &old),
            newtype,
        )
    }
}

/// `MPI_Type_create_indexed_block`.
///
/// # Safety
///
/// The array has `count` entries; `newtype` is writable.
pub unsafe fn type_create_indexed_block<C: Count>(
    count: C,
    blocklength: C,
    displacements: *const C,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    let block = blocklength.to_i64();
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let places = array(displacements, count.to_i64())?;
        give(
            &state,
            Datatype::indexed_block(form::<C>(), block, &places, &old),
            newtype,
        )
    }
}

/// `MPI_Type_create_hindexed_block`.
///
/// # Safety
///
/// The array has `count` entries; `newtype` is writable.
pub unsafe fn type_create_hindexed_block<C: Count, E: Count>(
    count: C,
    blocklength: C,
    displacements: *const E,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    let block = blocklength.to_i64();
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let places = array(displacements, count.to_i64())?;
        give(
            &state,
            Datatype::hindexed_block(form::<C>(), block, &places, &old),
            newtype,
        )
    }
}

/// `MPI_Type_create_struct`.
///
/// # Safety
///
/// All arrays have `count` entries; `newtype` is writable.
pub unsafe fn type_create_struct<C: Count, E: Count>(
    count: C,
    blocklengths: *const C,
    displacements: *const E,
    types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let blocks = array(blocklengths, count.to_i64())?;
        let places = array(displacements, count.to_i64())?;
        if types.is_null() && !blocks.is_empty() {
            return Err(ErrorClass::Arg.with("an array argument is null"));
        }
        let olds = (0..blocks.len()).map(|index| state.datatypes.get(*types.add(index)));
        let olds = olds.collect::<Result<Vec<_>>>()?;
        give(
            &state,
            Datatype::structure(form::<C>(), &blocks, &places, &olds),
            newtype,
        )
    }
}

/// `MPI_Type_create_resized`.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_create_resized<E: Count>(
    oldtype: MPI_Datatype,
    lb: E,
    extent: E,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let old = state.datatypes.get(oldtype)?;
    let made = Datatype::resized(form::<E>(), lb.to_i64(), extent.to_i64(), &old);
    // SAFETY: the caller vouches for it.
    unsafe { give(&state, made, newtype) }
}

fn order_of(order: c_int) -> Result<Order> {
    match order {
        MPI_ORDER_C => Ok(Order::C),
        MPI_ORDER_FORTRAN => Ok(Order::Fortran),
        _ => Err(ErrorClass::Arg.with(format!(
            "an order is MPI_ORDER_C or MPI_ORDER_FORTRAN, not {order}"
        ))),
    }
}

/// `MPI_Type_create_subarray`.
///
/// # Safety
///
/// All arrays have `ndims` entries; `newtype` is writable.
pub unsafe fn type_create_subarray<C: Count>(
    ndims: c_int,
    sizes: *const C,
    subsizes: *const C,
    starts: *const C,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let (old, order) = (state.datatypes.get(oldtype)?, order_of(order)?);
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let sizes = array(sizes, ndims.into())?;
        let subsizes = array(subsizes, ndims.into())?;
        let starts = array(starts, ndims.into())?;
        let made = Datatype::subarray(form::<C>(), &sizes, &subsizes, &starts, order, &old);
        give(&state, made, newtype)
    }
}

/// `MPI_Type_create_darray`.
///
/// # Safety
///
/// All arrays have `ndims` entries; `newtype` is writable.
#[allow(clippy::too_many_arguments)] // The standard's.
pub unsafe fn type_create_darray<C: Count>(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    gsizes: *const C,
    distribs: *const c_int,
    dargs: *const c_int,
    psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> Result {
    let state = running()?;
    let (old, order) = (state.datatypes.get(oldtype)?, order_of(order)?);
    // SAFETY: the caller vouches for all of them.
    unsafe {
        let gsizes = array(gsizes, ndims.into())?;
        let distributions = array(distribs, ndims.into())?.into_iter().map(distribution);
        let distributions = distributions.collect::<Result<Vec<_>>>()?;
        let arguments = array(dargs, ndims.into())?.into_iter().map(|argument| {
            if argument == i64::from(MPI_DISTRIBUTE_DFLT_DARG) {
                DistributionArgument::Default
            } else {
                DistributionArgument::Block(argument)
            }
        });
        let arguments: Vec<_> = arguments.collect();
        let psizes = array(psizes, ndims.into())?;
        let (size, rank) = (size.into(), rank.into());
        let made = Datatype::darray(
            form::<C>(),
            size,
            rank,
            &gsizes,
            &distributions,
            &arguments,
            &psizes,
            order,
            &old,
        );
        give(&state, made, newtype)
    }
}

fn distribution(word: i64) -> Result<Distribution> {
    match word as c_int {
        MPI_DISTRIBUTE_BLOCK => Ok(Distribution::Block),
        MPI_DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic),
        MPI_DISTRIBUTE_NONE => Ok(Distribution::None),
        _ => Err(ErrorClass::Arg.with(format!("{word} is no MPI_DISTRIBUTE_ constant"))),
    }
}

fn given(number: c_int) -> Option<i64> {
    (number != MPI_UNDEFINED).then_some(number.into())
}

/// `MPI_Type_create_f90_integer`: the same range gives the same handle.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_create_f90_integer(r: c_int, newtype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    let make = || Datatype::f90_integer(r.into());
    // SAFETY: the caller vouches for it.
    unsafe { newtype.write(state.datatypes.fortran((0, r, 0), make)?) };
    Ok(())
}

/// `MPI_Type_create_f90_real`: the same precision and range give the same handle.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_create_f90_real(p: c_int, r: c_int, newtype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    let make = || Datatype::f90_real(given(p), given(r));
    // SAFETY: the caller vouches for it.
    unsafe { newtype.write(state.datatypes.fortran((1, p, r), make)?) };
    Ok(())
}

/// `MPI_Type_create_f90_complex`: the same precision and range give the same handle.
///
/// # Safety
///
/// `newtype` is writable.
pub unsafe fn type_create_f90_complex(p: c_int, r: c_int, newtype: *mut MPI_Datatype) -> Result {
    let state = running()?;
    let make = || Datatype::f90_complex(given(p), given(r));
    // SAFETY: the caller vouches for it.
    unsafe { newtype.write(state.datatypes.fortran((2, p, r), make)?) };
    Ok(())
}
