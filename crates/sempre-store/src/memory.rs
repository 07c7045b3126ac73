//! Zeroed memory for large arrays, and hints to the processor.
//!
//! Plain allocation lacks two properties. Zeros must come from pages that the system maps when they are first
//! touched, not from writing zeros, or an array that is half used would take its whole size; requesting an alignment
//! from the allocator loses this property. And a hash table is read in random places, where each access costs a
//! page-table walk unless pages are large: on Linux this module requests large pages. (Measured on peterson.4: a
//! seventh of the time.)
//!
//! A page that is read before it is written is mapped twice: first to the system's page of zeros, then, at the first
//! write, to its own frame, and the other processors must be notified of that. Memory that will be written soon is
//! therefore written to at once ([`touch`]). (Measured on peterson.4: an eighth of the time of two workers.)

use crate::sync::{AtomicU32, AtomicU64};
use std::alloc::Layout;
use std::sync::atomic::Ordering::Relaxed;

/// Size of a cache line.
const LINE: usize = 64;

/// Size of a large page, and of the smallest array for which large pages are requested.
const PAGE: usize = 2 << 20;
const LARGE: usize = 2 * PAGE;

/// Bytes before an array, in which the address of its allocation is kept.
const HEADER: usize = size_of::<*mut u8>();

/// The types of array elements.
///
/// # Safety
/// Implementors are valid when all their bytes are zero, need no drop, and are aligned to at most a cache line.
pub(crate) unsafe trait Zeroable: Sync {
    /// Zero, for loom, whose atomics have more state than their value.
    #[cfg_attr(not(all(loom, test)), allow(dead_code))]
    fn zero() -> Self;
    /// Writes zero.
    fn clear(&self);
}

// SAFETY: an atomic integer has the representation of the integer, for which all bits zero is zero.
// (Under loom the memory is filled with `zero`, and `free` drops what it is filled with.)
unsafe impl Zeroable for AtomicU32 {
    fn zero() -> Self {
        Self::new(0)
    }
    fn clear(&self) {
        self.store(0, Relaxed);
    }
}

// SAFETY: as above.
unsafe impl Zeroable for AtomicU64 {
    fn zero() -> Self {
        Self::new(0)
    }
    fn clear(&self) {
        self.store(0, Relaxed);
    }
}

/// Bytes and alignment of an array, and the layout of its allocation. The allocation is larger, so that the array can
/// be aligned in it after the header, and has an alignment that needs no special handling by the allocator.
fn layout<A>(count: usize) -> Option<(usize, usize, Layout)> {
    let bytes = count.checked_mul(size_of::<A>()).filter(|&b| b > 0)?;
    let align = if bytes >= LARGE { PAGE } else { LINE };
    let whole = bytes.checked_add(align + HEADER)?;
    let layout = Layout::from_size_align(whole, align_of::<*mut u8>()).ok()?;
    Some((bytes, align, layout))
}

/// `count` zeros, or null if there is no memory. To be freed with [`free`].
pub(crate) fn allocate<A: Zeroable>(count: usize) -> *mut A {
    let Some((bytes, align, layout)) = layout::<A>(count) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the layout's size is not zero.
    let base = unsafe { std::alloc::alloc_zeroed(layout) };
    if base.is_null() {
        return std::ptr::null_mut();
    }
    let skip = HEADER + base.wrapping_add(HEADER).align_offset(align);
    // SAFETY: `align_offset` of a byte pointer is less than `align`, so `skip + bytes` is within the layout.
    let memory = unsafe { base.add(skip) };
    // SAFETY: the header lies in the allocation, just before the array, which is aligned to more than it.
    unsafe { memory.sub(HEADER).cast::<*mut u8>().write(base) };
    if bytes >= LARGE {
        ask_for_large_pages(memory, bytes);
    }
    let memory = memory.cast::<A>();
    #[cfg(all(loom, test))]
    for i in 0..count {
        // SAFETY: the array has `count` elements, and is aligned to a cache line.
        unsafe { memory.add(i).write(A::zero()) };
    }
    memory
}

/// Frees the memory of [`allocate`].
///
/// # Safety
/// `memory` came from `allocate` with the same type and `count`, is not null and is not used any more.
pub(crate) unsafe fn free<A: Zeroable>(memory: *mut A, count: usize) {
    #[cfg(all(loom, test))]
    for i in 0..count {
        // SAFETY: each element was written by `allocate` and is dropped once.
        unsafe { memory.add(i).drop_in_place() };
    }
    if let Some((_, _, layout)) = layout::<A>(count) {
        // SAFETY: `allocate` has written the header, since `memory` is not null.
        let base = unsafe { memory.cast::<u8>().sub(HEADER).cast::<*mut u8>().read() };
        // SAFETY: `base` was allocated with this layout, which depends on the type and the count alone.
        unsafe { std::alloc::dealloc(base, layout) };
    }
}

/// Makes the system map the pages of some elements for writing, by writing zero to one element of each page.
///
/// # Safety
/// `count` elements from `memory` on belong to an array of [`allocate`], are zero, and are not used by any other
/// thread yet.
pub(crate) unsafe fn touch<A: Zeroable>(memory: *mut A, count: usize) {
    const STRIDE: usize = 4096;
    for i in (0..count)
        .step_by(STRIDE / size_of::<A>())
        .chain(count.checked_sub(1))
    {
        // SAFETY: `i` is below `count`, and the elements are initialised.
        unsafe { (*memory.add(i)).clear() };
    }
}

/// Requests large pages for the capacity of a vector. This is useful only before the memory is written to.
pub fn in_large_pages<T>(vector: &mut Vec<T>) {
    let bytes = vector.capacity() * size_of::<T>();
    let memory = vector.as_mut_ptr().cast::<u8>();
    // From the first page that belongs to the vector entirely.
    let skip = memory.align_offset(PAGE);
    if bytes >= LARGE && skip < bytes {
        ask_for_large_pages(memory.wrapping_add(skip), bytes - skip);
    }
}

/// A hint: whether it is granted does not matter.
fn ask_for_large_pages(memory: *mut u8, bytes: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if bytes >= PAGE {
        // SAFETY: the range is allocated and begins at a page. The advice changes no contents.
        unsafe { libc::madvise(memory.cast(), bytes / PAGE * PAGE, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (memory, bytes);
}

/// Prefetches a cache line; any address is allowed.
#[inline]
pub(crate) fn prefetch<A>(address: *const A) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_zero_and_aligned() {
        for count in [1, 5, 1000, 100_000, 700_000] {
            let memory = allocate::<AtomicU64>(count);
            assert!(!memory.is_null());
            let align = if count * 8 >= LARGE { PAGE } else { LINE };
            assert_eq!(memory.align_offset(align), 0);
            // SAFETY: the whole array belongs to this test.
            unsafe { touch(memory, count) };
            for i in (0..count).rev().step_by(97) {
                // SAFETY: `i` is below `count`.
                let cell = unsafe { &*memory.add(i) };
                assert_eq!(cell.swap(i as u64 + 1, Relaxed), 0);
            }
            // SAFETY: allocated with this count, not used any more.
            unsafe { free(memory, count) };
        }
    }

    #[test]
    fn vectors_keep_what_they_hold() {
        for count in [0, 1, 1000, 3_000_000] {
            let mut vector: Vec<u64> = Vec::with_capacity(count);
            in_large_pages(&mut vector);
            vector.extend(0..count as u64);
            in_large_pages(&mut vector);
            assert!((0..count).all(|i| vector[i] == i as u64));
        }
    }

    #[test]
    fn too_much_is_null() {
        assert!(allocate::<AtomicU64>(usize::MAX).is_null());
        assert!(allocate::<AtomicU64>(usize::MAX / 32).is_null());
        assert!(allocate::<AtomicU64>(0).is_null());
    }
}
