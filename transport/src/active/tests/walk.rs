//! The document's way of a put, step by step: posted, advanced, a descriptor in the injection FIFO,
//! the engine, the target's memory, its reception FIFO, and its advance that tells.

use super::*;
use crate::context::work_queue::Progress;

#[test]
fn a_put_walks_from_its_post_to_the_targets_advance() {
    let contexts = client(&job(false), "walk", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let told = Rc::new(RefCell::new(Vec::new()));
    let seen = Rc::clone(&told);
    let handler = move |_: &Context, arrival: super::super::dispatch::Arrival<'_>| {
        seen.borrow_mut().push(arrival.header.to_vec());
        Receive::nowhere()
    };
    target.set_dispatch(PUT, handler).unwrap();
    let inbox = collect(target);
    let mut memory = vec![0_u8; 10_000];
    let (region, to, data) = (
        region(target, &mut memory),
        target.endpoint(),
        pattern(5, 10_000),
    );

    // The way to the target is full, and one message waits: nothing may overtake it.
    let mut before = 0;
    while origin
        .try_send_immediate(to, INTO, b"", &[3; 1000])
        .unwrap()
    {
        before += 1;
    }
    origin.send_immediate(to, INTO, b"", &[3; 1000]).unwrap();
    before += 1;
    let waiting = origin.unit.backlog_to(1);

    // Post: nothing moves.
    let source = data.as_ptr().addr();
    let work = move |context: &Context| {
        let notify = Notification {
            dispatch: PUT,
            word: 42,
        };
        let put = Put {
            to,
            region,
            offset: 0,
            notify: Some(notify),
            local: None,
            remote: None,
        };
        // SAFETY: the test keeps data and memory.
        unsafe {
            let source = std::ptr::with_exposed_provenance(source);
            context.put(put, source, 10_000).unwrap();
        }
        Progress::Done
    };
    data.as_ptr().expose_provenance();
    origin.work_queue().unwrap().post(work);
    assert_eq!((origin.unit.backlog_to(1), memory[0]), (waiting, 0));

    // The origin's advance finds the instruction: a descriptor is in the injection FIFO.
    origin.advance().unwrap();
    assert_eq!(origin.unit.backlog_to(1), waiting + 1);
    assert!(memory.iter().all(|byte| *byte == 0) && told.borrow().is_empty());

    // The target makes room; the engine moves the data, and only then a descriptor is behind it
    // in the reception FIFO. The target is told by its own advance.
    // The engine writes behind the compiler's back.
    let moved = || *std::hint::black_box(&memory) == data;
    while !moved() {
        assert!(told.borrow().is_empty(), "told before the data is there");
        target.advance().unwrap();
        assert!(told.borrow().is_empty(), "told before the data is there");
        origin.advance().unwrap();
    }
    contexts.advance_until(|| !told.borrow().is_empty());
    let header = [42, region.address, 10_000].map(u64::to_ne_bytes);
    assert_eq!(*told.borrow(), [header.as_flattened().to_vec()]);
    assert_eq!(
        (inbox.borrow().len(), origin.unit.backlog_to(1)),
        (before, 0)
    );
    assert_eq!(origin.transfers_under_way(), 0);
}
