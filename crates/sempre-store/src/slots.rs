//! The hash index of a flat table: open addressing over 32-bit slots, sixteen to a cache line.
//!
//! A slot holds as many bits of index as the number of slots has, and a tag in the others: zero if it is free, and
//! otherwise `tag | index + 1`. In a table of a million states the tag has eleven bits, so that one comparison in two
//! thousand fetches a key in vain.
//!
//! The number of lines is arbitrary: the home line of a key is the upper half of the product of its hash and that
//! number (Lemire, "Fast random integer generation in an interval", 2019), so a large table can grow by a half and
//! stay between 62 and 94 % full. A line is filled from its beginning, and compared as a whole: four vector
//! comparisons yield the matching tags and the free slots. The search for a key begins in its home line, and
//! continues in the next lines while lines are full: mostly one line, now and then two.
//!
//! ## Invariants
//! - **I1** A slot changes once, from zero, until the whole table is replaced.
//! - **I2** Slots of a line are taken from the first to the last: no taken slot follows a free one.
//! - **I3** There is always a free slot: at most 31 of 32 slots are assigned to indices.

use crate::Full;
use crate::memory::{allocate, free, prefetch, touch};
use crate::sync::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Number of slots of a cache line.
#[cfg(not(all(loom, test)))]
const LINE: usize = 16;
#[cfg(all(loom, test))]
const LINE: usize = 2;

/// Number of lines of the smallest table.
#[cfg(not(all(loom, test)))]
pub(crate) const MIN_LINES: u64 = 256;
#[cfg(all(loom, test))]
pub(crate) const MIN_LINES: u64 = 2;

/// Number of lines of the largest table: indices are 32-bit numbers, and no tags are left then.
const MAX_LINES: u64 = (1 << 32) / LINE as u64;

/// Up to the first size a table is quadrupled, and up to the second one doubled.
const QUADRUPLE: u64 = 1 << 12;
const DOUBLE: u64 = 1 << 14;

/// The number of lines of the next larger table; the same for the largest table.
pub(crate) fn next_size(lines: u64) -> u64 {
    match lines {
        _ if lines < QUADRUPLE => lines * 4,
        _ if lines < DOUBLE => lines * 2,
        _ => (lines + lines / 2).min(MAX_LINES).max(lines),
    }
}

/// The slots. Without memory after a failed replacement; such a table has no room.
pub(crate) struct Slots {
    slots: *mut AtomicU32,
    lines: u64,
    /// The bits of a slot that hold the index.
    mask: u32,
    /// The number of indices that may be assigned.
    room: u64,
}

// SAFETY: `Slots` owns the atomics that it points to.
unsafe impl Send for Slots {}
// SAFETY: through a shared reference the atomics are only used as atomics.
unsafe impl Sync for Slots {}

/// A candidate for the index of a key, from tags alone.
pub(crate) enum Candidate {
    /// Possibly this one.
    Index(u32),
    /// The key is new.
    New,
    /// The line is full and has no matching tag; the next line is prefetched.
    Later,
}

/// The result of a search.
pub(crate) enum Place {
    /// The key has this index.
    Index(u32),
    /// The key is not in the table.
    Free,
    /// The key is not in the table, and the caller provided no index.
    NoIndex,
}

impl Slots {
    pub(crate) const fn bytes_of(lines: u64) -> usize {
        lines as usize * LINE * 4
    }

    pub(crate) fn new(lines: u64) -> Result<Self, Full> {
        let count = lines * LINE as u64;
        let slots = allocate::<AtomicU32>(count as usize);
        if slots.is_null() {
            return Err(Full);
        }
        // SAFETY: the array is new and owned by this thread.
        unsafe { touch(slots, count as usize) };
        Ok(Self {
            slots,
            lines,
            // Indices are below `count`, and stored with one added.
            mask: (u64::MAX >> count.leading_zeros()) as u32,
            room: count * 15 / 16,
        })
    }

    /// A table without room, in the place of one with this many lines.
    pub(crate) const fn none(lines: u64) -> Self {
        Self {
            slots: std::ptr::null_mut(),
            lines,
            mask: 0,
            room: 0,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.slots.is_null()
    }

    pub(crate) fn lines(&self) -> u64 {
        self.lines
    }

    pub(crate) fn room(&self) -> u64 {
        self.room
    }

    pub(crate) fn bytes(&self) -> usize {
        if self.is_none() {
            0
        } else {
            Self::bytes_of(self.lines)
        }
    }

    /// Raises the load limit, since no larger table can be allocated; searches become longer.
    pub(crate) fn raise_load_limit(&mut self) {
        if !self.is_none() {
            self.room = self.room.max(self.lines * LINE as u64 / 32 * 31);
        }
    }

    /// The first slot of the key's line.
    #[inline]
    fn home_line(&self, hash: u64) -> usize {
        let line = (u128::from(hash) * u128::from(self.lines)) >> 64;
        line as usize * LINE
    }

    /// The first slot of the line after that of `line`.
    #[inline]
    fn next(&self, line: usize) -> usize {
        let next = line + LINE;
        if next == self.lines as usize * LINE {
            0
        } else {
            next
        }
    }

    #[inline]
    fn slot(&self, position: usize) -> &AtomicU32 {
        debug_assert!(!self.is_none() && position < self.lines as usize * LINE);
        // SAFETY: all callers have checked that there is memory, and their positions are below
        // `lines * LINE`: `home_line` gives a line below `lines`, since a hash is below 2^64, `next` wraps, and
        // within a line positions are below `LINE`.
        unsafe { &*self.slots.add(position) }
    }

    /// Prefetches the line in which a search begins.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(self.slots.wrapping_add(self.home_line(hash)));
    }

    /// The slots of a line that have the tag, and those that are free, one bit each. The loads are Acquire:
    /// everything written before a slot was taken is seen.
    #[inline]
    fn match_line(&self, line: usize, tag: u32) -> (u32, u32) {
        debug_assert!(!self.is_none() && line + LINE <= self.lines as usize * LINE);
        #[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
        {
            use std::arch::x86_64::*;
            let (a, b, c, d): (__m128i, __m128i, __m128i, __m128i);
            // SAFETY: `line` is the beginning of a line in the table, as in `slot`, 64 bytes long and aligned to
            // that. The instructions load it in four parts. They are not written as Rust loads, since other threads
            // store to the slots at the same time; the processor loads each aligned 32-bit slot at once, and no load
            // is done before an earlier one. The compiler treats the block as one that reads memory, and moves no
            // access across it that could make a difference.
            unsafe {
                std::arch::asm!(
                    "movdqa {a}, [{p}]",
                    "movdqa {b}, [{p} + 16]",
                    "movdqa {c}, [{p} + 32]",
                    "movdqa {d}, [{p} + 48]",
                    p = in(reg) self.slots.add(line),
                    a = out(xmm_reg) a,
                    b = out(xmm_reg) b,
                    c = out(xmm_reg) c,
                    d = out(xmm_reg) d,
                    options(nostack, preserves_flags),
                );
            }
            // SAFETY: every x86-64 processor has SSE2.
            unsafe {
                let bits = |a, b, c, d| {
                    let all = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
                    _mm_movemask_epi8(all) as u32
                };
                let free = |x| _mm_cmpeq_epi32(x, _mm_setzero_si128());
                let others = _mm_set1_epi32(!self.mask as i32);
                let tags = _mm_set1_epi32(tag as i32);
                let fits = |x| _mm_cmpeq_epi32(_mm_and_si128(x, others), tags);
                let free = bits(free(a), free(b), free(c), free(d));
                let fits = bits(fits(a), fits(b), fits(c), fits(d));
                (fits & !free, free)
            }
        }
        #[cfg(not(all(target_arch = "x86_64", not(loom), not(miri))))]
        {
            let (mut fits, mut free) = (0, 0);
            for i in 0..LINE {
                let slot = self.slot(line + i).load(Acquire);
                free |= u32::from(slot == 0) << i;
                fits |= u32::from(slot != 0 && slot & !self.mask == tag) << i;
            }
            (fits, free)
        }
    }

    /// The index in a slot that was seen taken.
    #[inline]
    fn index(&self, position: usize) -> u32 {
        // Relaxed: a taken slot does not change (I1), and the load that saw it taken was Acquire.
        (self.slot(position).load(Relaxed) & self.mask) - 1
    }

    /// A candidate for the index of a key: the first one in the key's line with a matching tag, or, if `second`, in
    /// the line after it.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64, second: bool) -> Candidate {
        if self.is_none() {
            return Candidate::New;
        }
        let mut line = self.home_line(hash);
        if second {
            line = self.next(line);
        }
        let (fits, free) = self.match_line(line, hash as u32 & !self.mask);
        if fits != 0 {
            return Candidate::Index(self.index(line + fits.trailing_zeros() as usize));
        }
        if free != 0 {
            return Candidate::New;
        }
        prefetch(self.slots.wrapping_add(self.next(line)));
        Candidate::Later
    }

    /// Finds a key, or inserts it.
    ///
    /// `same(i)` decides whether the key at index `i` is the key. `give` is called at most once, at the first free
    /// slot: it writes the key to the array and returns its index, or `None`.
    #[inline]
    pub(crate) fn find_or_insert(
        &self,
        hash: u64,
        same: impl Fn(u32) -> bool,
        give: impl FnOnce() -> Option<u32>,
    ) -> Place {
        debug_assert!(!self.is_none());
        let tag = hash as u32 & !self.mask;
        let mut line = self.home_line(hash);
        let mut give = Some(give);
        let mut given = 0;
        // By I3 this ends.
        loop {
            let (mut fits, free) = self.match_line(line, tag);
            while fits != 0 {
                let index = self.index(line + fits.trailing_zeros() as usize);
                if same(index) {
                    return Place::Index(index);
                }
                fits &= fits - 1;
            }
            if free == 0 {
                line = self.next(line);
                continue;
            }
            // The first free slot, and if other workers take it, the ones after it (I2).
            for position in line + free.trailing_zeros() as usize..line + LINE {
                if let Some(give) = give.take() {
                    match give() {
                        None => return Place::NoIndex,
                        Some(index) => given = index,
                    }
                }
                // Release on success: the key was written before. Acquire on failure, as in `match_line`.
                match self
                    .slot(position)
                    .compare_exchange(0, tag | (given + 1), Release, Acquire)
                {
                    Ok(_) => return Place::Free,
                    // Another worker took the slot, perhaps for the same key.
                    Err(slot) => {
                        let index = (slot & self.mask) - 1;
                        if slot & !self.mask == tag && same(index) {
                            return Place::Index(index);
                        }
                    }
                }
            }
            line = self.next(line);
        }
    }

    /// Finds a key.
    pub(crate) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.is_none() {
            return None;
        }
        match self.find_or_insert(hash, same, || None) {
            Place::Index(index) => Some(index),
            Place::Free | Place::NoIndex => None,
        }
    }

    /// Inserts a key that is known to be new into a table that is not searched yet; other workers may be inserting
    /// keys.
    #[inline]
    pub(crate) fn enter_again(&self, hash: u64, index: u32) {
        let tag = hash as u32 & !self.mask;
        let mut line = self.home_line(hash);
        // By I3 this ends.
        loop {
            let (_, free) = self.match_line(line, tag);
            if free != 0 {
                for position in line + free.trailing_zeros() as usize..line + LINE {
                    // Relaxed: searches start after all keys are inserted, which orders it.
                    if (self.slot(position))
                        .compare_exchange(0, tag | (index + 1), Relaxed, Relaxed)
                        .is_ok()
                    {
                        return;
                    }
                }
            }
            line = self.next(line);
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        if !self.is_none() {
            // SAFETY: allocated in `new` with this count; there are no references any more.
            unsafe { free(self.slots, self.lines as usize * LINE) };
        }
    }
}
