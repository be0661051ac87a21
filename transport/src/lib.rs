//! Active messages, protocols, tagged messages and collectives over the messaging unit.

pub mod collective;
