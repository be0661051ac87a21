//! Attributes: their numbers and values, as `include/pami.h` declares them.
//!
//! Before: a program lists attributes. After: [`crate::edge::attributes`] asks an object for them.

use std::ffi::{CStr, c_void};

/// `pami_attribute_value_t`, a union: a number, a fraction, a string or numbers, all as long as a pointer.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Value(*const c_void);

impl Value {
    /// A number.
    pub fn number(number: usize) -> Self {
        Self(std::ptr::without_provenance(number))
    }

    /// A number with a fraction.
    pub fn fraction(number: f64) -> Self {
        Self::number(number.to_bits() as usize)
    }

    /// A string.
    pub fn text(text: &CStr) -> Self {
        Self(text.as_ptr().cast())
    }

    /// Numbers.
    pub fn numbers(numbers: &[usize]) -> Self {
        Self(numbers.as_ptr().cast())
    }

    /// The number that it is.
    pub fn as_number(self) -> usize {
        self.0.addr()
    }
}

/// `pami_configuration_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Configuration {
    /// The attribute's number.
    pub name: u32,
    /// Its value.
    pub value: Value,
}

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
