//! Info objects: ordered stores of string keys and values (MPI-5.0 chapter 10).
//!
//! Keys keep the place they were first set at, as `MPI_Info_get_nthkey` shows
//! it. Strings are bytes, as C has them; the limits on their lengths belong to
//! the interface above, and are given when a store is made. Both count bytes
//! without C's terminating zero.
//!
//! Info objects hold a handful of keys, so a look-up walks the list.

/// The lengths that an interface allows, in bytes without a terminating zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoLimits {
    /// Of a key (`MPI_MAX_INFO_KEY` less the zero).
    pub key_bytes: usize,
    /// Of a value (`MPI_MAX_INFO_VAL` less the zero).
    pub value_bytes: usize,
}

impl Default for InfoLimits {
    /// 255 and 1024 bytes.
    fn default() -> Self {
        Self {
            key_bytes: 255,
            value_bytes: 1024,
        }
    }
}

/// Why an info object refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InfoError {
    /// An empty key (`MPI_ERR_INFO_KEY`).
    #[error("an info key is empty: pass at least one character")]
    EmptyKey,
    /// A key that is too long (`MPI_ERR_INFO_KEY`).
    #[error("an info key of {bytes} bytes is too long: pass at most {most_bytes}")]
    KeyTooLong {
        /// Its length.
        bytes: usize,
        /// The greatest length allowed.
        most_bytes: usize,
    },
    /// A value that is too long (`MPI_ERR_INFO_VALUE`).
    #[error("an info value of {bytes} bytes is too long: pass at most {most_bytes}")]
    ValueTooLong {
        /// Its length.
        bytes: usize,
        /// The greatest length allowed.
        most_bytes: usize,
    },
    /// A key to be deleted that is not there (`MPI_ERR_INFO_NOKEY`).
    #[error("info key {key:?} is not set: ask with MPI_Info_get_string before deleting")]
    NoSuchKey {
        /// The key.
        key: String,
    },
    /// An index behind the last key (`MPI_ERR_ARG`).
    #[error("info key {index} does not exist: there are {keys}")]
    NoSuchIndex {
        /// The index passed.
        index: usize,
        /// How many keys there are.
        keys: usize,
    },
}

/// A key and its value.
type Entry = (Box<[u8]>, Box<[u8]>);

/// An ordered store of keys and values. A clone is independent (`MPI_Info_dup`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    limits: InfoLimits,
    entries: Vec<Entry>,
}

impl Info {
    /// An empty store.
    pub const fn new(limits: InfoLimits) -> Self {
        Self {
            limits,
            entries: Vec::new(),
        }
    }

    fn checked<'k>(&self, key: &'k [u8]) -> Result<&'k [u8], InfoError> {
        let most_bytes = self.limits.key_bytes;
        match key.len() {
            0 => Err(InfoError::EmptyKey),
            bytes if bytes > most_bytes => Err(InfoError::KeyTooLong { bytes, most_bytes }),
            _ => Ok(key),
        }
    }

    fn position(&self, key: &[u8]) -> Option<usize> {
        self.entries.iter().position(|(k, _)| **k == *key)
    }

    /// Sets a value, at the end or in place of the one the key has (`MPI_Info_set`).
    ///
    /// # Errors
    ///
    /// [`InfoError::EmptyKey`], [`InfoError::KeyTooLong`], [`InfoError::ValueTooLong`].
    pub fn set(&mut self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), InfoError> {
        let (key, value) = (self.checked(key.as_ref())?, value.as_ref());
        let (bytes, most_bytes) = (value.len(), self.limits.value_bytes);
        if bytes > most_bytes {
            return Err(InfoError::ValueTooLong { bytes, most_bytes });
        }
        match self.position(key) {
            Some(place) => self.entries[place].1 = value.into(),
            None => self.entries.push((key.into(), value.into())),
        }
        Ok(())
    }

    /// Removes a key (`MPI_Info_delete`).
    ///
    /// # Errors
    ///
    /// [`InfoError::EmptyKey`], [`InfoError::KeyTooLong`], [`InfoError::NoSuchKey`].
    pub fn delete(&mut self, key: impl AsRef<[u8]>) -> Result<(), InfoError> {
        let key = self.checked(key.as_ref())?;
        let place = self.position(key).ok_or_else(|| InfoError::NoSuchKey {
            key: String::from_utf8_lossy(key).into_owned(),
        })?;
        self.entries.remove(place);
        Ok(())
    }

    /// The value of a key (`MPI_Info_get_string`); its length is
    /// `MPI_Info_get_valuelen`'s. `None` where the key is not set.
    ///
    /// # Errors
    ///
    /// [`InfoError::EmptyKey`], [`InfoError::KeyTooLong`].
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<&[u8]>, InfoError> {
        let key = self.checked(key.as_ref())?;
        Ok(self.position(key).map(|place| &*self.entries[place].1))
    }

    /// As much of a key's value as `room_bytes` hold, and the whole length; `None`
    /// where the key is not set.
    ///
    /// # Errors
    ///
    /// [`InfoError::EmptyKey`], [`InfoError::KeyTooLong`].
    pub fn get_at_most(
        &self,
        key: impl AsRef<[u8]>,
        room_bytes: usize,
    ) -> Result<Option<(&[u8], usize)>, InfoError> {
        let value = self.get(key)?;
        Ok(value.map(|value| (&value[..value.len().min(room_bytes)], value.len())))
    }

    /// How many keys are set (`MPI_Info_get_nkeys`).
    pub fn key_count(&self) -> usize {
        self.entries.len()
    }

    /// The key at an index, in the order of setting (`MPI_Info_get_nthkey`).
    ///
    /// # Errors
    ///
    /// [`InfoError::NoSuchIndex`].
    pub fn nth_key(&self, index: usize) -> Result<&[u8], InfoError> {
        let keys = self.entries.len();
        let entry = self
            .entries
            .get(index)
            .ok_or(InfoError::NoSuchIndex { index, keys })?;
        Ok(&entry.0)
    }

    /// Keys and values, in the order of setting.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (&**key, &**value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_place_they_were_first_set_at() {
        let mut info = Info::default();
        for (key, value) in [("a", "1"), ("b", "2"), ("c", "3"), ("a", "4")] {
            info.set(key, value).unwrap();
        }
        info.delete("b").unwrap();
        info.set("b", "5").unwrap();
        let entries: Vec<_> = info.iter().collect();
        assert_eq!(
            entries,
            [(&b"a"[..], &b"4"[..]), (b"c", b"3"), (b"b", b"5")]
        );
        assert_eq!(info.key_count(), 3);
        assert_eq!(info.nth_key(2), Ok(&b"b"[..]));
        assert_eq!(
            info.nth_key(3),
            Err(InfoError::NoSuchIndex { index: 3, keys: 3 })
        );
    }

    #[test]
    fn values_come_whole_or_as_far_as_there_is_room() {
        let mut info = Info::default();
        info.set("file", "name").unwrap();
        info.set("empty", "").unwrap();
        assert_eq!(info.get("file"), Ok(Some(&b"name"[..])));
        assert_eq!(info.get("empty"), Ok(Some(&b""[..])));
        assert_eq!(info.get("other"), Ok(None));
        assert_eq!(info.get_at_most("file", 2), Ok(Some((&b"na"[..], 4))));
        assert_eq!(info.get_at_most("file", 9), Ok(Some((&b"name"[..], 4))));
        assert_eq!(info.get_at_most("file", 0), Ok(Some((&b""[..], 4))));
    }

    #[test]
    fn limits_hold_to_the_byte() {
        let mut info = Info::new(InfoLimits {
            key_bytes: 3,
            value_bytes: 5,
        });
        assert_eq!(info.set("abc", "12345"), Ok(()));
        let too_long = InfoError::KeyTooLong {
            bytes: 4,
            most_bytes: 3,
        };
        assert_eq!(info.set("abcd", ""), Err(too_long.clone()));
        assert_eq!(info.get("abcd"), Err(too_long.clone()));
        assert_eq!(info.delete("abcd"), Err(too_long));
        let too_long = InfoError::ValueTooLong {
            bytes: 6,
            most_bytes: 5,
        };
        assert_eq!(info.set("abc", "123456"), Err(too_long));
        assert_eq!(info.get("abc"), Ok(Some(&b"12345"[..])));
        assert_eq!(info.set("", ""), Err(InfoError::EmptyKey));
        assert_eq!(info.get(""), Err(InfoError::EmptyKey));
    }

    #[test]
    fn a_key_that_is_not_there_cannot_be_deleted() {
        let mut info = Info::default();
        assert_eq!(
            info.delete("x"),
            Err(InfoError::NoSuchKey { key: "x".into() })
        );
    }

    #[test]
    fn a_duplicate_is_independent() {
        let mut info = Info::default();
        info.set("a", "1").unwrap();
        let mut copy = info.clone();
        copy.set("a", "2").unwrap();
        assert_eq!(info.get("a"), Ok(Some(&b"1"[..])));
    }
}
