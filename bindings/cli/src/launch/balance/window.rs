//! Windows of time: what each rank computed, by cycles where these are seen, else by clocks.
//!
//! What: [`OpenWindow`] adds up cycles, and closes into what
//! [`pamir_transport::balance::share::controller`] decides upon.
//! Why both: a cycle says exactly what a rank computed in it; a code that never synchronises, or
//! not through calls that announce themselves, still uses processor time.
//! Step before: [`super::Balancing`] looks at the job. Step after: the controller.
//!
//! | seen | closes | work is |
//! |---|---|---|
//! | cycles that fill half of the time since the first | after 50 ms of them | their calls' processor time |
//! | at least four, but more passed between looks | after 50 ms | that of the processes |
//! | none | after a second, or three times the last cycle | that of the processes |
//!
//! Invariant: a cycle that began before the window, and so before ranks moved, is left out.

use nix::unistd::Pid;
use pamir_transport::balance::record::Call;
use pamir_transport::balance::share::controller::Window;

use super::clocks;

/// The shortest window.
const LEAST_NS: u64 = 50_000_000;

/// Without any cycle a window ends after so long.
const PERIOD_NS: u64 = 1_000_000_000;

/// So many cycles in a window, of which more passed unseen, are sampled well enough by clocks.
const MANY: u64 = 4;

/// Or after so many times the last cycle, if that is longer.
const PERIOD_CYCLES: u64 = 3;

/// A window that is not over.
#[derive(Debug)]
pub struct OpenWindow {
    began_ns: u64,
    clocks: Vec<(Pid, Option<u64>)>,
    work_ns: Vec<u64>,
    cycles: u64,
    cycles_ns: u64,
    /// When the first cycle of the window began.
    first_ns: Option<u64>,
    last_cycle_ns: u64,
}

/// When a cycle began and how long it took, in nanoseconds.
pub fn span_of(calls: &[Call]) -> Option<(u64, u64)> {
    let arrivals = calls.iter().map(|call| call.arrival);
    let started_ns = arrivals.clone().map(|arrival| arrival.started_ns).min()?;
    let called_ns = arrivals.map(|arrival| arrival.arrived_ns).max()?;
    Some((started_ns, called_ns.checked_sub(started_ns)?))
}

impl OpenWindow {
    /// A window that begins now, with these processes.
    pub fn begin(processes: &[Pid], last_cycle_ns: u64) -> Self {
        let clock = |process: &Pid| (*process, clocks::processor_ns(*process));
        Self {
            began_ns: clocks::monotonic_ns(),
            clocks: processes.iter().map(clock).collect(),
            work_ns: vec![0; processes.len()],
            cycles: 0,
            cycles_ns: 0,
            first_ns: None,
            last_cycle_ns,
        }
    }

    /// Adds a cycle.
    pub fn add(&mut self, calls: &[Call]) {
        let Some((started_ns, length_ns)) = span_of(calls) else {
            return;
        };
        self.last_cycle_ns = length_ns;
        if started_ns < self.began_ns || calls.len() != self.work_ns.len() {
            return;
        }
        for (sum, call) in self.work_ns.iter_mut().zip(calls) {
            *sum += call.busy_ns;
        }
        self.first_ns.get_or_insert(started_ns);
        self.cycles += 1;
        self.cycles_ns += length_ns;
    }

    /// How long the last cycle took, in nanoseconds; 0 before the first.
    pub fn last_cycle_ns(&self) -> u64 {
        self.last_cycle_ns
    }

    /// The window, if it is over; nothing is known of processes that are not those it began with.
    pub fn close(&self, processes: &[Pid], now_ns: u64) -> Option<Window> {
        let wall_ns = now_ns.saturating_sub(self.began_ns);
        let period_ns = PERIOD_NS.max(self.last_cycle_ns.saturating_mul(PERIOD_CYCLES));
        let since_ns = self
            .first_ns
            .map_or(u64::MAX, |first| now_ns.saturating_sub(first));
        if self.cycles_ns >= LEAST_NS && self.cycles_ns >= since_ns / 2 {
            return Some(Window {
                wall_ns: self.cycles_ns,
                work_ns: self.work_ns.clone(),
                cycles: Some(self.cycles),
            });
        }
        let many_cycles = self.cycles >= MANY && wall_ns >= LEAST_NS;
        if wall_ns < period_ns && !many_cycles {
            return None;
        }
        Some(Window {
            wall_ns,
            work_ns: self.processor_ns(processes),
            cycles: None,
        })
    }

    fn processor_ns(&self, processes: &[Pid]) -> Vec<u64> {
        let ran = |((before, start), process): (&(Pid, Option<u64>), &Pid)| {
            let start = (*start).filter(|_| before == process)?;
            // One that has ended meanwhile has nothing to do any more.
            Some(clocks::processor_ns(*process).map_or(0, |now| now.saturating_sub(start)))
        };
        let pairs = self.clocks.iter().zip(processes);
        let ran: Option<Vec<u64>> = pairs.map(ran).collect();
        ran.unwrap_or_else(|| vec![0; self.work_ns.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pamir_transport::balance::history::Arrival;

    fn cycle(started_ns: u64, times_ns: [u64; 2]) -> Vec<Call> {
        let call = |member: usize| Call {
            arrival: Arrival {
                member,
                started_ns,
                arrived_ns: started_ns + times_ns[member],
                load: 1,
            },
            busy_ns: times_ns[member] / 2,
            place: Some(0),
        };
        vec![call(0), call(1)]
    }

    #[test]
    fn cycles_make_a_window_where_they_fill_it() {
        let own = [Pid::this(); 2];
        let mut window = OpenWindow::begin(&own, 0);
        let began = window.began_ns;
        window.add(&cycle(began - 1, [10, 10]));
        // The first is short, as ranks meet for the first time: it is not judged by.
        window.add(&cycle(began + 90_000_000, [1_000_000, 2_000_000]));
        assert_eq!(window.close(&own, began + 93_000_000), None);
        window.add(&cycle(began + 92_000_000, [60_000_000, 20_000_000]));
        let closed = window.close(&own, began + 153_000_000).unwrap();
        let (work_ns, cycles) = (vec![30_500_000, 11_000_000], Some(2));
        assert_eq!(
            closed,
            Window {
                wall_ns: 62_000_000,
                work_ns,
                cycles
            }
        );
        assert_eq!(window.last_cycle_ns(), 60_000_000);
    }

    #[test]
    fn without_cycles_processor_time_counts() {
        let own = [Pid::this(); 2];
        let window = OpenWindow::begin(&own, 0);
        let before = clocks::processor_ns(own[0]).unwrap();
        while clocks::processor_ns(own[0]).unwrap() < before + 1_000_000 {
            std::hint::spin_loop();
        }
        assert_eq!(window.close(&own, window.began_ns + PERIOD_NS - 1), None);
        let closed = window.close(&own, window.began_ns + PERIOD_NS).unwrap();
        assert!(closed.cycles.is_none() && closed.work_ns.iter().all(|ns| *ns >= 1_000_000));
        // Another process came in between: its time says nothing of the window.
        let other = [Pid::this(), Pid::parent()];
        let closed = window.close(&other, window.began_ns + PERIOD_NS).unwrap();
        assert_eq!(closed.work_ns, [0, 0]);
    }

    #[test]
    fn long_cycles_are_waited_for() {
        let own = [Pid::this(); 2];
        let window = OpenWindow::begin(&own, PERIOD_NS);
        assert_eq!(window.close(&own, window.began_ns + 2 * PERIOD_NS), None);
        assert!(
            window
                .close(&own, window.began_ns + 3 * PERIOD_NS)
                .is_some()
        );
    }
}
