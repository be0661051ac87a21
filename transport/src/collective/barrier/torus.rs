//! Barrier in a torus: along one dimension after another, neighbours tell each other how far they
//! have come.
//!
//! After s steps in a line a member has heard of all that are s places away, each way; after half
//! the line, of all of it; and what the last of a line says stands for all lines before.
//!
//! | rounds | messages | bytes |
//! |---|---|---|
//! | sum of k / 2, k the sizes of the dimensions | twice that; 1 where k is 2 | 0 |

use crate::collective::data::root::{above, below};
use crate::collective::error::CollectiveError;
use crate::collective::exchange::Exchange;
use crate::collective::exchange::join::join;
use crate::collective::exchange::step::send_receive;
use crate::collective::shape::torus_line::Line;

/// Holds this member until all have come.
pub async fn torus(exchange: &impl Exchange) -> Result<(), CollectiveError> {
    let torus = exchange.torus();
    for dimension in 0..torus.sizes().len() {
        along(&Line::through(exchange, &torus, dimension)).await?;
    }
    Ok(())
}

/// Holds this member until all of its line have come.
async fn along(line: &impl Exchange) -> Result<(), CollectiveError> {
    let (place, size) = (line.rank(), line.size());
    let (next, previous) = (above(place, 1, size), below(place, 1, size));
    for _ in 0..size / 2 {
        let up = send_receive(line, next, &[], previous, &mut []);
        if next == previous {
            up.await?;
        } else {
            join(up, send_receive(line, previous, &[], next, &mut [])).await?;
        }
    }
    Ok(())
}
