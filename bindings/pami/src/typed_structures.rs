//! C's structures of typed transfers, as `include/pami.h` declares them.
//!
//! Before: a C call. After: [`crate::typed_send`] and [`crate::typed_transfer`] read them.

use std::ffi::c_void;

use crate::structures::{
    Addresses, DataFunction, EventFunction, RegionPlace, SendEvents, SendImmediate, Transfer, Type,
};

/// The member `typed` of `pami_send_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TypedData {
    /// The data's layout.
    pub type_: Type,
    /// Where in the layout it begins, in bytes of data.
    pub offset: usize,
    /// What produces it.
    pub data_fn: DataFunction,
    /// What that gets.
    pub data_cookie: *mut c_void,
}

/// `pami_send_typed_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendTyped {
    /// The message.
    pub send: SendImmediate,
    /// Who is told.
    pub events: SendEvents,
    /// The data's layout.
    pub typed: TypedData,
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::mem::offset_of;

    use super::*;
    use crate::configuration::attribute;
    use crate::layout::MOST_ATOM_BYTES;
    use crate::structures::tests::compile;

    #[test]
    fn the_header_has_these_layouts() {
        let mut text = String::from("#include \"pami.h\"\n");
        for (name, bytes) in [
            ("pami_send_typed_t", size_of::<SendTyped>()),
            ("pami_rma_typed_t", size_of::<Types>()),
            ("pami_put_typed_t", size_of::<PutTyped>()),
            ("pami_get_typed_t", size_of::<GetTyped>()),
            ("pami_rput_typed_t", size_of::<RegionPutTyped>()),
            ("pami_rget_typed_t", size_of::<RegionGetTyped>()),
        ] {
            writeln!(text, "_Static_assert(sizeof({name}) == {bytes}, \"\");").unwrap();
        }
        let typed = offset_of!(SendTyped, typed);
        for (name, member, offset) in [
            ("pami_send_typed_t", "events", offset_of!(SendTyped, events)),
            ("pami_send_typed_t", "typed.type", typed),
            (
                "pami_send_typed_t",
                "typed.offset",
                typed + offset_of!(TypedData, offset),
            ),
            (
                "pami_send_typed_t",
                "typed.data_fn",
                typed + offset_of!(TypedData, data_fn),
            ),
            (
                "pami_send_typed_t",
                "typed.data_cookie",
                typed + offset_of!(TypedData, data_cookie),
            ),
            ("pami_rma_typed_t", "remote", offset_of!(Types, remote)),
            ("pami_put_typed_t", "addr", offset_of!(PutTyped, addr)),
            (
                "pami_put_typed_t",
                "type.local",
                offset_of!(PutTyped, types),
            ),
            (
                "pami_put_typed_t",
                "put.rdone_fn",
                offset_of!(PutTyped, rdone_fn),
            ),
            (
                "pami_get_typed_t",
                "type.local",
                offset_of!(GetTyped, types),
            ),
            (
                "pami_rput_typed_t",
                "rdma.local",
                offset_of!(RegionPutTyped, local),
            ),
            (
                "pami_rput_typed_t",
                "rdma.remote",
                offset_of!(RegionPutTyped, remote),
            ),
            (
                "pami_rput_typed_t",
                "type.local",
                offset_of!(RegionPutTyped, types),
            ),
            (
                "pami_rput_typed_t",
                "put.rdone_fn",
                offset_of!(RegionPutTyped, rdone_fn),
            ),
            (
                "pami_rget_typed_t",
                "rdma.remote",
                offset_of!(RegionGetTyped, remote),
            ),
            (
                "pami_rget_typed_t",
                "type.local",
                offset_of!(RegionGetTyped, types),
            ),
        ] {
            writeln!(
                text,
                "_Static_assert(offsetof({name}, {member}) == {offset}, \"{member}\");"
            )
            .unwrap();
        }
        for (name, number) in [
            ("PAMI_TYPE_DATA_SIZE", attribute::TYPE_DATA_SIZE as usize),
            (
                "PAMI_TYPE_DATA_EXTENT",
                attribute::TYPE_DATA_EXTENT as usize,
            ),
            ("PAMI_TYPE_ATOM_SIZE", attribute::TYPE_ATOM_SIZE as usize),
            ("PAMI_TYPE_ATOM_SIZE_STATIC", MOST_ATOM_BYTES),
        ] {
            writeln!(text, "_Static_assert({name} == {number}, \"{name}\");").unwrap();
        }
        compile(&text);
    }
}
