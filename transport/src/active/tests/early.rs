//! Messages that come before their dispatch id has a handler.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Log, client, job, logged, pattern, send_all};
use crate::active::Receive;
use crate::active::dispatch::Arrival;
use crate::active::send::ActiveMessage;
use crate::context::Context;

#[test]
fn what_comes_early_is_kept_for_its_handler() {
    let contexts = client(&job(false), "early", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let (log, sizes) = (Log::default(), [10, 20_000, 200_000]);
    let data = sizes.map(|bytes| pattern(1, bytes));
    for bytes in &data {
        let message = ActiveMessage {
            to: target.endpoint(),
            dispatch: 99,
            header: b"",
            local: None,
            remote: logged(&log),
        };
        send_all(origin, message, bytes);
    }
    origin
        .send_immediate(target.endpoint(), 99, b"", b"x")
        .unwrap();
    (0..1000).for_each(|_| contexts.advance());
    assert!(target.has_early_messages(99) && log.borrow().is_empty());
    let seen = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&seen);
    let handler = move |_: &Context, arrival: Arrival<'_>| {
        noted.borrow_mut().push(arrival.bytes);
        Receive::nowhere()
    };
    target.set_dispatch(99, handler).unwrap();
    assert!(seen.borrow().is_empty());
    contexts.advance_until(|| log.borrow().len() == sizes.len());
    contexts.advance_until(|| seen.borrow().len() == sizes.len() + 1);
    assert_eq!(*seen.borrow(), [10, 20_000, 200_000, 1]);
    assert!(log.borrow().iter().all(Result::is_ok) && !target.has_early_messages(99));
}

#[test]
fn what_is_too_much_to_keep_waits_in_its_lane() {
    let contexts = client(&job(false), "flood", 1, false);
    let (origin, target) = (contexts.get(0, 0), contexts.get(1, 0));
    let (data, most) = ([7; 4000], 1500_usize);
    let (mut sent, to) = (0_usize, target.endpoint());
    for _ in 0..2 * most {
        let header = sent.to_ne_bytes();
        sent += usize::from(origin.try_send_immediate(to, 99, &header, &data).unwrap());
        target.advance().unwrap();
    }
    // What is kept is bounded, so that the lane has filled.
    assert!((1000..most).contains(&sent), "{sent}");
    let next = Rc::new(RefCell::new(0_usize));
    let counted = Rc::clone(&next);
    let handler = move |_: &Context, arrival: Arrival<'_>| {
        assert_eq!(arrival.header, (*counted.borrow()).to_ne_bytes());
        assert_eq!(arrival.data, Some(&data[..]));
        *counted.borrow_mut() += 1;
        Receive::nowhere()
    };
    target.set_dispatch(99, handler).unwrap();
    contexts.advance_until(|| *next.borrow() == sent);
}
