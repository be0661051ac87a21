//! Fences, closed endpoints, all of a task's memory, memory that the kernel does not copy, and
//! integers modified there.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use pamir_driver::job::process_name;

use super::*;
use crate::active::Way;
use crate::one_sided::read_modify_write::{Modification, ReadModifyWrite, Width};

/// A fence, and whether it has ended.
fn fence(context: &Context, contexts: &Contexts, whole: bool) -> Log {
    let log = Log::default();
    let target = whole.then(|| contexts.get(1, 0).endpoint());
    context.fence(target, logged(&log).unwrap()).unwrap();
    log
}

#[test]
fn a_fence_waits_for_everything_before_it() {
    for (oversubscribed, kernel_refuses) in [(false, false), (true, false), (true, true)] {
        let contexts = client(&job(oversubscribed), "fence", 1, kernel_refuses);
        let inbox = collect(contexts.get(1, 0));
        let origin = contexts.get(0, 0);
        let to = contexts.get(1, 0).endpoint();
        let data = pattern(1, 700_000);
        let mut memory = vec![0; 700_000];
        let region = region(contexts.get(1, 0), &mut memory);
        for round in 1..4 {
            for bytes in SIZES {
                let message = ActiveMessage {
                    to,
                    dispatch: INTO,
                    header: &[],
                    local: None,
                    remote: None,
                };
                // SAFETY: the data lives until the fence has ended.
                unsafe { origin.send_active(message, data.as_ptr(), bytes).unwrap() };
            }
            let put = Put {
                to,
                region,
                offset: 0,
                notify: None,
                local: None,
                remote: None,
            };
            // SAFETY: as above; the region stays.
            unsafe { origin.put(put, data.as_ptr(), data.len()).unwrap() };
            // Two fences at once: the second one waits for what the first one waits for.
            let first = fence(origin, &contexts, round % 2 == 0);
            let second = fence(origin, &contexts, round % 2 == 1);
            assert!(first.borrow().is_empty() && second.borrow().is_empty());
            contexts.advance_until(|| !second.borrow().is_empty());
            assert_eq!(inbox.borrow().len(), round * SIZES.len());
            assert_eq!((memory.as_slice(), first.borrow().len()), (&data[..], 1));
            memory.fill(0);
        }
        assert_eq!(origin.transfers_under_way(), 0);
    }
}

#[test]
fn a_fence_asks_only_those_that_were_used() {
    // The target never advances, and nothing was sent to it.
    let contexts = client(&job(false), "idle", 2, false);
    let log = fence(contexts.get(0, 0), &contexts, false);
    contexts.get(0, 0).advance().unwrap();
    assert_eq!(*log.borrow(), [Ok(())]);
    // One that has left answers nothing, and the fence says so.
    let origin = contexts.get(0, 0);
    let to = contexts.get(1, 0).endpoint();
    origin.send_immediate(to, INTO, b"", b"unread").unwrap();
    contexts.get(1, 0).leave().unwrap();
    let log = fence(origin, &contexts, true);
    origin.advance().unwrap();
    assert_eq!(*log.borrow(), [Err(TransferError::Left)]);
}

#[test]
fn a_closed_endpoint_refuses_until_it_is_opened() {
    let contexts = client(&job(false), "closed", 1, false);
    let inbox = collect(contexts.get(1, 0));
    let origin = contexts.get(0, 0);
    let to = contexts.get(1, 0).endpoint();
    let log = Log::default();
    let message = ActiveMessage {
        to,
        dispatch: INTO,
        header: &[],
        local: None,
        remote: logged(&log),
    };
    // SAFETY: it has no data.
    unsafe { origin.send_active(message, std::ptr::null(), 0).unwrap() };
    let busy = origin.close_endpoint(to);
    assert!(matches!(busy, Err(ActiveError::Busy { transfers: 1, .. })));
    contexts.advance_until(|| !log.borrow().is_empty());
    origin.close_endpoint(to).unwrap();
    let refused = origin.send_immediate(to, INTO, b"", b"");
    assert!(matches!(refused, Err(ActiveError::Closed { .. })));
    origin.reopen_endpoint(to).unwrap();
    origin.send_immediate(to, INTO, b"", b"again").unwrap();
    contexts.advance_until(|| inbox.borrow().len() == 2);
}

#[test]
fn the_way_of_the_last_line_is_known_until_something_changes() {
    let contexts = client(&job(false), "way", 1, false);
    let inbox = collect(contexts.get(1, 0));
    let origin = contexts.get(0, 0);
    let to = contexts.get(1, 0).endpoint();
    let target = origin.unit_of(to).unwrap();
    open_lane(&contexts, &inbox);
    let way = |dispatch| Way {
        endpoint: 7,
        dispatch: usize::from(dispatch),
    };
    let known = way(INTO);
    let parts = [(b"h".as_ptr(), 1), (b"line".as_ptr(), 4)];
    // SAFETY: the parts are static.
    let again = |way| unsafe { origin.send_again(way, parts) };
    // SAFETY: as above.
    let anew = |way| unsafe { origin.send_at_once(target, way, parts) };
    assert!(!again(known), "no way is known");
    assert!(anew(known) && again(known));
    assert!(
        !again(way(INTO + 1))
            && !again(Way {
                endpoint: 8,
                ..known
            })
    );
    // A fence has to learn that its target was used since.
    let log = fence(origin, &contexts, true);
    assert!(!again(known) && anew(known) && again(known));
    contexts.advance_until(|| !log.borrow().is_empty());
    origin.close_endpoint(to).unwrap();
    assert!(!again(known) && !anew(known));
    origin.reopen_endpoint(to).unwrap();
    assert!(!again(known) && anew(known));
    origin.count_traffic();
    assert!(
        !again(known) && !anew(known),
        "what is counted goes the general way"
    );
    contexts.advance_until(|| inbox.borrow().len() == 5);
}

#[test]
fn all_memory_is_reached_once_it_is_open() {
    for kernel_refuses in [false, true] {
        let contexts = client(&job(false), "everything", 1, kernel_refuses);
        let origin = contexts.get(0, 0);
        let mut memory = vec![0_u8; 100];
        let put = |address: usize| {
            let log = Log::default();
            let put = Put {
                to: contexts.get(1, 0).endpoint(),
                region: MemoryRegion::everything(),
                offset: address,
                notify: None,
                local: None,
                remote: logged(&log),
            };
            // SAFETY: the data is static, and the target's memory is this test's.
            unsafe { origin.put(put, b"found".as_ptr(), 5).unwrap() };
            contexts.advance_until(|| !log.borrow().is_empty());
            log.borrow()[0]
        };
        if kernel_refuses {
            assert_eq!(
                put(memory.as_ptr() as usize),
                Err(TransferError::OutsideRegion)
            );
            // SAFETY: this test puts to its own vector only.
            unsafe { contexts.get(1, 0).open_memory() };
            assert_eq!(put(0), Err(TransferError::OutsideRegion));
            assert_eq!(put(64), Err(TransferError::NotMapped));
        } else {
            assert_eq!(put(64), Err(TransferError::NotMapped));
        }
        assert_eq!(put(memory.as_mut_ptr() as usize), Ok(()));
        assert_eq!(&memory[..5], b"found");
    }
}

#[test]
fn what_the_kernel_does_not_copy_comes_in_packets() {
    let contexts = client(&job(true), "unreadable", 1, false);
    let job = contexts.get(1, 0).unit.job();
    let block = job.segment().get(job.layout().rank_block(0)).unwrap();
    // No process has this number here.
    let nobody = process_name::own() | i32::MAX as u64;
    block.status.process.store(nobody, Ordering::Relaxed);
    let (inbox, data) = (collect(contexts.get(1, 0)), pattern(3, 200_000));
    let message = ActiveMessage {
        to: contexts.get(1, 0).endpoint(),
        dispatch: INTO,
        header: b"",
        local: None,
        remote: None,
    };
    // SAFETY: the data lives until the message has arrived.
    unsafe {
        let origin = contexts.get(0, 0);
        origin
            .send_active(message, data.as_ptr(), data.len())
            .unwrap();
    }
    contexts.advance_until(|| !inbox.borrow().is_empty());
    assert!(contexts.get(1, 0).kernel_refuses.get());
    assert!(inbox.borrow()[0].2 == data);
}

#[test]
fn integers_are_modified_by_many_contexts() {
    let contexts = client(&job(false), "integers", 3, false);
    let mut memory = vec![0_u64; 2];
    let region = region(contexts.get(1, 0), bytes_of(&mut memory));
    let sum = Rc::new(Cell::new(0));
    let count = Rc::new(Cell::new(0));
    let add = |origin: &Context, target: usize, value: u64| {
        let (sum, count) = (Rc::clone(&sum), Rc::clone(&count));
        let instruction = ReadModifyWrite {
            to: contexts.get(1, target).endpoint(),
            region,
            offset: 8,
            width: Width::Eight,
            compared: None,
            modification: Modification::Add,
            value,
            done: Some(Box::new(move |_, before| {
                sum.set(sum.get() + before.unwrap());
                count.set(count.get() + 1);
            })),
        };
        origin.read_modify_write(instruction).unwrap();
    };
    for round in 0..100 {
        for offset in 0..3 {
            add(contexts.get(0, offset), (offset + round) % 3, 1);
        }
        contexts.advance();
    }
    contexts.advance_until(|| count.get() == 300);
    // Everybody has seen another number.
    assert_eq!((memory[1], sum.get()), (300, 299 * 300 / 2));
}

fn bytes_of(words: &mut [u64]) -> &mut [u8] {
    let (address, bytes) = (words.as_mut_ptr().cast(), size_of_val(words));
    // SAFETY: the same memory, whose every byte may be anything.
    unsafe { std::slice::from_raw_parts_mut(address, bytes) }
}

#[test]
fn integers_elsewhere_are_refused() {
    let contexts = client(&job(false), "elsewhere", 1, false);
    let mut memory = vec![0_u64; 2];
    let region = region(contexts.get(1, 0), bytes_of(&mut memory));
    let outcomes = Rc::new(RefCell::new(Vec::new()));
    let ask = |region: MemoryRegion, offset: usize| {
        let log = Rc::clone(&outcomes);
        let instruction = ReadModifyWrite {
            to: contexts.get(1, 0).endpoint(),
            region,
            offset,
            width: Width::Eight,
            compared: Some(0),
            modification: Modification::Set,
            value: 5,
            done: Some(Box::new(move |_, before| log.borrow_mut().push(before))),
        };
        contexts.get(0, 0).read_modify_write(instruction).unwrap();
        let expected = outcomes.borrow().len();
        contexts.advance_until(|| outcomes.borrow().len() >= expected.max(1));
    };
    // Cut by a word's end, behind the region, and no longer registered.
    ask(region, 4);
    ask(region, 16);
    assert!(contexts.get(1, 0).deregister(&region));
    ask(region, 8);
    contexts.advance_until(|| outcomes.borrow().len() == 3);
    assert_eq!(*outcomes.borrow(), [Err(TransferError::OutsideRegion); 3]);
    assert_eq!(memory, [0, 0]);
    assert_eq!(contexts.get(0, 0).transfers_under_way(), 0);
}
