//! The hash index of a flat table: open addressing over 32-bit slots, sixteen to a cache line.
//!
//! With `2^b` slots, a slot holds `b` bits of index and `32 - b` bits of tag: zero if it is free, and
//! otherwise `tag | index + 1`. Table sizes and tags go together so that the tag has as many bits as there
//! are to spare: in a table of a million states eleven, so that one comparison in two thousand fetches a
//! key in vain.
//!
//! A key is looked for from its home slot to the end of the cache line, then from the line's beginning to the
//! home slot, then in the next lines: nearly always one line.
//!
//! ## Invariants
//! - **I1** A slot changes once, from zero, until the whole table is replaced.
//! - **I2** There is always a free slot: at most seven eighths of the slots are promised to indices.

use crate::Full;
use crate::memory::{allocate, free, prefetch};
use crate::sync::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Binary logarithm of the number of slots of a cache line.
#[cfg(not(all(loom, test)))]
const LINE_BITS: u32 = 4;
#[cfg(all(loom, test))]
const LINE_BITS: u32 = 1;

/// Binary logarithm of the size of the smallest table.
#[cfg(not(all(loom, test)))]
pub(crate) const MIN_BITS: u32 = 12;
#[cfg(all(loom, test))]
pub(crate) const MIN_BITS: u32 = LINE_BITS;

/// Binary logarithm of the size of the largest table; no tags are left then.
pub(crate) const MAX_BITS: u32 = 32;

const LINE: usize = 1 << LINE_BITS;

/// The slots. Without memory after a failed replacement, when it admits nothing.
pub(crate) struct Slots {
    slots: *mut AtomicU32,
    bits: u32,
    /// How many indices may be promised.
    room: u64,
}

// SAFETY: `Slots` owns the atomics that it points to.
unsafe impl Send for Slots {}
// SAFETY: through a shared reference the atomics are only used as atomics.
unsafe impl Sync for Slots {}

/// Where the search for a key ended.
pub(crate) enum Place {
    /// The key has this index.
    Index(u32),
    /// The key is not there.
    Free,
    /// The key is not there, and the caller had no index to give.
    NoIndex,
}

impl Slots {
    pub(crate) const fn bytes_of(bits: u32) -> usize {
        4 << bits
    }

    pub(crate) fn new(bits: u32) -> Result<Self, Full> {
        let slots = allocate::<AtomicU32>(1 << bits);
        if slots.is_null() {
            return Err(Full);
        }
        Ok(Self {
            slots,
            bits,
            // With two slots (loom) one index; in general three quarters.
            room: (1u64 << bits) / 4 * 3 + u64::from(bits == 1),
        })
    }

    /// A table that admits nothing, in the place of one with `1 << bits` slots.
    pub(crate) const fn none(bits: u32) -> Self {
        Self {
            slots: std::ptr::null_mut(),
            bits,
            room: 0,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.slots.is_null()
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    pub(crate) fn bytes(&self) -> usize {
        if self.is_none() {
            0
        } else {
            Self::bytes_of(self.bits)
        }
    }

    /// No larger table can be had: fill this one further, though searches become longer.
    pub(crate) fn stretch(&mut self) {
        if !self.is_none() {
            self.room = self.room.max((1u64 << self.bits) / 8 * 7);
        }
    }

    /// The bits of a slot that hold the index.
    #[inline]
    fn mask(&self) -> u32 {
        (u64::MAX >> (64 - self.bits)) as u32
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    #[inline]
    fn slot(&self, position: usize) -> &AtomicU32 {
        debug_assert!(!self.is_none() && position < 1 << self.bits);
        // SAFETY: all callers have checked that there is memory, and their positions are below
        // `1 << bits`: `home` has `bits` bits, and going on from there stays in the line or wraps.
        unsafe { &*self.slots.add(position) }
    }

    /// Asks the processor for the line in which a search begins.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(self.slots.wrapping_add(self.home(hash)));
    }

    /// A guess at the index of a key: the first one in the key's line whose tag fits.
    #[inline]
    pub(crate) fn guess(&self, hash: u64) -> Option<u32> {
        if self.is_none() {
            return None;
        }
        let mask = self.mask();
        let tag = hash as u32 & !mask;
        let home = self.home(hash);
        let (line, start) = (home & !(LINE - 1), home & (LINE - 1));
        for i in 0..LINE {
            // Acquire: as in `find_or_insert`, for the caller looks at the key.
            let slot = self.slot(line | ((start + i) & (LINE - 1))).load(Acquire);
            if slot == 0 {
                return None;
            }
            if slot & !mask == tag {
                return Some((slot & mask) - 1);
            }
        }
        None
    }

    /// Looks for a key and enters it if it is not there.
    ///
    /// `same(i)` tells whether the key at index `i` is the one looked for. `give` is called at most once,
    /// when a free slot was met: it writes the key to the array and tells its index, or `None`.
    #[inline]
    pub(crate) fn find_or_insert(
        &self,
        hash: u64,
        same: impl Fn(u32) -> bool,
        give: impl FnOnce() -> Option<u32>,
    ) -> Place {
        debug_assert!(!self.is_none());
        let mask = self.mask();
        let tag = hash as u32 & !mask;
        let home = self.home(hash);
        let start = home & (LINE - 1);
        let mut line = home & !(LINE - 1);
        let mut give = Some(give);
        let mut given = 0;
        // By I2 this ends.
        loop {
            for i in 0..LINE {
                let cell = self.slot(line | ((start + i) & (LINE - 1)));
                // Acquire: pairs with the Release below, so that the key is seen that was written before.
                let mut slot = cell.load(Acquire);
                if slot == 0 {
                    if let Some(give) = give.take() {
                        match give() {
                            None => return Place::NoIndex,
                            Some(index) => given = index,
                        }
                    }
                    // Release on success: the key was written before. Acquire on failure: as above.
                    match cell.compare_exchange(0, tag | (given + 1), Release, Acquire) {
                        Ok(_) => return Place::Free,
                        // Somebody was faster, perhaps with the same key.
                        Err(now) => slot = now,
                    }
                }
                if slot & !mask == tag && same((slot & mask) - 1) {
                    return Place::Index((slot & mask) - 1);
                }
            }
            line = (line + LINE) & ((1usize << self.bits) - 1);
        }
    }

    /// Looks for a key.
    pub(crate) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.is_none() {
            return None;
        }
        match self.find_or_insert(hash, same, || None) {
            Place::Index(index) => Some(index),
            Place::Free | Place::NoIndex => None,
        }
    }

    /// Enters a key that is known not to be there, into a table that nobody else sees.
    #[inline]
    pub(crate) fn rebuild(&mut self, hash: u64, index: u32) {
        let tag = hash as u32 & !self.mask();
        let home = self.home(hash);
        let start = home & (LINE - 1);
        let mut line = home & !(LINE - 1);
        loop {
            for i in 0..LINE {
                let cell = self.slot(line | ((start + i) & (LINE - 1)));
                // Relaxed: the table is ours; the gate publishes it.
                if cell.load(Relaxed) == 0 {
                    cell.store(tag | (index + 1), Relaxed);
                    return;
                }
            }
            line = (line + LINE) & ((1usize << self.bits) - 1);
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        if !self.is_none() {
            // SAFETY: allocated in `new` with this count; nobody has a reference any more.
            unsafe { free(self.slots, 1 << self.bits) };
        }
    }
}
