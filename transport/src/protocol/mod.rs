//! How the bytes of a message travel: the ways there are, the table that chooses, and what packets say of it.
//!
//! | protocol   | for                 | packets |
//! |------------|---------------------|---------|
//! | immediate  | what fits one packet| `EAGER` |
//! | eager      | a few packets       | `EAGER_LONG`, `CONTINUATION`... |
//! | rendezvous | everything longer, and synchronous sends | `REQUEST_TO_SEND`, then `CLEAR_TO_SEND` and `DATA`...; or `FINISHED` once the target has copied through the kernel, for ranks that share a processor |
//! | together   | what is long and lies in one piece, where no ranks share a processor | `REQUEST_TO_SEND`, then `CLEAR_TO_COPY`, both ends copying through the kernel, and `FINISHED` and `PUSHED` |
//! | striped    | rendezvous of large messages where processors are idle, or asked for | `REQUEST_TO_SEND`, then `STRIPES_CLEAR`, and each stripe as a message of its own |

//! | file | what |
//! |---|---|
//! | `table` | the protocols, and the rows that name one for a size |
//! | `route` | the one place that decides how a message goes |
//! | `profile` | the facts of a pair of tasks that decide with the row |
//! | `pace`, `trials`, `chooser` | what only measuring tells: the ways that are tried, what was learned, how trials are scheduled and compared |
//! | `explain` | why a message went so, in words |
//! | `flags`, `kind` | what packets say of it |

pub(crate) mod chooser;
pub mod completion;
pub(crate) mod explain;
pub(crate) mod flags;
pub mod kind;
pub(crate) mod pace;
pub mod profile;
pub(crate) mod route;
pub mod table;
pub(crate) mod trials;
