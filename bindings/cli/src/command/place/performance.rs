//! The performance profiler: the same job in the default order and by the mapping.
//!
//! What: `mpiexec -n RANKS COMMAND` and `mpiexec -n RANKS --map-by file:MAPPING COMMAND` in turn,
//! several times; medians of the times, and by how much the mapping improves them.
//! Why in turn: what else the machine does meets both.
//! Step before: a mapping. Step after: lines of the report.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::PlaceError;

/// Runs of each kind.
const RUNS: usize = 5;

/// Times of both kinds, in seconds.
#[derive(Debug, Default)]
pub struct Times {
    default_order: Vec<f64>,
    mapped: Vec<f64>,
}

/// Runs the command both ways.
pub fn compare(ranks: usize, mapping: &Path, command: &[OsString]) -> Result<Times, PlaceError> {
    let mut times = Times::default();
    let mut by_file = OsString::from("file:");
    by_file.push(mapping);
    for _ in 0..RUNS {
        times.default_order.push(time(ranks, &[], command)?);
        times
            .mapped
            .push(time(ranks, &["--map-by".into(), by_file.clone()], command)?);
    }
    Ok(times)
}

fn time(ranks: usize, options: &[OsString], command: &[OsString]) -> Result<f64, PlaceError> {
    let failed = |reason: String| PlaceError::Usage(format!("--try: {reason}"));
    let own = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut job = Command::new(own.with_file_name("mpiexec"));
    job.args(["-n", &ranks.to_string()])
        .args(options)
        .args(command);
    job.stdin(Stdio::null()).stdout(Stdio::null());
    let begin = Instant::now();
    let status = job
        .status()
        .map_err(|error| failed(format!("mpiexec: {error}")))?;
    if !status.success() {
        return Err(failed(format!(
            "the job ended with {status}: run it by itself first"
        )));
    }
    Ok(begin.elapsed().as_secs_f64())
}

impl Times {
    /// Lines for the report.
    pub fn to_text(&self) -> String {
        let (before, after) = (median(&self.default_order), median(&self.mapped));
        let improvement = (before - after) / before * 100.0;
        format!(
            "time before   {before:.4} s (default order, median of {RUNS} runs)\n\
             time after    {after:.4} s\n\
             rate          {:.2} to {:.2} runs a second\n\
             improvement   {improvement:.1} % of the time\n",
            1.0 / before,
            1.0 / after
        )
    }
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_improvement_is_that_of_medians() {
        let times = Times {
            default_order: vec![9.0, 2.0, 2.0],
            mapped: vec![0.5, 1.0, 7.0],
        };
        let text = times.to_text();
        assert!(text.contains("time before   2.0000 s"), "{text}");
        assert!(text.contains("rate          0.50 to 1.00"), "{text}");
        assert!(text.contains("improvement   50.0 %"), "{text}");
    }
}
