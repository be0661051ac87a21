//! Low power while a rank waits: decided ahead, and left ahead.
//!
//! Before: a rank has called a synchronisation in which, as the last ones show, it will wait for
//! long. After: it has slept with a low clamp ([`FrequencyHint`]) until shortly before the wait is
//! foreseen to end, and its core is as fast as before when the last one calls.
//!
//! ```text
//! called   clamp ─▶ asleep ────────────────────▶ clamp as before ─▶ the usual wait   last call
//!    ├─────────────────── spare ────────────────┤      margin                            │
//! ```
//!
//! | foreseen | what is done |
//! |---|---|
//! | spare less than [`LONG_WAIT_NS`] | no clamp: a governor takes about that long to follow |
//! | spare [`LONG_WAIT_NS`] or more | low until that is over, or the synchronisation ends |
//!
//! The kernel keeps the clamp of the task that left a core last while that core is idle; the work that the rank
//! did before it slept does not keep the frequency up. Invariant: the clamp is as before when this
//! returns, also with an error.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use pamir_driver::unit::UnitError;
use pamir_driver::waiting::clock::Clock;
use pamir_driver::waiting::frequency_hint::{Clamps, FrequencyHint};
use pamir_driver::waiting::ladder::LONG_WAIT_NS;
use pamir_transport::context::Context;

/// How a wait in low power went.
#[derive(Debug, PartialEq, Eq)]
pub enum Waited<T> {
    /// The synchronisation has ended.
    Ended(T),
    /// It will soon: wait as usual.
    Awake,
    /// There was no low power: too little is spare, or the kernel has no clamps.
    Refused,
}

/// Sleeps with a low clamp while `future` is pending, until `until_ns` on the monotonic clock.
///
/// # Errors
///
/// [`UnitError`] if the context could not advance.
pub fn wait<F: Future, C: Clamps>(
    context: &Context,
    hint: &FrequencyHint<C>,
    until_ns: u64,
    mut future: Pin<&mut F>,
) -> Result<Waited<F::Output>, UnitError> {
    if left_ns(until_ns) < LONG_WAIT_NS {
        return Ok(Waited::Refused);
    }
    let Some(_lowered) = hint.lower() else {
        return Ok(Waited::Refused);
    };
    let mut output = None;
    loop {
        if is_ready(future.as_mut(), &mut output) {
            break;
        }
        if context.advance()? {
            continue;
        }
        let left_ns = left_ns(until_ns);
        if left_ns == 0 {
            return Ok(Waited::Awake);
        }
        // Posts on a board are no packets: the future looks for them before the rank sleeps.
        context.rest(left_ns, || is_ready(future.as_mut(), &mut output))?;
        if output.is_some() {
            break;
        }
    }
    Ok(output.map_or(Waited::Awake, Waited::Ended))
}

fn left_ns(until_ns: u64) -> u64 {
    until_ns.saturating_sub(Clock::Monotonic.now_ns())
}

/// Polls; what the future came to is kept, since it must not be asked again.
fn is_ready<F: Future>(future: Pin<&mut F>, output: &mut Option<F::Output>) -> bool {
    let mut task = TaskContext::from_waker(Waker::noop());
    if let Poll::Ready(ready) = future.poll(&mut task) {
        *output = Some(ready);
    }
    output.is_some()
}
