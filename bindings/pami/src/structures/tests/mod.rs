//! The header is compiled, and every size, offset and constant compared.

mod typed;

use super::configuration::attribute;
use super::message::SendEvents;
use super::*;
use std::fmt::Write as _;
use std::mem::offset_of;
use std::process::Command;

macro_rules! layout {
    ($text:ident, $rust:ty, $c:literal, $($field:ident = $member:literal),*) => {
        writeln!($text, "_Static_assert(sizeof({}) == {}, \"\");", $c, size_of::<$rust>()).unwrap();
        $(
            let at = offset_of!($rust, $field);
            writeln!($text, "_Static_assert(offsetof({}, {}) == {at}, \"{}\");", $c, $member, $member).unwrap();
        )*
    };
}

#[test]
fn the_header_has_these_layouts() {
    let mut text = String::from("#include \"pami.h\"\n");
    layout!(
        text,
        Configuration,
        "pami_configuration_t",
        name = "name",
        value = "value"
    );
    layout!(
        text,
        SendImmediate,
        "pami_send_immediate_t",
        header = "header",
        data = "data",
        dispatch = "dispatch",
        hints = "hints",
        dest = "dest"
    );
    layout!(
        text,
        SendEvents,
        "pami_send_event_t",
        cookie = "cookie",
        local_fn = "local_fn",
        remote_fn = "remote_fn"
    );
    layout!(text, Send, "pami_send_t", send = "send", events = "events");
    layout!(
        text,
        Receive,
        "pami_recv_t",
        cookie = "cookie",
        local_fn = "local_fn",
        addr = "addr",
        type_ = "type",
        offset = "offset",
        data_fn = "data_fn",
        data_cookie = "data_cookie"
    );
    layout!(
        text,
        Transfer,
        "pami_rma_t",
        dest = "dest",
        hints = "hints",
        bytes = "bytes",
        cookie = "cookie",
        done_fn = "done_fn"
    );
    layout!(
        text,
        PutSimple,
        "pami_put_simple_t",
        rma = "rma",
        addr = "addr",
        rdone_fn = "put.rdone_fn"
    );
    layout!(
        text,
        GetSimple,
        "pami_get_simple_t",
        rma = "rma",
        addr = "addr"
    );
    layout!(
        text,
        RegionPut,
        "pami_rput_simple_t",
        rma = "rma",
        local = "rdma.local",
        remote = "rdma.remote",
        rdone_fn = "put.rdone_fn"
    );
    layout!(
        text,
        RegionGet,
        "pami_rget_simple_t",
        rma = "rma",
        local = "rdma.local",
        remote = "rdma.remote"
    );
    layout!(
        text,
        ReadModifyWrite,
        "pami_rmw_t",
        dest = "dest",
        hints = "hints",
        cookie = "cookie",
        done_fn = "done_fn",
        local = "local",
        remote = "remote",
        value = "value",
        test = "test",
        operation = "operation",
        type_ = "type"
    );
    layout!(text, MemoryRegionHandle, "pami_memregion_t",);
    layout!(text, DispatchHints, "pami_dispatch_hint_t",);
    for (name, number) in [
        ("PAMI_EAGAIN", Code::Again as u32),
        ("PAMI_SHUTDOWN", Code::Shutdown as u32),
        ("PAMI_UNIMPL", Code::Unimplemented as u32),
        (
            "PAMI_CLIENT_MEMORY_OPTIMIZE",
            attribute::CLIENT_MEMORY_OPTIMIZE,
        ),
        (
            "PAMI_DISPATCH_ATOM_SIZE_MAX",
            attribute::DISPATCH_ATOM_SIZE_MAX,
        ),
        ("PAMI_ATOMIC_FETCH_COMPARE_XOR", 0x17),
        ("PAMI_HINT_DISABLE", Hint::Disable as u32),
    ] {
        writeln!(text, "_Static_assert({name} == {number}, \"{name}\");").unwrap();
    }
    compile(&text);
}

/// Where the compiler puts bits is seen from a word that it has filled.
#[test]
fn hints_stand_where_the_compiler_puts_them() {
    for (name, hint) in [
        (
            "long_header",
            DispatchHints::long_header as fn(DispatchHints) -> Hint,
        ),
        ("recv_contiguous", DispatchHints::recv_contiguous),
        ("recv_copy", DispatchHints::recv_copy),
        ("recv_immediate", DispatchHints::recv_immediate),
        ("consistency", DispatchHints::consistency),
        ("queue_immediate", DispatchHints::queue_immediate),
    ] {
        let bit = (0..16).find(|index| hint(DispatchHints(2 << (2 * index))) == Hint::Disable);
        let word = 2_u32 << (2 * bit.unwrap());
        compile(&format!(
            "#include \"pami.h\"\n\
             union hints {{ pami_dispatch_hint_t hints; unsigned word; }};\n\
             int check(void) {{\n\
                 union hints of = {{ .word = 0 }};\n\
                 of.hints.{name} = PAMI_HINT_DISABLE;\n\
                 if (of.word != {word}u) check_failed();\n\
                 return 0;\n\
             }}\n"
        ));
    }
}

/// Compiles, optimized, so that a call of `check_failed` that is reached stays as a warning.
pub(crate) fn compile(text: &str) {
    let folder = std::env::temp_dir().join(format!("pami-header-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join(format!("{:?}.c", std::thread::current().id()));
    let declaration = "void check_failed(void) __attribute__((error(\"wrong bits\")));\n";
    std::fs::write(&source, format!("{declaration}{text}")).unwrap();
    let output = Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-O2",
            "-c",
            "-o",
            "/dev/null",
        ])
        .arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include"))
        .arg(&source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{said}");
}
