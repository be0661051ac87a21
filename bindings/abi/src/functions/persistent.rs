//! Persistent point-to-point requests.
