//! Hosts on the command line: this machine only.
//!
//! What: [`check`] accepts every spelling of this machine and refuses any other host.
//! Why: scripts name hosts even for one node; starting such a job here when it asks for another
//! machine would be a silent mistake.
//! Step before: [`super::arguments`]. Step after: none; nothing but the refusal depends on it.

use std::path::Path;

use super::request::Launch;

/// A host or file of hosts that cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Another machine.
    #[error("host `{host}` is not this machine ({here}): Pamir serves the ranks of one machine")]
    Elsewhere {
        /// The host as written.
        host: String,
        /// This machine's name.
        here: String,
    },
    /// More ranks than one node shall have.
    #[error(
        "{ranks} ranks at {per_node} a node need {nodes} nodes: Pamir serves one machine, and divides it with --nodes {nodes}"
    )]
    SeveralNodes {
        /// Ranks of the job.
        ranks: usize,
        /// Ranks a node.
        per_node: usize,
        /// Nodes that would be needed.
        nodes: usize,
    },
    /// The file cannot be read.
    #[error("cannot read the host file {path}: {source}")]
    File {
        /// Its path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Refuses a job that asks for another machine.
pub fn check(launch: &Launch, here: &str) -> Result<(), HostError> {
    for host in &launch.hosts {
        check_host(host, here)?;
    }
    for path in &launch.host_files {
        check_file(path, here)?;
    }
    let most = launch.ranks().div_ceil(launch.nodes.count());
    match launch.ranks_per_node {
        Some(per_node) if per_node < most => Err(HostError::SeveralNodes {
            ranks: launch.ranks(),
            per_node,
            nodes: launch.ranks().div_ceil(per_node),
        }),
        _ => Ok(()),
    }
}

fn check_file(path: &Path, here: &str) -> Result<(), HostError> {
    let text = std::fs::read_to_string(path).map_err(|source| HostError::File {
        path: path.display().to_string(),
        source,
    })?;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        if let Some(host) = line.split_whitespace().next() {
            check_host(host, here)?;
        }
    }
    Ok(())
}

/// Accepts `name`, `name:slots` and addresses of the loopback.
/// Whether a host's name stands for this machine.
pub fn is_this_machine(host: &str) -> bool {
    let here = nix::unistd::gethostname().unwrap_or_default();
    check_host(host, &here.to_string_lossy()).is_ok()
}

fn check_host(text: &str, here: &str) -> Result<(), HostError> {
    let host = match text.rsplit_once(':') {
        Some((host, slots))
            if !host.contains(':') && slots.chars().all(|digit| digit.is_ascii_digit()) =>
        {
            host
        }
        _ => text,
    };
    let short = |name: &str| {
        name.split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let own = host.eq_ignore_ascii_case(here)
        || matches!(host.to_ascii_lowercase().as_str(), "localhost" | "localhost.localdomain")
        || host == "::1"
        || (host.starts_with("127.") && host.parse::<std::net::Ipv4Addr>().is_ok())
        // A name without a domain stands for the machine; two full names have to be equal.
        || ((!host.contains('.') || !here.contains('.')) && short(host) == short(here));
    if own {
        Ok(())
    } else {
        Err(HostError::Elsewhere {
            host: host.to_string(),
            here: here.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_in_every_spelling() {
        for host in [
            "localhost",
            "127.0.0.1",
            "127.0.1.1:4",
            "::1",
            "Node7",
            "node7:16",
        ] {
            assert!(check_host(host, "node7.site.org").is_ok(), "{host}");
        }
        assert!(check_host("node7.site.org", "node7").is_ok());
    }

    #[test]
    fn other_machines_are_refused() {
        for host in ["node8", "node7.other.org", "10.0.0.1", "node8:2"] {
            assert!(check_host(host, "node7.site.org").is_err(), "{host}");
        }
    }
}
