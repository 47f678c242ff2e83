//! Lists of bytes by number, in one piece of memory.

/// Lists that lie one after the other.
pub(super) struct ByteLists {
    /// Where each list ends in `bytes`; it begins where the one before ends.
    pub(super) ends: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl ByteLists {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the list of a number that is less than [`ByteLists::len`].
    pub(super) fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let before = number.checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[number]]
    }
}
