//! Accumulates (MPI-5.0 sections 12.3.3 to 12.3.5).
//!
//! Elements of a predefined datatype without gaps, in memory that is mapped here, are changed at once; all else goes the general way.

use std::ffi::{c_int, c_void};

use pamir_mpi::datatype::{Datatype, Machine, Primitive};
use pamir_mpi::op::{Op, Operation, TypeGroup, extent_bytes};
use pamir_transport::active::Completion;
use pamir_transport::one_sided::window::accumulate::{Accumulate, Change};
use pamir_transport::one_sided::window::elements::Elements;

use super::request::Access;
use super::target::{
    Data, Far, Local, Target, check, check_passive, place, truncated, usual_place,
};
use crate::argument::{address, store};
use crate::constants::MPI_NO_OP;
use crate::count::Count;
use crate::error::{ErrorClass, Result};
use crate::process::running;
use crate::state::State;
use crate::state::requests::COMPLETED_SEND;
use crate::types::*;

/// The operation of a handle: only predefined ones accumulate.
fn operation(state: &State, op: MPI_Op) -> Result<Operation> {
    match state.operations.named(op)? {
        Op::Predefined(operation) => Ok(operation),
        Op::User(_) => Err(ErrorClass::Op
            .with("an accumulate takes predefined operations only, not the program's")),
    }
}

/// The same of an accumulate without a result, which changes something.
fn changing(state: &State, op: MPI_Op) -> Result<Operation> {
    match operation(state, op)? {
        Operation::NoOperation => {
            Err(ErrorClass::Op.with("MPI_NO_OP is for accumulates that give a result"))
        }
        operation => Ok(operation),
    }
}

/// The elements that an operation changes at the target.
fn primitive_of(operation: Operation, datatype: &Datatype) -> Result<Primitive> {
    let moves = matches!(operation, Operation::Replace | Operation::NoOperation);
    let Some(primitive) = datatype.uniform_primitive() else {
        if moves {
            return Ok(Primitive::Byte);
        }
        let text = "the target's datatype has elements of several predefined datatypes, which no operation is defined on";
        return Err(ErrorClass::Type.with(text));
    };
    if !moves {
        operation
            .check(primitive)
            .map_err(|error| ErrorClass::Op.with(error.to_string()))?;
    }
    Ok(primitive)
}

/// The origin's elements in memory layout.
enum Incoming<'m> {
    InPlace(&'m [u8]),
    Gathered(Elements),
}

impl Incoming<'_> {
    /// # Safety
    ///
    /// The memory of `local` is readable as long as the result lives.
    unsafe fn of(local: &Local, primitive: Primitive) -> Self {
        let bytes = local.bytes();
        let dense = extent_bytes(primitive) == primitive.bytes();
        if let (true, Some((displacement, _))) =
            (dense, local.datatype.contiguous_bytes(local.count))
        {
            let first = local.address.wrapping_offset(displacement as isize);
            // SAFETY: the caller vouches for the memory.
            return Self::InPlace(unsafe { std::slice::from_raw_parts(first, bytes) });
        }
        // SAFETY: as above.
        let machine = unsafe { local.machine() };
        Self::Gathered(Elements::gathered(primitive, machine, bytes))
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::InPlace(bytes) => bytes,
            Self::Gathered(elements) => elements.bytes(),
        }
    }
}

/// What an accumulate is given, besides its window.
struct Arguments {
    /// The origin's data; none for `MPI_NO_OP`.
    data: Option<Data>,
    /// Where the target's elements go as they were before.
    result: Option<Data>,
    target: Target,
    operation: Operation,
}

/// Any accumulate.
///
/// # Safety
///
/// The data is readable and the result writable until `done` is called or the window is synchronised.
#[inline(never)]
unsafe fn change(
    state: &State,
    arguments: &Arguments,
    win: MPI_Win,
    done: Option<Completion>,
) -> Result {
    let window = state.windows.named(win)?;
    let context = state.process.context();
    let (rank, displacement, count, datatype) = arguments.target;
    let far = Far::new(state, count, datatype)?;
    let resolve = |(address, count, datatype)| Local::new(state, address, count, datatype);
    let local = arguments.data.map(resolve).transpose()?;
    let result = arguments.result.map(resolve).transpose()?;
    let bytes = local.as_ref().map_or(far.bytes(), Local::bytes);
    // Programs ask for no elements of any datatype.
    let primitive = match bytes {
        0 => Primitive::Byte,
        _ => primitive_of(arguments.operation, &far.datatype)?,
    };
    check_ends(arguments.operation, primitive, local.as_ref())?;
    let place = place(&window, rank, displacement)?;
    let remote = match place {
        Some(place) => far.remote(&window, place, bytes)?,
        None => None,
    };
    let Some(remote) = remote else {
        if let Some(done) = done {
            done(context, Ok(()));
        }
        return Ok(());
    };
    if let Some(result) = result.as_ref().filter(|result| result.bytes() < bytes) {
        return Err(truncated(bytes, result.bytes()));
    }
    // SAFETY: the caller vouches for the memory of both; the target was seen to lie in its part.
    unsafe {
        let incoming = local.as_ref().map(|local| Incoming::of(local, primitive));
        let accumulate = Accumulate {
            change: Change::Combine(arguments.operation),
            primitive,
            incoming: incoming.as_ref().map_or(&[], Incoming::bytes),
        };
        let result: Option<Machine> = result.as_ref().map(|result| result.machine());
        window
            .memory()
            .accumulate(context, remote, accumulate, result, done)?;
    }
    Ok(())
}

/// Names of one kind of element, of which some are several primitives.
fn are_alike(one: Primitive, other: Primitive) -> bool {
    one.bytes() == other.bytes() && TypeGroup::of(one) == TypeGroup::of(other)
}

/// Both ends must have elements of one kind.
fn check_ends(operation: Operation, primitive: Primitive, local: Option<&Local>) -> Result {
    let Some(local) = local.filter(|local| local.bytes() > 0 && operation != Operation::Replace)
    else {
        return Ok(());
    };
    match local.datatype.uniform_primitive() {
        Some(own) if are_alike(own, primitive) => Ok(()),
        _ => Err(ErrorClass::Type
            .with("the origin's elements are of another predefined datatype than the target's")),
    }
}

/// Elements side by side in memory that is mapped here, changed at once; whether it did.
///
/// # Safety
///
/// The data is readable, and `result` null or writable for as many bytes.
#[inline]
unsafe fn change_here(
    state: &State,
    data: Data,
    target: Target,
    op: MPI_Op,
    result: *mut u8,
    win: MPI_Win,
) -> bool {
    let (rank, displacement, count, datatype) = target;
    if data.2 != datatype || data.1 != count || count <= 0 || rank < 0 {
        return false;
    }
    if op == MPI_NO_OP && result.is_null() {
        return false;
    }
    let Some(span) = state.datatypes.span(data.0, data.1, data.2) else {
        return false;
    };
    let Some((operation, primitive)) =
        state
            .operations
            .accumulating(&state.datatypes, datatype, op)
    else {
        return false;
    };
    let done = state.windows.with(win, |window| {
        let Some(place) = usual_place(window, rank, displacement, span.bytes) else {
            return false;
        };
        // SAFETY: the caller vouches for the data.
        let incoming = unsafe { span.as_bytes() };
        let accumulate = Accumulate {
            change: Change::Combine(operation),
            primitive,
            incoming,
        };
        let context = state.process.context();
        // SAFETY: the caller vouches for the result; the elements were seen to lie in the part.
        unsafe {
            window.memory().accumulate_here(
                context,
                (place.rank, place.at),
                &accumulate,
                span.bytes,
                result,
            )
        }
    });
    done == Some(true)
}

/// `MPI_Accumulate`, section 12.3.4.
///
/// # Safety
///
/// The origin's data is readable until the access is synchronised.
pub unsafe fn accumulate<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe {
        if change_here(&state, data, target, op, std::ptr::null_mut(), win) {
            return Ok(());
        }
        let arguments = Arguments {
            data: Some(data),
            result: None,
            target,
            operation: changing(&state, op)?,
        };
        change(&state, &arguments, win, None)
    }
}

/// `MPI_Raccumulate`, section 12.3.5.
///
/// # Safety
///
/// The origin's data is readable until the request is complete; `request` is null or writable.
pub unsafe fn raccumulate<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    address(request, "request")?;
    check_passive(&*state.windows.named(win)?, target_rank)?;
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    // SAFETY: as the caller vouches.
    unsafe {
        if change_here(&state, data, target, op, std::ptr::null_mut(), win) {
            return store(request, COMPLETED_SEND, "request");
        }
        let arguments = Arguments {
            data: Some(data),
            result: None,
            target,
            operation: changing(&state, op)?,
        };
        let (access, done) = Access::new();
        change(&state, &arguments, win, Some(done))?;
        access.give(&state, win, request)
    }
}

/// The arguments of an accumulate that gives the elements as they were: the origin's are not looked at where nothing is changed.
fn fetching(
    state: &State,
    data: Data,
    result: Data,
    target: Target,
    op: MPI_Op,
) -> Result<Arguments> {
    let operation = operation(state, op)?;
    let data = (operation != Operation::NoOperation).then_some(data);
    Ok(Arguments {
        data,
        result: Some(result),
        target,
        operation,
    })
}

/// `MPI_Get_accumulate`, section 12.3.4.
///
/// # Safety
///
/// The origin's data is readable and the result writable until the access is synchronised.
pub unsafe fn get_accumulate<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: C,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let result = (
        result_addr.cast_const().cast(),
        result_count.to_i64(),
        result_datatype,
    );
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    let arguments = fetching(&state, data, result, target, op)?;
    // SAFETY: as the caller vouches.
    unsafe { change(&state, &arguments, win, None) }
}

/// `MPI_Rget_accumulate`, section 12.3.5.
///
/// # Safety
///
/// The origin's data is readable and the result writable until the request is complete; `request` is null or writable.
pub unsafe fn rget_accumulate<C: Count>(
    origin_addr: *const c_void,
    origin_count: C,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: C,
    result_datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    target_count: C,
    target_datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: *mut MPI_Request,
) -> Result {
    let state = running()?;
    address(request, "request")?;
    check_passive(&*state.windows.named(win)?, target_rank)?;
    let data = (origin_addr.cast(), origin_count.to_i64(), origin_datatype);
    let result = (
        result_addr.cast_const().cast(),
        result_count.to_i64(),
        result_datatype,
    );
    let target = (
        target_rank,
        target_disp,
        target_count.to_i64(),
        target_datatype,
    );
    let arguments = fetching(&state, data, result, target, op)?;
    let (access, done) = Access::new();
    // SAFETY: as the caller vouches.
    unsafe {
        change(&state, &arguments, win, Some(done))?;
        access.give(&state, win, request)
    }
}

/// `MPI_Fetch_and_op`, section 12.3.4.
///
/// # Safety
///
/// The origin's element is readable and the result writable until the access is synchronised.
pub unsafe fn fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let data = (origin_addr.cast(), 1, datatype);
    let target = (target_rank, target_disp, 1, datatype);
    // SAFETY: as the caller vouches.
    unsafe {
        if !result_addr.is_null() && change_here(&state, data, target, op, result_addr.cast(), win)
        {
            return Ok(());
        }
        if state.datatypes.predefined(datatype).is_none() {
            state.datatypes.get(datatype)?;
            return Err(ErrorClass::Type.with("MPI_Fetch_and_op takes predefined datatypes only"));
        }
        let result = (result_addr.cast_const().cast(), 1, datatype);
        let arguments = fetching(&state, data, result, target, op)?;
        change(&state, &arguments, win, None)
    }
}

/// Whether elements can be compared and swapped.
fn check_comparable(state: &State, datatype: MPI_Datatype) -> Result<Primitive> {
    let group = |primitive: &Primitive| {
        matches!(
            TypeGroup::of(*primitive),
            TypeGroup::CInteger
                | TypeGroup::FortranInteger
                | TypeGroup::Logical
                | TypeGroup::MultiLanguage
                | TypeGroup::Byte
        )
    };
    let found = state.datatypes.get(datatype)?;
    let primitive = found.primitive().filter(group);
    primitive.ok_or_else(|| {
        let text = "MPI_Compare_and_swap takes integers, logicals, bytes and address integers only";
        ErrorClass::Type.with(text)
    })
}

/// `MPI_Compare_and_swap`, section 12.3.4.
///
/// # Safety
///
/// The origin's and the compared element are readable and the result writable until the access is synchronised.
pub unsafe fn compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    target_rank: c_int,
    target_disp: MPI_Aint,
    win: MPI_Win,
) -> Result {
    let state = running()?;
    let primitive = check_comparable(&state, datatype)?;
    address(origin_addr, "origin_addr")?;
    address(compare_addr, "compare_addr")?;
    address(result_addr, "result_addr")?;
    let window = state.windows.named(win)?;
    let Some(place) = place(&window, target_rank, target_disp)? else {
        return Ok(());
    };
    let bytes = primitive.bytes();
    check(&window, place, (0, bytes as i64))?;
    let mut incoming = [0_u8; 64];
    // SAFETY: the caller vouches for one element each, which has at most 32 bytes.
    unsafe {
        incoming
            .as_mut_ptr()
            .copy_from_nonoverlapping(origin_addr.cast(), bytes);
        incoming[bytes..]
            .as_mut_ptr()
            .copy_from_nonoverlapping(compare_addr.cast(), bytes);
    }
    let accumulate = Accumulate {
        change: Change::CompareAndSwap,
        primitive,
        incoming: &incoming[..2 * bytes],
    };
    let context = state.process.context();
    let memory = window.memory();
    // SAFETY: the caller vouches for the result; the element was seen to lie in the part.
    unsafe {
        if memory.accumulate_here(
            context,
            (place.rank, place.at),
            &accumulate,
            bytes,
            result_addr.cast(),
        ) {
            return Ok(());
        }
        let far = Far::new(&state, 1, datatype)?;
        let Some(remote) = far.remote(&window, place, bytes)? else {
            return Ok(());
        };
        let result = far.datatype.machine(1, result_addr.cast());
        memory.accumulate(context, remote, accumulate, Some(result), None)?;
    }
    Ok(())
}
