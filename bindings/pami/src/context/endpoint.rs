//! Endpoints as C has them: a word of 32 bits without pointers.
//!
//! Before: a client, a task and a context's offset, or a message's origin. After: a transport
//! [`Endpoint`], or the word that programs store, send and keep in shared memory.
//!
//! ```text
//! bit 0..16 task     16..24 context offset     24..32 client
//! ```

use pamir_transport::client::Client;
use pamir_transport::context::endpoint::Endpoint;

/// The word of an endpoint. Tasks are at most 1024, contexts 16, and clients 8.
#[inline(always)]
pub fn word_of(endpoint: Endpoint) -> u32 {
    let word = endpoint.word();
    let (task, context, client) = (word as u16, (word >> 32) as u8, (word >> 48) as u8);
    u32::from(task) | u32::from(context) << 16 | u32::from(client) << 24
}

/// The endpoint of a word; whether it exists is seen when it is used.
#[inline(always)]
pub fn endpoint_of(word: u32) -> Endpoint {
    let word = u64::from(word);
    Endpoint::from_word(word & 0xFFFF | (word >> 16 & 0xFF) << 32 | (word >> 24) << 48)
}

/// The words of a client's endpoints, settled when a context is made: a message of one line has no
/// time to take words apart.
#[derive(Debug)]
pub struct Words {
    /// By the number of the context among those of all tasks.
    words: Box<[u32]>,
    client: u32,
    /// Contexts in each task: the program's, and how far one task's numbers are from the next's.
    contexts: u32,
    stride: u32,
}

impl Words {
    /// Those of `client`, one of whose endpoints is `own`.
    pub fn of(client: &Client, own: Endpoint) -> Self {
        let units = client.units();
        let words = (0..units).map(|unit| word_of(client.endpoint_of(unit)));
        Self {
            words: words.collect(),
            client: word_of(own) >> 24,
            contexts: client.contexts() as u32,
            stride: (units / client.tasks()) as u32,
        }
    }

    /// The word of a context by its number.
    #[inline(always)]
    pub fn word(&self, unit: usize) -> u32 {
        self.words[unit]
    }

    /// The number of the context behind a word; that of a task which is not there is too high.
    #[inline(always)]
    pub fn unit(&self, word: u32) -> Option<usize> {
        let (task, context, client) = (word & 0xFFFF, word >> 16 & 0xFF, word >> 24);
        let own = client == self.client && context < self.contexts;
        own.then_some((task * self.stride + context) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for word in [0, 5, 1023, 0x010F_03FF, 0x0803_0001] {
            let endpoint = endpoint_of(word);
            assert_eq!(endpoint.task(), (word & 0xFFFF) as usize);
            assert_eq!(endpoint.context(), (word >> 16 & 0xFF) as usize);
            assert_eq!(word_of(endpoint), word);
        }
    }
}
