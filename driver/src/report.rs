//! What a unit's injection FIFOs and the process's interrupts have done, for `PAMIR_DRIVER_REPORT`.
//!
//! Before: a context leaves its job. After: on standard error a line for each injection FIFO that
//! was used, and one for the engine thread, if there is one.

use crate::engine_thread::delivery_statistics;
use crate::injection::InjectionStatistics;
use crate::unit::{MessagingUnit, Owner};

/// Prints the report of `unit` if the environment asks for it.
pub fn print<O: Owner>(unit: &MessagingUnit<O>) {
    if pamir_settings::DRIVER_REPORT.value() {
        lines(unit).iter().for_each(|line| eprintln!("{line}"));
    }
}

fn lines<O: Owner>(unit: &MessagingUnit<O>) -> Vec<String> {
    let rank = unit.rank();
    let configuration = unit.injection();
    let mut lines = Vec::new();
    for target in 0..unit.ranks() {
        let statistics = unit.injection_statistics(target);
        if statistics.direct + statistics.pended > 0 {
            lines.push(format!(
                "pamir: rank {rank}: injection FIFO to {target} ({} slots, {}{}): {}",
                configuration.slots(),
                configuration.criterion(),
                unit.touches(),
                words(&statistics)
            ));
        }
    }
    let served = unit.served();
    if served.interrupts > 0 {
        lines.push(format!(
            "pamir: rank {rank}: {} descriptors moved by {} interrupts while the program was elsewhere",
            served.descriptors, served.interrupts
        ));
    }
    let of = unit.counters().statistics();
    if of.hits + of.shared > 0 {
        lines.push(format!(
            "pamir: rank {rank}: {} descriptors complete by {} looks at the counter status register, {} by the shared counter",
            of.hits, of.looks, of.shared
        ));
    }
    if let Some(of) = delivery_statistics() {
        lines.push(format!(
            "pamir: rank {rank}: engine thread woken through {} by {} signals, {} doorbells, {} timers",
            of.delivery, of.signals, of.doorbells, of.timers
        ));
    }
    lines
}

fn words(of: &InjectionStatistics) -> String {
    format!(
        "{} into slots, {} pended, at most {} at once; {} interrupts replenished {}",
        of.direct, of.pended, of.most_pending, of.interrupts, of.replenished
    )
}
