//! The handles that stand for nothing, as the variables that the interface gives them.
//!
//! Before: nothing. After: programs compare handles with them.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::structures::Variable;

/// No client.
#[unsafe(no_mangle)]
pub static PAMI_CLIENT_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No context.
#[unsafe(no_mangle)]
pub static PAMI_CONTEXT_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No type.
#[unsafe(no_mangle)]
pub static PAMI_TYPE_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No geometry.
#[unsafe(no_mangle)]
pub static PAMI_GEOMETRY_NULL: Variable<*mut c_void> = Variable(null_mut());
/// No algorithm.
#[unsafe(no_mangle)]
pub static PAMI_ALGORITHM_NULL: Variable<usize> = Variable(usize::MAX);
/// No endpoint.
#[unsafe(no_mangle)]
pub static PAMI_ENDPOINT_NULL: Variable<u32> = Variable(u32::MAX);
/// All contexts of a task, where an offset is asked for.
#[unsafe(no_mangle)]
pub static PAMI_ALL_CONTEXTS: Variable<usize> = Variable(usize::MAX);
