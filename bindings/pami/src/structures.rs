//! C's structures, as `include/pami.h` declares them.
//!
//! Before: a C call. After: the functions read them. A test compiles the header and compares
//! every size and offset.

use std::ffi::{c_char, c_void};

use crate::configuration::MEMORY_REGION_BYTES;
use crate::refusal::Code;

/// `pami_type_t`.
pub type Type = *mut c_void;
/// `pami_event_function`.
pub type EventFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, cookie: *mut c_void, result: Code)>;
/// `pami_work_function`; it returns a `pami_result_t` of the program's, which may be any number.
pub type WorkFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, cookie: *mut c_void) -> i32>;
/// `pami_data_function`.
pub type DataFunction = Option<
    unsafe extern "C" fn(
        target: *mut c_void,
        source: *mut c_void,
        bytes: usize,
        cookie: *mut c_void,
    ),
>;
/// `pami_dispatch_p2p_function`, which is all that `pami_dispatch_callback_function` holds here:
/// a union of function pointers is passed as one of them.
pub type DispatchFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        cookie: *mut c_void,
        header: *const c_void,
        header_bytes: usize,
        pipe: *const c_void,
        data_bytes: usize,
        origin: u32,
        receive: *mut Receive,
    ),
>;

/// A variable of the interface that nobody changes.
#[repr(transparent)]
pub struct Variable<T>(pub T);

// SAFETY: it is only read; what a pointer in it points to is used under rules of its own.
unsafe impl<T> Sync for Variable<T> {}

/// `pami_attribute_value_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Value {
    /// A number.
    pub intval: usize,
    /// A number with a fraction.
    pub doubleval: f64,
    /// A string.
    pub chararray: *const c_char,
    /// Numbers.
    pub intarray: *const usize,
}

/// `pami_configuration_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Configuration {
    /// The attribute's number.
    pub name: u32,
    /// Its value.
    pub value: Value,
}

/// `pami_hint_t`, as two bits of a word of hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The library chooses.
    Default,
    /// It must be so.
    Enable,
    /// It must not be so.
    Disable,
    /// No hint.
    Invalid,
}

/// `pami_dispatch_hint_t`: two bits a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct DispatchHints(pub u32);

impl DispatchHints {
    const ALL: [Hint; 4] = [Hint::Default, Hint::Enable, Hint::Disable, Hint::Invalid];

    fn at(self, index: u32) -> Hint {
        Self::ALL[(self.0 >> (2 * index) & 3) as usize]
    }

    /// Whether one of the eleven hints is none.
    pub fn has_invalid(self) -> bool {
        (0..11).any(|index| self.at(index) == Hint::Invalid)
    }

    /// Headers that do not fit one packet.
    pub fn long_header(self) -> Hint {
        self.at(1)
    }

    /// Receives without a type.
    pub fn recv_contiguous(self) -> Hint {
        self.at(2)
    }

    /// Receives without a data function.
    pub fn recv_copy(self) -> Hint {
        self.at(3)
    }

    /// The dispatch function gets header and data whole.
    pub fn recv_immediate(self) -> Hint {
        self.at(4)
    }

    /// Messages are dispatched in the order in which they were sent.
    pub fn consistency(self) -> Hint {
        self.at(5)
    }

    /// Buffers lie in memory regions.
    pub fn buffer_registered(self) -> Hint {
        self.at(6)
    }

    /// The target makes progress without being advanced.
    pub fn remote_async_progress(self) -> Hint {
        self.at(7)
    }

    /// Data moves straight between memories.
    pub fn use_rdma(self) -> Hint {
        self.at(8)
    }

    /// Messages go through shared memory.
    pub fn use_shmem(self) -> Hint {
        self.at(9)
    }

    /// An immediate message that finds no room waits.
    pub fn queue_immediate(self) -> Hint {
        self.at(10)
    }
}

/// `struct iovec`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Vector {
    /// Where the bytes are.
    pub address: *mut c_void,
    /// How many.
    pub bytes: usize,
}

/// `pami_send_immediate_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendImmediate {
    /// The header.
    pub header: Vector,
    /// The data.
    pub data: Vector,
    /// Who receives it.
    pub dispatch: usize,
    /// Soft hints, all of which may be ignored.
    pub hints: u32,
    /// Where it goes.
    pub dest: u32,
}

/// `pami_send_event_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SendEvents {
    /// What both functions get.
    pub cookie: *mut c_void,
    /// Header and data may be changed.
    pub local_fn: EventFunction,
    /// The target has received all.
    pub remote_fn: EventFunction,
}

/// `pami_send_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Send {
    /// The message.
    pub send: SendImmediate,
    /// Who is told.
    pub events: SendEvents,
}

/// `pami_recv_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Receive {
    /// What the function gets.
    pub cookie: *mut c_void,
    /// All data is there.
    pub local_fn: EventFunction,
    /// Where the data goes.
    pub addr: *mut c_void,
    /// Its layout there.
    pub type_: Type,
    /// Where in the layout it begins, in bytes of data.
    pub offset: usize,
    /// What handles it.
    pub data_fn: DataFunction,
    /// What that gets.
    pub data_cookie: *mut c_void,
}

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
    pub local: *mut c_void,
    /// There.
    pub remote: *mut c_void,
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
    pub mr: *mut MemoryRegionHandle,
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
    pub local: *mut c_void,
    /// The integer.
    pub remote: *mut c_void,
    /// What it is modified with.
    pub value: *mut c_void,
    /// What it is compared with.
    pub test: *mut c_void,
    /// `pami_atomic_t`.
    pub operation: u32,
    /// One of the integer types.
    pub type_: Type,
}

#[cfg(test)]
pub(crate) mod tests {
    //! The header is compiled, and every size, offset and constant compared.

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
                crate::configuration::attribute::CLIENT_MEMORY_OPTIMIZE,
            ),
            (
                "PAMI_DISPATCH_ATOM_SIZE_MAX",
                crate::configuration::attribute::DISPATCH_ATOM_SIZE_MAX,
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
            ("buffer_registered", DispatchHints::buffer_registered),
            (
                "remote_async_progress",
                DispatchHints::remote_async_progress,
            ),
            ("use_rdma", DispatchHints::use_rdma),
            ("use_shmem", DispatchHints::use_shmem),
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
}
