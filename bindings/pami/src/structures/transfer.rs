//! One-sided transfers, as `include/pami.h` declares them.
//!
//! Before: a C call. After: [`crate::one_sided`] reads them.

use std::ffi::c_void;

use crate::structures::Type;
use crate::structures::configuration::MEMORY_REGION_BYTES;
use crate::structures::function::EventFunction;
use crate::structures::pointer::{Address, In};

/// `pami_rma_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Transfer {
    /// The other end.
    pub dest: u32,
    /// Soft hints.
    pub hints: u32,
    /// How much.
    pub bytes: usize,
    /// What the functions get.
    pub cookie: *mut c_void,
    /// It has ended here.
    pub done_fn: EventFunction,
}

/// `pami_rma_addr_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Addresses {
    /// Here.
    pub local: Address,
    /// There.
    pub remote: Address,
}

/// `pami_put_simple_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PutSimple {
    /// The transfer.
    pub rma: Transfer,
    /// Both ends.
    pub addr: Addresses,
    /// The data is at the target (`pami_rma_put_t`).
    pub rdone_fn: EventFunction,
}

/// `pami_get_simple_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetSimple {
    /// The transfer.
    pub rma: Transfer,
    /// Both ends.
    pub addr: Addresses,
}

/// `pami_memregion_t`.
pub type MemoryRegionHandle = [usize; MEMORY_REGION_BYTES / size_of::<usize>()];

/// `pami_rma_mr_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RegionPlace {
    /// The region.
    pub mr: In<MemoryRegionHandle>,
    /// Where in it, in bytes.
    pub offset: usize,
}

/// `pami_rput_simple_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RegionPut {
    /// The transfer.
    pub rma: Transfer,
    /// This end.
    pub local: RegionPlace,
    /// The other one.
    pub remote: RegionPlace,
    /// The data is at the target (`pami_rma_put_t`).
    pub rdone_fn: EventFunction,
}

/// `pami_rget_simple_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RegionGet {
    /// The transfer.
    pub rma: Transfer,
    /// This end.
    pub local: RegionPlace,
    /// The other one.
    pub remote: RegionPlace,
}

/// `pami_rmw_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ReadModifyWrite {
    /// The other end.
    pub dest: u32,
    /// Soft hints.
    pub hints: u32,
    /// What the function gets.
    pub cookie: *mut c_void,
    /// It is done.
    pub done_fn: EventFunction,
    /// Where the integer as it was goes.
    pub local: Address,
    /// The integer.
    pub remote: Address,
    /// What it is modified with.
    pub value: Address,
    /// What it is compared with.
    pub test: Address,
    /// `pami_atomic_t`.
    pub operation: u32,
    /// One of the integer types.
    pub type_: Type,
}

/// `pami_rma_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Types {
    /// The layout here.
    pub local: Type,
    /// The layout there.
    pub remote: Type,
}

/// `pami_put_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PutTyped {
    /// The transfer.
    pub rma: Transfer,
    /// Both ends.
    pub addr: Addresses,
    /// Their layouts.
    pub types: Types,
    /// The data is at the target (`pami_rma_put_t`).
    pub rdone_fn: EventFunction,
}

/// `pami_get_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GetTyped {
    /// The transfer.
    pub rma: Transfer,
    /// Both ends.
    pub addr: Addresses,
    /// Their layouts.
    pub types: Types,
}

/// `pami_rput_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RegionPutTyped {
    /// The transfer.
    pub rma: Transfer,
    /// This end.
    pub local: RegionPlace,
    /// The other one.
    pub remote: RegionPlace,
    /// Their layouts.
    pub types: Types,
    /// The data is at the target (`pami_rma_put_t`).
    pub rdone_fn: EventFunction,
}

/// `pami_rget_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RegionGetTyped {
    /// The transfer.
    pub rma: Transfer,
    /// This end.
    pub local: RegionPlace,
    /// The other one.
    pub remote: RegionPlace,
    /// Their layouts.
    pub types: Types,
}
