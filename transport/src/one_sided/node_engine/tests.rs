//! Two tasks in one process whose puts and gets a node's engine moves, with both of its threads.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use pamir_driver::job::{Job, JobSpecification};

use super::{CHUNK_BYTES, CONTEXTS, unit_of};
use crate::active::dispatch::Arrival;
use crate::active::{Completion, Receive, TransferError};
use crate::client::Client;
use crate::context::Context;
use crate::one_sided::memory_region::MemoryRegion;
use crate::one_sided::{Get, Notification, Put};

/// Handler that is told of puts.
const TOLD: u16 = 3;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Node {
    clients: [Client; 2],
    contexts: [Context; 2],
}

impl Node {
    fn new() -> Self {
        let job = Job::create(&JobSpecification::unbound(2)).unwrap();
        let clients = [0, 1].map(|task| Client::open_with_engine(&job, task, "node", 1).unwrap());
        let contexts = [0, 1].map(|task| clients[task].create_context().unwrap());
        Self { clients, contexts }
    }

    fn advance_until(&self, done: impl Fn() -> bool) {
        let begin = Instant::now();
        while !done() {
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            for context in &self.contexts {
                context.advance().unwrap();
                context.end_failed_peers().unwrap();
            }
            std::thread::yield_now();
        }
    }
}

type Log = Rc<RefCell<Vec<Result<(), TransferError>>>>;

fn logged(log: &Log) -> Option<Completion> {
    let log = Rc::clone(log);
    Some(Box::new(move |_, how| log.borrow_mut().push(how)))
}

fn put(to: &Context, region: MemoryRegion, offset: usize, log: &Log) -> Put {
    Put {
        to: to.endpoint(),
        region,
        offset,
        notify: None,
        local: logged(log),
        remote: logged(log),
    }
}

#[test]
fn both_ends_are_served_in_both_directions() {
    let node = Node::new();
    let told = Rc::new(RefCell::new(Vec::new()));
    for context in &node.contexts {
        let told = Rc::clone(&told);
        let handler = move |_: &Context, arrival: Arrival<'_>| {
            told.borrow_mut()
                .push((arrival.origin, arrival.header.to_vec()));
            Receive::nowhere()
        };
        context.set_dispatch(TOLD, handler).unwrap();
    }
    for (from, to) in [(0, 1), (1, 0), (1, 1)] {
        let (origin, target) = (&node.contexts[from], &node.contexts[to]);
        let mut memory = vec![0xEE_u8; 1_000_000];
        // SAFETY: the memory lives until all transfers have ended.
        let region = unsafe { target.register(memory.as_mut_ptr(), memory.len()) };
        for bytes in [0, 1, 5000, CHUNK_BYTES, CHUNK_BYTES + 1, 900_000] {
            let data: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
            let log = Log::default();
            let notify = Some(Notification {
                dispatch: TOLD,
                word: bytes as u64,
            });
            let put = Put {
                notify,
                ..put(target, region, 77, &log)
            };
            // SAFETY: the data lives until the transfer has ended.
            unsafe { origin.put(put, data.as_ptr(), bytes).unwrap() };
            // It waits for the engine, not for the target.
            assert_eq!(origin.active.operations.peers(), [unit_of(origin.place, 1)]);
            node.advance_until(|| log.borrow().len() == 2 && told.borrow().len() == 1);
            assert_eq!(log.take(), [Ok(()), Ok(())]);
            assert!(memory[77..77 + bytes] == data);
            assert_eq!((memory[76], memory[77 + bytes]), (0xEE, 0xEE));
            let words = [bytes as u64, region.address + 77, bytes as u64];
            let words = words.map(u64::to_ne_bytes).as_flattened().to_vec();
            assert_eq!(told.take(), [(origin.endpoint(), words)]);
            let mut copy = vec![0_u8; bytes];
            let get = Get {
                from: target.endpoint(),
                region,
                offset: 77,
                notify: None,
                done: logged(&log),
            };
            // SAFETY: as above.
            unsafe { origin.get(get, copy.as_mut_ptr(), bytes).unwrap() };
            node.advance_until(|| log.borrow().len() == 1);
            assert_eq!(log.take(), [Ok(())]);
            assert!(copy == data);
            memory[77..77 + bytes].fill(0xEE);
        }
        assert_eq!(origin.transfers_under_way(), 0);
    }
}

#[test]
fn orders_are_carried_out_as_they_came() {
    const PUTS: u8 = 200;
    let node = Node::new();
    let [origin, target] = &node.contexts;
    let mut memory = vec![0_u8; CHUNK_BYTES * 2];
    // SAFETY: the memory lives until all transfers have ended.
    let region = unsafe { target.register(memory.as_mut_ptr(), memory.len()) };
    let (log, data): (_, Vec<Vec<u8>>) = (
        Log::default(),
        (0..PUTS)
            .map(|number| vec![number; CHUNK_BYTES * 2])
            .collect(),
    );
    for one in &data {
        // SAFETY: the data lives until the transfers have ended.
        unsafe {
            origin
                .put(put(target, region, 0, &log), one.as_ptr(), one.len())
                .unwrap();
        }
    }
    node.advance_until(|| log.borrow().len() == 2 * usize::from(PUTS));
    assert!(log.take().iter().all(Result::is_ok));
    assert!(memory.iter().all(|byte| *byte == PUTS - 1));
}

#[test]
fn what_cannot_be_moved_is_told() {
    let node = Node::new();
    let [origin, target] = &node.contexts;
    let (log, data) = (Log::default(), vec![1_u8; 3 * CHUNK_BYTES]);
    let nowhere = put(target, MemoryRegion::everything(), 8, &log);
    // SAFETY: nothing is mapped at the first page, which the kernel sees.
    unsafe { origin.put(nowhere, data.as_ptr(), data.len()).unwrap() };
    node.advance_until(|| log.borrow().len() == 2);
    assert_eq!(log.take(), [Err(TransferError::NotMapped); 2]);
    // Without its engine, a transfer is over when it is seen that the engine has gone.
    node.clients[0].close();
    let mut memory = vec![0_u8; 100];
    // SAFETY: the memory outlives the transfer.
    let region = unsafe { target.register(memory.as_mut_ptr(), memory.len()) };
    // SAFETY: as above.
    unsafe {
        let put = put(target, region, 0, &log);
        origin.put(put, data.as_ptr(), 100).unwrap();
    }
    node.advance_until(|| log.borrow().len() == 2);
    assert_eq!(log.take(), [Err(TransferError::Left); 2]);
}

#[test]
fn a_task_that_has_not_opened_the_client_yet_gets_packets() {
    let job = Job::create(&JobSpecification::unbound(2)).unwrap();
    let open = |task| Client::open_with_engine(&job, task, "late", 1).unwrap();
    let early = open(0);
    assert_eq!((early.contexts(), early.units()), (1, 2 * (1 + CONTEXTS)));
    assert!(early.endpoint(0, 1).is_err());
    let origin = early.create_context().unwrap();
    let to = early.endpoint(1, 0).unwrap();
    let (log, data, mut memory) = (Log::default(), [7_u8; 100], [0_u8; 100]);
    let late = Put {
        to,
        region: MemoryRegion::everything(),
        offset: memory.as_mut_ptr() as usize,
        notify: None,
        local: None,
        remote: logged(&log),
    };
    // SAFETY: data and memory live until the transfer has ended.
    unsafe { origin.put(late, data.as_ptr(), data.len()).unwrap() };
    let begin = Instant::now();
    let there = early.unit(to).unwrap();
    while origin.active.operations.peers() != [there] {
        assert!(begin.elapsed() < PATIENCE, "the engine does not answer");
        origin.advance().unwrap();
    }
    let late = open(1);
    let target = late.create_context().unwrap();
    // SAFETY: as above.
    unsafe { target.open_memory() };
    let (clients, contexts) = ([early, late], [origin, target]);
    let node = Node { clients, contexts };
    node.advance_until(|| log.borrow().len() == 1);
    assert_eq!((log.take(), memory), (vec![Ok(())], data));
}
