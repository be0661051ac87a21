//! Descriptors: what the engine is to do, in one cache line.
//!
//! Before: the transport has chosen a protocol and fills a descriptor. After: the
//! injection FIFO keeps it until the engine has processed it.
//!
//! ```text
//! byte  0 buffer     8 bytes     16 injected   24 metadata
//!      32 remote    40 cookie    48 target     52 counter  54 auxiliary
//!      56 operation 57 source    58 kind       59 continuation  60 notify    61 local
//!      62 packet exponent           63 exclusive buffer
//! ```
//!
//! The fields are those of a DMA unit's data descriptor: buffer address and size,
//! message type (`kind`), packet header (`metadata`), transfer operation, counter and
//! target ("Replenishing descriptors in an injection FIFO", data descriptor).

/// How the bytes of a descriptor move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// As packets into the target's reception FIFO.
    MemoryFifo,
    /// From this process's memory straight into the target's, at `remote`.
    DirectPut,
    /// From the target's memory, at `remote`, straight into this process's.
    RemoteGet,
}

/// Where the bytes of a memory FIFO descriptor come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Source {
    /// `bytes` bytes at address `buffer`.
    Memory,
    /// The owner of the unit produces them piece by piece, by the descriptor's cookie.
    Owner,
}

/// One transfer. Exactly one line of 64 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Descriptor {
    /// Address of the data in this process.
    pub buffer: u64,
    /// Size of the transfer in bytes.
    pub bytes: u64,
    /// How many of them the engine has dealt with.
    pub injected: u64,
    /// First word of the first packet's header: the owner's.
    pub metadata: u64,
    /// Address in the target's process, for put and get.
    pub remote: u64,
    /// Given back to the owner when the descriptor is done; 0: nobody wants to know.
    pub cookie: u64,
    /// The rank at the other end.
    pub target: u32,
    /// The DMA counter to count down, plus one; 0 if none.
    pub counter: u16,
    /// The packet's auxiliary number.
    pub auxiliary: u16,
    /// How the bytes move.
    pub operation: Operation,
    /// Where they come from.
    pub source: Source,
    /// Packet handler of the first packet.
    pub kind: u8,
    /// Packet handler of all further packets; only used where one packet is not enough.
    pub continuation: u8,
    /// Packet handler at the target that a put notifies; 0 if none.
    pub notify: u8,
    /// The transfer stays in this unit: a replenish descriptor, for the FIFO towards `target`.
    pub local: bool,
    /// Two to this power is the most data in a packet, in bytes, where the unit would take more;
    /// 0 leaves it to the unit.
    pub packet_exponent: u8,
    /// The exclusive buffer in which the data goes, plus one; 0 while it goes through the lane.
    pub exclusive_buffer: u8,
}

const _: () = assert!(size_of::<Descriptor>() == 64 && align_of::<Descriptor>() == 64);

impl Descriptor {
    /// A memory FIFO transfer of `bytes` bytes at `buffer` to handler `kind` of `target`.
    pub fn memory_fifo(
        target: u32,
        kind: u8,
        metadata: u64,
        buffer: *const u8,
        bytes: usize,
    ) -> Self {
        Self {
            buffer: buffer as u64,
            bytes: bytes as u64,
            injected: 0,
            metadata,
            remote: 0,
            cookie: 0,
            target,
            counter: 0,
            auxiliary: 0,
            operation: Operation::MemoryFifo,
            source: Source::Memory,
            kind,
            continuation: kind,
            notify: 0,
            local: false,
            packet_exponent: 0,
            exclusive_buffer: 0,
        }
    }

    /// A replenish descriptor of the FIFO towards `target`: a local transfer of one word, whose
    /// processing says that everything before it has been processed.
    pub fn replenish(operation: Operation, target: u32) -> Self {
        let mut descriptor = Self::memory_fifo(target, 0, u64::from(target), std::ptr::null(), 8);
        descriptor.operation = operation;
        descriptor.local = true;
        descriptor
    }

    /// A put or get of `bytes` bytes between `buffer` here and `remote` in `target`.
    pub fn direct(
        operation: Operation,
        target: u32,
        buffer: *mut u8,
        remote: u64,
        bytes: usize,
    ) -> Self {
        let mut descriptor = Self::memory_fifo(target, 0, 0, buffer, bytes);
        descriptor.operation = operation;
        descriptor.remote = remote;
        descriptor
    }

    /// Whether everything has been dealt with.
    pub fn is_done(&self) -> bool {
        self.injected >= self.bytes
    }
}
