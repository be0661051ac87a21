//! The performance profiler: the same job in the default order and by the mapping.
//!
//! What: `mpiexec -n RANKS COMMAND` and `mpiexec -n RANKS --map-by file:MAPPING COMMAND` in turn,
//! several times; medians of the times, and by how much the mapping improves them. Where the program
//! prints a rate of its own, such as `1234.5 Mflop/s`, the same of its rates.
//! Why in turn: what else the machine does meets both.
//! Step before: a mapping. Step after: lines of the report.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::error::PlaceError;

/// Runs of each kind.
const RUNS: usize = 5;

/// What one run has shown.
#[derive(Debug, Clone, Copy)]
struct Run {
    seconds: f64,
    /// What the program says of itself.
    rate: Option<f64>,
}

/// Runs of both kinds.
#[derive(Debug, Default)]
pub struct Comparison {
    default_order: Vec<Run>,
    mapped: Vec<Run>,
    /// The unit of the rates, if there are any.
    unit: Option<String>,
}

/// Runs the command both ways; `unit` is what stands behind the rate in its output.
pub fn compare(
    ranks: usize,
    mapping: &Path,
    command: &[OsString],
    unit: Option<&str>,
) -> Result<Comparison, PlaceError> {
    let mut comparison = Comparison {
        unit: unit.map(str::to_string),
        ..Comparison::default()
    };
    let mut by_file = OsString::from("file:");
    by_file.push(mapping);
    let mapped = ["--map-by".into(), by_file];
    for _ in 0..RUNS {
        let before = run(ranks, &[], command, unit)?;
        let after = run(ranks, &mapped, command, unit)?;
        comparison.default_order.push(before);
        comparison.mapped.push(after);
    }
    Ok(comparison)
}

fn run(
    ranks: usize,
    options: &[OsString],
    command: &[OsString],
    unit: Option<&str>,
) -> Result<Run, PlaceError> {
    let failed = |reason: String| PlaceError::Usage(format!("--try: {reason}"));
    let own = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut job = Command::new(own.with_file_name("mpiexec"));
    job.args(["-n", &ranks.to_string()])
        .args(options)
        .args(command);
    job.stdin(Stdio::null()).stderr(Stdio::inherit());
    let begin = Instant::now();
    let output = job
        .output()
        .map_err(|error| failed(format!("mpiexec: {error}")))?;
    let seconds = begin.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(failed(format!(
            "the job ended with {}: run it by itself first",
            output.status
        )));
    }
    let Some(unit) = unit else {
        return Ok(Run {
            seconds,
            rate: None,
        });
    };
    let rate = rate_in(&String::from_utf8_lossy(&output.stdout), unit);
    let rate = rate.ok_or_else(|| {
        failed(format!(
            "the command printed no number above 0 before {unit:?}: --rate takes what stands behind \
             its rate"
        ))
    })?;
    Ok(Run {
        seconds,
        rate: Some(rate),
    })
}

/// The last number right before the unit.
fn rate_in(output: &str, unit: &str) -> Option<f64> {
    let before = output.rmatch_indices(unit).map(|(at, _)| &output[..at]);
    let mut numbers = before.filter_map(|text| {
        let word = text.split_whitespace().next_back()?;
        word.parse().ok().filter(|rate: &f64| *rate > 0.0)
    });
    numbers.next()
}

impl Comparison {
    /// Lines for the report.
    pub fn to_text(&self) -> String {
        let seconds = |runs: &[Run]| median(runs.iter().map(|run| run.seconds));
        let (before, after) = (seconds(&self.default_order), seconds(&self.mapped));
        let improvement = (before - after) / before * 100.0;
        let mut text = format!(
            "time before   {before:.4} s (default order, median of {RUNS} runs)\n\
             time after    {after:.4} s\n\
             improvement   {improvement:.1} % of the time\n"
        );
        if let Some(unit) = &self.unit {
            let rate = |runs: &[Run]| median(runs.iter().filter_map(|run| run.rate));
            let (before, after) = (rate(&self.default_order), rate(&self.mapped));
            let improvement = (after - before) / before * 100.0;
            text.push_str(&format!(
                "rate before   {before} {unit} (as the program says)\n\
                 rate after    {after} {unit}\n\
                 improvement   {improvement:.1} % of the rate\n"
            ));
        }
        text
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(seconds: [f64; 3], rates: [f64; 3]) -> Vec<Run> {
        let runs = seconds.into_iter().zip(rates);
        runs.map(|(seconds, rate)| Run {
            seconds,
            rate: Some(rate),
        })
        .collect()
    }

    #[test]
    fn the_improvement_is_that_of_medians() {
        let comparison = Comparison {
            default_order: runs([9.0, 2.0, 2.0], [100.0, 1.0, 200.0]),
            mapped: runs([0.5, 1.0, 7.0], [150.0, 150.0, 1.0]),
            unit: Some("Mflop/s".to_string()),
        };
        let text = comparison.to_text();
        assert!(text.contains("time before   2.0000 s"), "{text}");
        assert!(text.contains("improvement   50.0 % of the time"), "{text}");
        assert!(text.contains("rate before   100 Mflop/s"), "{text}");
        assert!(text.contains("improvement   50.0 % of the rate"), "{text}");
    }

    #[test]
    fn the_last_rate_of_the_output_counts() {
        let output = "warm-up 3.5 Mflop/s\nrank 0: 1.25e3 Mflop/s in 2 s\nin Mflop/s\n";
        assert_eq!(rate_in(output, "Mflop/s"), Some(1250.0));
        assert_eq!(rate_in(output, "GB/s"), None);
        assert_eq!(rate_in("0 GB/s", "GB/s"), None);
    }
}
