//! Data that does not lie together: messages from and to layouts, puts and gets between them.

use super::*;
use crate::active::dispatch::{Arrival, Status};
use crate::gather_scatter::{Builder, Machine, Program, Section};
use crate::one_sided::scattered::Scattered;
use crate::tagged::buffer::Noncontiguous;

/// `count` blocks of `block` bytes, `stride` apart, with a hole in front.
fn vector(block: usize, count: usize, stride: i64) -> Program {
    let mut builder = Builder::new();
    builder.add_simple(block, 24, count, stride).unwrap();
    builder.complete().unwrap()
}

/// Irregular blocks, of which one lies before the address.
fn irregular(unit: usize) -> Program {
    let step = unit as i64;
    let mut builder = Builder::new();
    for (blocks, offset) in [(1, 5), (3, 2), (2, -12), (7, 20)] {
        builder
            .add_simple(blocks * unit, offset * step, 1, 0)
            .unwrap();
    }
    builder.add_simple(0, 15 * step, 0, 0).unwrap();
    builder.complete().unwrap()
}

/// Memory that an element's layout is applied to, at an address in its midst.
struct Field {
    memory: Vec<u8>,
    start: usize,
    element: Program,
}

impl Field {
    fn new(element: &Program, bytes: usize) -> Self {
        let (low, high) = element.reach(bytes).unwrap();
        let start = low.min(0).unsigned_abs() as usize;
        let memory = pattern(bytes, start + high.max(0) as usize);
        let element = element.clone();
        Self {
            memory,
            start,
            element,
        }
    }

    fn machine(&mut self, bytes: usize) -> Machine {
        let address = self.memory.as_mut_ptr().wrapping_add(self.start);
        // SAFETY: the memory is as long as the reach; the tests keep it.
        unsafe { Machine::new(self.element.covering(bytes).unwrap(), address) }
    }

    fn section(&mut self, bytes: usize) -> Section {
        Section::new(self.machine(bytes), 0, bytes)
    }

    fn packed(&mut self, bytes: usize) -> Vec<u8> {
        let mut packed = vec![0; bytes];
        assert_eq!(self.machine(bytes).pack(&mut packed), bytes);
        packed
    }

    /// Everything that is in no block keeps its old value.
    fn assert_holds(&mut self, packed: &[u8], before: &[u8]) {
        let mut expected = before.to_vec();
        let mut left = packed;
        let covering = self.element.covering(packed.len()).unwrap();
        for (at, block) in covering.iter_blocks(0) {
            let (these, rest) = left.split_at(block.min(left.len()));
            if these.is_empty() {
                break;
            }
            let at = (self.start as i64 + at) as usize;
            expected[at..at + these.len()].copy_from_slice(these);
            left = rest;
        }
        assert!(self.memory == expected);
    }
}

const LENGTHS: [usize; 7] = [1, 40, 3000, 8185, 40_001, 65_537, 300_001];

#[test]
fn layouts_are_sent_and_received() {
    for protocol in [
        None,
        Some(SendProtocol::RendezvousPackets),
        Some(SendProtocol::RendezvousCopy),
    ] {
        let mut contexts = client(&job(true), "layouts", 1, false);
        for context in &mut contexts.all {
            let rows = protocol.map(Row::new).into_iter();
            let rows = rows.chain(SendProtocol::DEFAULT.iter().copied());
            context.table =
                SendTable::of(rows, context.unit.packet_bytes(), Situation::new(2, true));
        }
        for bytes in LENGTHS {
            let [irregular, vector] = [irregular(3), vector(16, 10, 40)];
            let contiguous = vector_of_bytes();
            send_between(&contexts, [&irregular, &vector], bytes, true);
            send_between(&contexts, [&vector, &irregular], bytes, false);
            send_between(&contexts, [&contiguous, &vector], bytes, true);
        }
    }
}

fn vector_of_bytes() -> Program {
    vector(1, 1, 1)
}

/// Sends `bytes` bytes from one layout to another.
fn send_between(contexts: &Contexts, [from, to]: [&Program; 2], bytes: usize, waits: bool) {
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let (mut from, mut into) = (Field::new(from, bytes), Field::new(to, bytes));
    let (packed, before) = (from.packed(bytes), into.memory.clone());
    let (local, remote, received) = (Log::default(), Log::default(), Log::default());
    let (section, told) = (into.section(bytes), Rc::clone(&received));
    let handler = move |_: &Context, arrival: super::super::dispatch::Arrival<'_>| {
        assert_eq!(arrival.bytes, section.bytes());
        let told = Rc::clone(&told);
        // SAFETY: the test keeps the memory.
        unsafe { Receive::scattered(section.clone()) }
            .then(move |_, how| told.borrow_mut().push(how))
    };
    target.set_dispatch(INTO, handler).unwrap();
    let message = ActiveMessage {
        to: target.endpoint(),
        dispatch: INTO,
        header: b"header",
        local: logged(&local),
        remote: waits.then(|| logged(&remote)).flatten(),
    };
    // SAFETY: the test keeps the memory.
    unsafe {
        let source = from.section(bytes);
        origin.send_active_scattered(message, source).unwrap();
    }
    contexts.advance_until(|| !received.borrow().is_empty() && !local.borrow().is_empty());
    contexts.advance_until(|| remote.borrow().len() == usize::from(waits));
    assert_eq!(*received.borrow(), [Ok(())]);
    into.assert_holds(&packed, &before);
}

#[test]
fn puts_and_gets_between_layouts_move_every_size() {
    for (kernel_refuses, packets) in [(false, false), (true, false), (false, true)] {
        let mut contexts = client(&job(false), "between", 1, kernel_refuses);
        if packets {
            by_packets(&mut contexts);
        }
        for bytes in LENGTHS {
            let layouts = [
                irregular(3),
                vector(16, 10, 40),
                vector(5000, 3, 5500),
                vector_of_bytes(),
            ];
            for here in &layouts {
                for there in &layouts {
                    transfer_between(&contexts, here, there, bytes);
                }
            }
        }
        assert_eq!(contexts.get(0, 0).transfers_under_way(), 0);
        assert_eq!(contexts.get(1, 0).transfers_under_way(), 0);
    }
}

/// Puts to a layout, and gets from it.
fn transfer_between(contexts: &Contexts, here: &Program, there: &Program, bytes: usize) {
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let (mut here, mut there) = (Field::new(here, bytes), Field::new(there, bytes));
    let offset = there.start;
    let region = region(target, &mut there.memory);
    let (local, done) = (Log::default(), Log::default());
    let scattered = |bytes: usize| Scattered {
        to: target.endpoint(),
        region,
        offset,
        element: there.element.clone(),
        bytes,
        local: logged(&local),
        done: logged(&done),
    };
    let ended = |count: usize| local.borrow().len() == count && done.borrow().len() == count;
    let (packed, before) = (here.packed(bytes), there.memory.clone());
    // SAFETY: the test keeps both memories.
    unsafe {
        origin
            .put_scattered(scattered(bytes), here.machine(bytes))
            .unwrap()
    };
    contexts.advance_until(|| ended(1));
    let beyond = scattered(2 * bytes + 64);
    let get = scattered(bytes);
    there.assert_holds(&packed, &before);
    here.memory.fill(0xEE);
    let before = here.memory.clone();
    // SAFETY: as above; the second one is refused before anything moves.
    unsafe {
        origin.get_scattered(get, here.machine(bytes)).unwrap();
        contexts.advance_until(|| ended(2));
        here.assert_holds(&packed, &before);
        origin.put_scattered(beyond, here.machine(bytes)).unwrap();
    }
    let expected = [Ok(()), Ok(()), Err(TransferError::OutsideRegion)];
    assert_eq!(*local.borrow(), expected);
    assert_eq!(*done.borrow(), expected);
    assert!(target.deregister(&region));
}

#[test]
fn the_target_looks_where_a_layout_lies() {
    let contexts = client(&job(false), "elsewhere", 1, true);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let mut there = vec![7_u8; 1000];
    let mut here = Field::new(&vector(8, 10, 16), 80);
    let gone = region(target, &mut there);
    assert!(target.deregister(&gone));
    for put in [true, false] {
        for bytes in [80, 70_000] {
            here.memory.resize(200_000, 1);
            let done = Log::default();
            let transfer = Scattered {
                to: target.endpoint(),
                region: MemoryRegion {
                    bytes: 1 << 30,
                    ..gone
                },
                offset: 0,
                element: vector(8, 10, 16),
                bytes,
                local: None,
                done: logged(&done),
            };
            // SAFETY: the memory here is long enough; the target refuses.
            unsafe {
                let machine = here.machine(bytes);
                if put {
                    origin.put_scattered(transfer, machine).unwrap();
                } else {
                    origin.get_scattered(transfer, machine).unwrap();
                }
            }
            contexts.advance_until(|| !done.borrow().is_empty());
            assert_eq!(*done.borrow(), [Err(TransferError::OutsideRegion)]);
        }
    }
    assert!(there.iter().all(|byte| *byte == 7));
}

#[test]
fn a_program_longer_than_all_memory_is_refused() {
    let contexts = client(&job(false), "endless", 1, true);
    let arrival = Arrival {
        origin: contexts.get(0, 0).endpoint(),
        header: &[0xFF; 32],
        data: None,
        bytes: usize::MAX,
    };
    let get = u16::MAX - 18;
    let receive = crate::one_sided::scattered::dispatch(contexts.get(1, 0), get, arrival);
    assert!(receive.status == Status::OutsideRegion);
}

#[test]
fn messages_that_make_no_sense_touch_nothing() {
    let contexts = client(&job(false), "nonsense", 1, true);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    for dispatch in [u16::MAX - 16, u16::MAX - 17, u16::MAX - 18, u16::MAX - 19] {
        for header in [vec![], vec![0xFF; 32]] {
            for data in [&b""[..], b"PDGS\x01no program"] {
                let log = Log::default();
                let message = ActiveMessage {
                    to: target.endpoint(),
                    dispatch,
                    header: &header,
                    local: None,
                    remote: logged(&log),
                };
                // SAFETY: the data is static.
                unsafe {
                    origin
                        .start_active(1, message, data.as_ptr(), data.len())
                        .unwrap()
                };
                while log.borrow().is_empty() {
                    // Either end may say that it was told of nothing that it knows.
                    let _ = (origin.advance(), target.advance());
                }
            }
        }
    }
    for context in [origin, target] {
        let _ = context.advance();
        assert_eq!(context.transfers_under_way(), 0);
    }
}
