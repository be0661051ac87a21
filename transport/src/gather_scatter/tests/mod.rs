//! Random programs against a naive expansion, bit by bit; the worked numbers; the dummy
//! machine's cost.

mod oracle;
mod properties;
mod worked;
