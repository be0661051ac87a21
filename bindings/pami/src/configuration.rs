//! Attributes: lists of names and values, asked for or to be changed.
//!
//! Before: a C call with a list. After: [`query`] has filled in what the object answered;
//! [`update`] has refused what cannot be changed, which is everything.

use crate::refusal::Refusal;
use crate::structures::{Configuration, Value};

/// Bytes of a `pami_memregion_t`.
pub const MEMORY_REGION_BYTES: usize = 32;

/// Numbers of attributes (`pami_attribute_name_t`).
pub mod attribute {
    /// Clock of the processor in MHz.
    pub const CLIENT_CLOCK_MHZ: u32 = 100;
    /// Whether all tasks may make as many contexts.
    pub const CLIENT_CONST_CONTEXTS: u32 = 101;
    /// Processors that this task has for itself.
    pub const CLIENT_HWTHREADS_AVAILABLE: u32 = 102;
    /// Bytes of a memory region's handle.
    pub const CLIENT_MEMREGION_SIZE: u32 = 103;
    /// Main memory in MiB.
    pub const CLIENT_MEM_SIZE: u32 = 104;
    /// Tasks of the job.
    pub const CLIENT_NUM_TASKS: u32 = 105;
    /// Tasks on this machine.
    pub const CLIENT_NUM_LOCAL_TASKS: u32 = 106;
    /// Their numbers.
    pub const CLIENT_LOCAL_TASKS: u32 = 107;
    /// Contexts that this task may make.
    pub const CLIENT_NUM_CONTEXTS: u32 = 108;
    /// The process's name.
    pub const CLIENT_PROCESSOR_NAME: u32 = 109;
    /// This task.
    pub const CLIENT_TASK_ID: u32 = 110;
    /// Clock of `PAMI_Wtimebase` in MHz.
    pub const CLIENT_WTIMEBASE_MHZ: u32 = 111;
    /// Resolution of `PAMI_Wtime` in seconds.
    pub const CLIENT_WTICK: u32 = 112;
    /// Whether algorithms for noncontiguous data are offered.
    pub const CLIENT_NONCONTIG: u32 = 113;
    /// How much memory is to be spared.
    pub const CLIENT_MEMORY_OPTIMIZE: u32 = 114;
    /// The highest dispatch id.
    pub const CONTEXT_DISPATCH_ID_MAX: u32 = 200;
    /// Bytes that a dispatch function gets whole.
    pub const DISPATCH_RECV_IMMEDIATE_MAX: u32 = 300;
    /// Bytes that `PAMI_Send_immediate` takes.
    pub const DISPATCH_SEND_IMMEDIATE_MAX: u32 = 301;
    /// Largest atom of a typed message.
    pub const DISPATCH_ATOM_SIZE_MAX: u32 = 302;
    /// Whether all algorithms of a geometry are listed.
    pub const GEOMETRY_OPTIMIZE: u32 = 400;
    /// Whether algorithms for noncontiguous data are asked for.
    pub const GEOMETRY_NONCONTIG: u32 = 401;
    /// How much memory is to be spared.
    pub const GEOMETRY_MEMORY_OPTIMIZE: u32 = 402;
    /// Bytes of data of an element of a type.
    pub const TYPE_DATA_SIZE: u32 = 500;
    /// From one element of a type to the next, in bytes.
    pub const TYPE_DATA_EXTENT: u32 = 501;
    /// The atom of a type, in bytes.
    pub const TYPE_ATOM_SIZE: u32 = 502;
}

/// The list that C gave.
///
/// # Safety
///
/// `list` is NULL, or has `count` entries that nobody else uses during the call.
pub unsafe fn entries<'a>(
    list: *mut Configuration,
    count: usize,
) -> Result<&'a mut [Configuration], Refusal> {
    if count == 0 {
        return Ok(&mut []);
    }
    if list.is_null() {
        let argument = "configuration";
        return Err(Refusal::Null { argument });
    }
    // SAFETY: the caller vouches for the entries.
    Ok(unsafe { std::slice::from_raw_parts_mut(list, count) })
}

/// Asks `object` for every attribute of a list; `answer` knows those it has.
///
/// # Safety
///
/// As for [`entries`].
pub unsafe fn query(
    object: &'static str,
    list: *mut Configuration,
    count: usize,
    answer: impl Fn(u32) -> Option<Value>,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    for entry in unsafe { entries(list, count)? } {
        let attribute = entry.name;
        entry.value = answer(attribute).ok_or(Refusal::Attribute { attribute, object })?;
    }
    Ok(())
}

/// Refuses to change what `known` has, and what it has not.
///
/// # Safety
///
/// As for [`entries`].
pub unsafe fn update(
    object: &'static str,
    list: *mut Configuration,
    count: usize,
    known: impl Fn(u32) -> bool,
) -> Result<(), Refusal> {
    // SAFETY: as the caller vouches.
    let Some(first) = unsafe { entries(list, count)? }.first() else {
        return Ok(());
    };
    let attribute = first.name;
    Err(if known(attribute) {
        Refusal::ReadOnly { attribute, object }
    } else {
        Refusal::Attribute { attribute, object }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_attributes_are_named() {
        let value = Value { intval: 0 };
        let mut list = [
            Configuration { name: 105, value },
            Configuration { name: 999, value },
        ];
        let answer = |name| (name == 105).then_some(Value { intval: 3 });
        // SAFETY: the list has the entries.
        let outcome = unsafe { query("client", list.as_mut_ptr(), 2, answer) };
        let attribute = 999;
        assert!(
            matches!(outcome, Err(Refusal::Attribute { attribute: 999, .. })),
            "{attribute}"
        );
        // SAFETY: the union's number was written.
        assert_eq!(unsafe { list[0].value.intval }, 3);
        // SAFETY: the list has the entries.
        let outcome = unsafe { update("client", list.as_mut_ptr(), 1, |name| name == 105) };
        assert!(matches!(outcome, Err(Refusal::ReadOnly { .. })));
        // SAFETY: no entry is read.
        let outcome = unsafe { query("client", std::ptr::null_mut(), 1, answer) };
        assert!(matches!(outcome, Err(Refusal::Null { .. })));
    }
}
