//! Structures of typed sends and transfers, compared with the header.

use std::fmt::Write as _;
use std::mem::offset_of;

use super::compile;
use crate::structures::configuration::attribute;
use crate::structures::message::TypedData;
use crate::structures::*;

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
