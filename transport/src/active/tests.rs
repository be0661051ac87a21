//! Several clients with several contexts of two tasks in one process: messages of every size
//! between all of them, and transfers to and from their memory, with and without the kernel.

use std::cell::RefCell;
use std::rc::Rc;

use pamir_driver::job::{Job, JobSpecification};
use proptest::prelude::*;

use super::send::ActiveMessage;
use super::{ActiveError, Completion, Receive, TransferError};
use crate::client::Client;
use crate::context::Context;
use crate::one_sided::memory_region::MemoryRegion;
use crate::one_sided::{Get, Notification, Put};
use crate::protocol::table::{GetProtocol, PutProtocol, SendProtocol, SendTable};
use crate::selection::{Choice, Ranges, Row, Situation};

mod early;
mod remote;
mod scattered;
mod shortcut;
mod walk;

/// Handler of messages whose data the transport puts into place.
const INTO: u16 = 7;

/// Handler that is told of puts.
const PUT: u16 = 8;

/// The contexts of one client, by task and offset.
struct Contexts {
    all: Vec<Context>,
    per_task: usize,
}

impl Contexts {
    fn get(&self, task: usize, offset: usize) -> &Context {
        &self.all[task * self.per_task + offset]
    }

    fn advance(&self) {
        for context in &self.all {
            context.advance().unwrap();
        }
    }

    fn advance_until(&self, done: impl Fn() -> bool) {
        for _ in 0..1_000_000 {
            if done() {
                return;
            }
            self.advance();
        }
        panic!("it does not end");
    }
}

fn job(oversubscribed: bool) -> Job {
    let units = if oversubscribed { [0, 0] } else { [0, 1] };
    Job::create(&JobSpecification {
        ranks: 2,
        processing_units: units.map(Some).to_vec(),
    })
    .unwrap()
}

fn client(job: &Job, name: &str, per_task: usize, kernel_refuses: bool) -> Contexts {
    let mut all = Vec::new();
    for task in 0..2 {
        let client = Client::open_in(job, task, name, per_task).unwrap();
        all.extend((0..per_task).map(|_| client.create_context().unwrap()));
    }
    for context in &all {
        context.kernel_refuses.set(kernel_refuses);
    }
    Contexts { all, per_task }
}

/// How transfers have ended.
type Log = Rc<RefCell<Vec<Result<(), TransferError>>>>;

fn logged(log: &Log) -> Option<Completion> {
    let log = Rc::clone(log);
    Some(Box::new(move |_, how| log.borrow_mut().push(how)))
}

/// Sends data that the test keeps until the message has come.
fn send_all(origin: &Context, message: ActiveMessage<'_>, data: &[u8]) {
    // SAFETY: as said.
    unsafe {
        origin
            .send_active(message, data.as_ptr(), data.len())
            .unwrap()
    };
}

/// What a receiver has of a message: who sent it, its header and its data.
type Inbox = Rc<RefCell<Vec<(u64, Vec<u8>, Vec<u8>)>>>;

/// Receives messages into memory of their own; they count once all data is there.
fn collect(context: &Context) -> Inbox {
    let inbox = Inbox::default();
    let filled = Rc::clone(&inbox);
    let handler = move |_: &Context, arrival: super::dispatch::Arrival<'_>| {
        let (origin, header) = (arrival.origin.word(), arrival.header.to_vec());
        if let Some(data) = arrival.data {
            assert_eq!(data.len(), arrival.bytes);
            filled.borrow_mut().push((origin, header, data.to_vec()));
            return Receive::nowhere();
        }
        let bytes = arrival.bytes;
        let memory = vec![0_u8; bytes].leak();
        let (address, filled) = (memory.as_mut_ptr(), Rc::clone(&filled));
        // SAFETY: the memory is leaked until the completion takes it back.
        unsafe { Receive::into(address, bytes) }.then(move |_, how| {
            how.unwrap();
            // SAFETY: it was leaked as a vector of exactly these bytes.
            let data = unsafe { Vec::from_raw_parts(address, bytes, bytes) };
            filled.borrow_mut().push((origin, header, data));
        })
    };
    context.set_dispatch(INTO, handler).unwrap();
    inbox
}

/// A message from rank 0 to rank 1 the general way, which opens the lane: shortcuts take only those that are open.
fn open_lane(contexts: &Contexts, inbox: &Inbox) {
    let to = contexts.get(1, 0).endpoint();
    let opening = contexts.get(0, 0).send_immediate(to, INTO, b"", b"opens");
    opening.unwrap();
    contexts.advance_until(|| inbox.borrow().len() == 1);
    inbox.borrow_mut().clear();
}

fn pattern(seed: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + seed * 13) as u8).collect()
}

const SIZES: [usize; 14] = [
    0, 1, 40, 48, 1015, 1016, 1024, 8184, 8185, 8192, 40_000, 65_536, 65_537, 700_000,
];

#[test]
fn every_size_arrives_whole_by_every_protocol() {
    let settings = [
        (false, false, None),
        (true, false, None),
        (true, true, None),
        (false, false, Some(SendProtocol::Eager)),
        (true, false, Some(SendProtocol::RendezvousPackets)),
        (false, false, Some(SendProtocol::RendezvousCopy)),
        (false, true, Some(SendProtocol::RendezvousCopy)),
    ];
    for (oversubscribed, kernel_refuses, protocol) in settings {
        let mut contexts = client(&job(oversubscribed), "sizes", 1, kernel_refuses);
        for context in &mut contexts.all {
            let rows = protocol.map(Row::new).into_iter();
            let rows = rows.chain(SendProtocol::DEFAULT.iter().copied());
            context.table =
                SendTable::of(rows, context.unit.packet_bytes(), Situation::new(2, true));
        }
        let inbox = collect(contexts.get(1, 0));
        for (number, bytes) in SIZES.into_iter().enumerate() {
            for header_bytes in [0, 5, 3000] {
                for waits in [false, true] {
                    let (local, remote) = (Log::default(), Log::default());
                    let (header, data) = (pattern(number, header_bytes), pattern(99, bytes));
                    let message = ActiveMessage {
                        to: contexts.get(1, 0).endpoint(),
                        dispatch: INTO,
                        header: &header,
                        local: logged(&local),
                        remote: waits.then(|| logged(&remote)).flatten(),
                    };
                    // SAFETY: the data lives until the message has arrived.
                    unsafe {
                        let origin = contexts.get(0, 0);
                        origin.send_active(message, data.as_ptr(), bytes).unwrap();
                    }
                    let ended = || {
                        contexts
                            .all
                            .iter()
                            .all(|context| context.transfers_under_way() == 0)
                    };
                    contexts.advance_until(|| !inbox.borrow().is_empty() && ended());
                    let origin = contexts.get(0, 0).endpoint().word();
                    assert_eq!(inbox.borrow_mut().pop(), Some((origin, header, data)));
                    assert_eq!(*local.borrow(), [Ok(())]);
                    assert_eq!(remote.borrow().len(), usize::from(waits));
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_sent_is_told() {
    let contexts = client(&job(false), "refusals", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let too_long = vec![0; origin.longest_header_bytes() + 1];
    let message = ActiveMessage {
        to: target.endpoint(),
        dispatch: INTO,
        header: &too_long,
        local: None,
        remote: None,
    };
    // SAFETY: it has no data.
    let refused = unsafe { origin.send_active(message, std::ptr::null(), 0) };
    assert!(matches!(refused, Err(ActiveError::Header { .. })));
    assert!(matches!(
        origin.send_immediate(target.endpoint(), INTO, b"", &vec![0; 1 << 20]),
        Err(ActiveError::Immediate { .. })
    ));
    assert!(matches!(
        origin.send_immediate(target.endpoint(), u16::MAX, b"", b""),
        Err(ActiveError::Dispatch { .. })
    ));
    let stranger = client(&job(false), "others", 2, false).get(0, 1).endpoint();
    assert!(matches!(
        origin.send_immediate(stranger, INTO, b"", b""),
        Err(ActiveError::Endpoint { .. })
    ));
}

#[test]
fn a_handler_with_too_little_room_is_told() {
    let contexts = client(&job(false), "room", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let log = Log::default();
    let room = vec![0_u8; 100].leak();
    let (address, told) = (room.as_mut_ptr(), Rc::clone(&log));
    let handler = move |_: &Context, _: super::dispatch::Arrival<'_>| {
        let told = Rc::clone(&told);
        // SAFETY: the memory is leaked.
        unsafe { Receive::into(address, 100) }.then(move |_, how| told.borrow_mut().push(how))
    };
    target.set_dispatch(INTO, handler).unwrap();
    for bytes in [101, 9000, 100_000] {
        room.fill(0);
        let data = pattern(4, bytes);
        let message = ActiveMessage {
            to: target.endpoint(),
            dispatch: INTO,
            header: b"",
            local: None,
            remote: None,
        };
        // SAFETY: the data lives until the message has arrived.
        unsafe { origin.send_active(message, data.as_ptr(), bytes).unwrap() };
        contexts.advance_until(|| !log.borrow().is_empty());
        contexts.advance_until(|| origin.transfers_under_way() == 0);
        let cut = TransferError::Truncated { bytes, room: 100 };
        assert_eq!(log.borrow_mut().pop(), Some(Err(cut)));
        assert_eq!(room, &data[..100]);
    }
}

#[test]
fn handlers_answer_and_nothing_overtakes() {
    let contexts = client(&job(false), "answers", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let inbox = collect(origin);
    let echo = |context: &Context, arrival: super::dispatch::Arrival<'_>| {
        let data = arrival.data.unwrap();
        context
            .send_immediate(arrival.origin, INTO, arrival.header, data)
            .unwrap();
        Receive::nowhere()
    };
    target.set_dispatch(INTO, echo).unwrap();
    // More than the lanes hold, so that both directions fill up.
    for number in 0..20_000_u32 {
        let header = number.to_ne_bytes();
        origin
            .send_immediate(target.endpoint(), INTO, &header, &[5; 100])
            .unwrap();
    }
    contexts.advance_until(|| inbox.borrow().len() == 20_000);
    let numbers = inbox.borrow();
    let numbers = numbers.iter().map(|(_, header, _)| header.as_slice());
    assert!(numbers.eq((0..20_000_u32).map(|number| number.to_ne_bytes())));
}

/// Memory of task 1, registered.
fn region(context: &Context, memory: &mut [u8]) -> MemoryRegion {
    // SAFETY: the tests keep the memory until all transfers have ended.
    unsafe { context.register(memory.as_mut_ptr(), memory.len()) }
}

/// Makes the table in force of contexts' puts and gets one row.
fn by_packets(contexts: &mut Contexts) {
    for context in &mut contexts.all {
        let put = Ranges::new(&[(usize::MAX, PutProtocol::MemoryFifo)]).unwrap();
        let get = Ranges::new(&[(usize::MAX, GetProtocol::MemoryFifo)]).unwrap();
        context.one_sided.put_table = Box::leak(Box::new(put));
        context.one_sided.get_table = Box::leak(Box::new(get));
    }
}

#[test]
fn puts_and_gets_move_every_size() {
    for (kernel_refuses, packets) in [(false, false), (true, false), (false, true)] {
        let mut contexts = client(&job(false), "one-sided", 1, kernel_refuses);
        if packets {
            by_packets(&mut contexts);
        }
        let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
        let notified = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&notified);
        let handler = move |_: &Context, arrival: super::dispatch::Arrival<'_>| {
            seen.borrow_mut().push(arrival.header.to_vec());
            Receive::nowhere()
        };
        target.set_dispatch(PUT, handler).unwrap();
        let mut memory = vec![0xEE_u8; 1_000_000];
        let described = region(target, &mut memory).to_bytes();
        let region = MemoryRegion::from_bytes(described);
        for bytes in SIZES {
            let (local, remote, data) = (Log::default(), Log::default(), pattern(3, bytes));
            let put = Put {
                to: target.endpoint(),
                region,
                offset: 77,
                notify: Some(Notification {
                    dispatch: PUT,
                    word: bytes as u64,
                }),
                local: logged(&local),
                remote: logged(&remote),
            };
            // SAFETY: data and memory live until the transfers have ended.
            unsafe { origin.put(put, data.as_ptr(), bytes).unwrap() };
            // The kernel copies at once; packets wait for the target.
            assert!(!packets || memory[77] == 0xEE);
            contexts.advance_until(|| remote.borrow().len() == 1 && notified.borrow().len() == 1);
            assert_eq!((local.take(), remote.take()), (vec![Ok(())], vec![Ok(())]));
            assert_eq!(memory[77..77 + bytes], data);
            assert_eq!((memory[76], memory[77 + bytes]), (0xEE, 0xEE));
            let header = [bytes as u64, region.address + 77, bytes as u64];
            let header = header.map(u64::to_ne_bytes).as_flattened().to_vec();
            assert_eq!(notified.take(), [header]);
            let (done, mut copy) = (Log::default(), vec![0_u8; bytes]);
            let get = Get {
                from: target.endpoint(),
                region,
                offset: 77,
                notify: None,
                done: logged(&done),
            };
            // SAFETY: as above.
            unsafe { origin.get(get, copy.as_mut_ptr(), bytes).unwrap() };
            contexts.advance_until(|| done.borrow().len() == 1);
            assert_eq!(done.take(), [Ok(())]);
            assert!(copy == data);
            contexts.advance_until(|| origin.transfers_under_way() == 0);
            memory[77..77 + bytes].fill(0xEE);
        }
        // Every counter was given back.
        assert_eq!(origin.unit.counters().status(), 0);
        for context in &contexts.all {
            context.advance().unwrap();
            assert_eq!(context.transfers_under_way(), 0);
        }
    }
}

#[test]
fn transfers_out_of_bounds_are_told() {
    for kernel_refuses in [false, true] {
        let contexts = client(&job(false), "bounds", 1, kernel_refuses);
        let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
        let mut memory = vec![0_u8; 1000];
        let region = region(target, &mut memory);
        // What a wrong, or an old, description would say.
        let (longer, mut other) = (
            MemoryRegion {
                bytes: 2000,
                ..region
            },
            [1_u8; 2000],
        );
        let mut attempts = vec![(region, 990, 11), (region, usize::MAX, 1)];
        if kernel_refuses {
            attempts.push((longer, 990, 11));
            attempts.push((MemoryRegion { key: 55, ..region }, 0, 1));
            attempts.push((longer, 0, 2000));
        }
        for (region, offset, bytes) in attempts {
            let log = Log::default();
            let put = Put {
                to: target.endpoint(),
                region,
                offset,
                notify: None,
                local: logged(&log),
                remote: None,
            };
            let get = Get {
                from: target.endpoint(),
                region,
                offset,
                notify: None,
                done: logged(&log),
            };
            // SAFETY: the array has the bytes and lives until both have ended.
            unsafe {
                origin.put(put, other.as_ptr(), bytes).unwrap();
                origin.get(get, other.as_mut_ptr(), bytes).unwrap();
            }
            contexts.advance_until(|| log.borrow().len() == 2);
            assert_eq!(*log.borrow(), [Err(TransferError::OutsideRegion); 2]);
        }
        assert!(memory.iter().all(|byte| *byte == 0));
        assert!(target.deregister(&region));
    }
}

#[test]
fn an_address_without_memory_is_told_and_says_nothing_of_the_next() {
    let contexts = client(&job(false), "fallback", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let data = pattern(8, 5000);
    let mut memory = vec![0_u8; 5000];
    let good = region(target, &mut memory);
    let bad = MemoryRegion {
        address: 4096,
        ..good
    };
    for (region, how) in [
        (good, Ok(())),
        (bad, Err(TransferError::NotMapped)),
        (good, Ok(())),
    ] {
        // The address of the second is one that the kernel does not write to, and the target would
        // be killed for.
        let log = Log::default();
        let put = Put {
            to: target.endpoint(),
            region,
            offset: 0,
            notify: None,
            local: None,
            remote: logged(&log),
        };
        // SAFETY: data and memory live until the put has ended.
        unsafe { origin.put(put, data.as_ptr(), 5000).unwrap() };
        contexts.advance_until(|| log.borrow().len() == 1);
        assert_eq!(*log.borrow(), [how]);
    }
    assert_eq!(memory, data);
    assert!(
        !origin.kernel_refuses.get(),
        "one bad address says nothing of the next"
    );
    assert_eq!(origin.unit.counters().status(), 0);
}

/// One random instruction.
#[derive(Clone, Debug)]
struct Step {
    client: usize,
    from: (usize, usize),
    to: (usize, usize),
    bytes: usize,
    what: u8,
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![0_usize..100, 0_usize..20_000, 60_000_usize..150_000];
    let place = || (0_usize..2, 0_usize..2);
    (0_usize..2, place(), place(), bytes, 0_u8..4).prop_map(|(client, from, to, bytes, what)| {
        Step {
            client,
            from,
            to,
            bytes,
            what,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is sent between whichever contexts arrives once, whole, and at its own client;
    /// puts and gets end with the right bytes. The contexts' offsets at both ends have nothing
    /// to do with each other.
    #[test]
    fn random_traffic_arrives(
        steps in prop::collection::vec(step(), 1..40),
        oversubscribed in any::<bool>(),
        kernel_refuses in any::<bool>(),
    ) {
        let job = job(oversubscribed);
        let clients = [
            client(&job, "first", 2, kernel_refuses),
            client(&job, "second", 2, kernel_refuses),
        ];
        let inboxes: Vec<Vec<Inbox>> = clients
            .iter()
            .map(|contexts| contexts.all.iter().map(collect).collect())
            .collect();
        let data: Vec<Vec<u8>> =
            steps.iter().enumerate().map(|(number, step)| pattern(number, step.bytes)).collect();
        let mut memories: Vec<Vec<u8>> = steps.iter().map(|step| vec![0xEE; step.bytes]).collect();
        let mut copies = memories.clone();
        let (log, mut expected) = (Log::default(), 0);
        let mut messages = 0;
        for (number, step) in steps.iter().enumerate() {
            let contexts = &clients[step.client];
            let (from, to) =
                (contexts.get(step.from.0, step.from.1), contexts.get(step.to.0, step.to.1));
            let source = data[number].as_ptr();
            // SAFETY: data, memories and copies live until everything has ended.
            unsafe {
                match step.what {
                    0 | 1 => {
                        let message = ActiveMessage {
                            to: to.endpoint(),
                            dispatch: INTO,
                            header: &(number as u64).to_ne_bytes(),
                            local: logged(&log),
                            remote: if step.what == 0 { logged(&log) } else { None },
                        };
                        from.send_active(message, source, step.bytes).unwrap();
                        expected += 2 - usize::from(step.what);
                        messages += 1;
                    }
                    2 => {
                        let put = Put {
                            to: to.endpoint(),
                            region: region(to, &mut memories[number]),
                            offset: 0,
                            notify: None,
                            local: None,
                            remote: logged(&log),
                        };
                        from.put(put, source, step.bytes).unwrap();
                        expected += 1;
                    }
                    _ => {
                        let get = Get {
                            from: to.endpoint(),
                            region: to.register(source.cast_mut(), step.bytes),
                            offset: 0,
                            notify: None,
                            done: logged(&log),
                        };
                        from.get(get, copies[number].as_mut_ptr(), step.bytes).unwrap();
                        expected += 1;
                    }
                }
            }
            if step.bytes % 3 == 0 {
                clients.iter().for_each(Contexts::advance);
            }
        }
        let arrived = || inboxes.iter().flatten().map(|inbox| inbox.borrow().len()).sum::<usize>();
        for _ in 0..1_000_000 {
            if arrived() == messages && log.borrow().len() == expected {
                break;
            }
            clients.iter().for_each(Contexts::advance);
        }
        prop_assert_eq!((arrived(), log.borrow().len()), (messages, expected));
        prop_assert!(log.borrow().iter().all(Result::is_ok));
        for (number, step) in steps.iter().enumerate() {
            match step.what {
                0 | 1 => {
                    let inbox = inboxes[step.client][step.to.0 * 2 + step.to.1].borrow();
                    let from = clients[step.client].get(step.from.0, step.from.1).endpoint().word();
                    let header = (number as u64).to_ne_bytes().to_vec();
                    let same = inbox.iter().filter(|message| message.1 == header).count();
                    prop_assert_eq!(same, 1);
                    prop_assert!(inbox.contains(&(from, header, data[number].clone())));
                }
                2 => prop_assert!(memories[number] == data[number]),
                _ => prop_assert!(copies[number] == data[number]),
            }
        }
        clients.iter().for_each(Contexts::advance);
        let left: usize = clients.iter().flat_map(|contexts| &contexts.all)
            .map(Context::transfers_under_way).sum();
        prop_assert_eq!(left, 0);
    }
}
