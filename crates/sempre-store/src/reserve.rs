//! A global allocator with a reserve.
//!
//! If the system refuses memory (`ulimit -v`, a limit of a container), a Rust program aborts at its next allocation.
//! This allocator is the system's, except that a refusal releases a reserve, requests the process to stop for lack of
//! memory ([`sempre_base::stop::request`]) and retries. The reserve suffices for the work to reach its next
//! checkpoint, to report its results, and to end. If the retry fails too, null is returned as usual: a fallible
//! allocation becomes a value ([`crate::Full`]), and an infallible one aborts, which [`crate::signals`] turns into a
//! message and exit status 3.
//!
//! The reserve is never written to: it takes address space, not memory.
//!
//! Cost: a comparison with null for each allocation.

use sempre_base::{Stop, stop};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::AcqRel, Ordering::Relaxed};

/// Bytes of the reserve.
const BYTES: usize = 24 << 20;

static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static REFUSED: AtomicBool = AtomicBool::new(false);

fn layout() -> Layout {
    // The alignment is a power of two, and the size far from the largest.
    Layout::from_size_align(BYTES, 16).unwrap_or(Layout::new::<u64>())
}

/// Allocates the reserve. Without one, or if there is no room for it, a refusal stays a refusal.
pub fn set_aside() {
    // SAFETY: the size is not zero.
    let reserve = unsafe { System.alloc(layout()) };
    // Acquire and release, here and below: the thread that takes the pointer frees memory that was allocated before.
    let before = RESERVE.swap(reserve, AcqRel);
    release(before);
}

/// Has the system refused memory even after the reserve was released?
pub fn is_refused() -> bool {
    // Relaxed, here and below: the flag orders nothing else.
    REFUSED.load(Relaxed)
}

/// Returns unused memory of the allocator to the system, if the platform supports it: the memory that stopped work
/// has freed.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
    // SAFETY: it may be called at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}

fn release(reserve: *mut u8) {
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and the swap made this thread its only owner.
        unsafe { System.dealloc(reserve, layout()) };
    }
}

/// Retries after a refusal.
#[cold]
fn again(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    stop::request(Stop::Memory);
    release(RESERVE.swap(null_mut(), AcqRel));
    // Also without a reserve: another thread may just have released it.
    let memory = allocate();
    if !memory.is_null() {
        return memory;
    }
    REFUSED.store(true, Relaxed);
    null_mut()
}

/// The system's allocator with a reserve; see the module's documentation.
pub struct Reserving;

// SAFETY: all memory is the system allocator's, which gets each layout unchanged; nothing here unwinds or allocates
// through `Self`.
unsafe impl GlobalAlloc for Reserving {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the layout.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() {
            // SAFETY: as above.
            return again(|| unsafe { System.alloc(layout) });
        }
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantee; the memory came from `System` with this layout.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller guarantees the layout.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if memory.is_null() {
            // SAFETY: as above.
            return again(|| unsafe { System.alloc_zeroed(layout) });
        }
        memory
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's guarantee; the memory came from `System` with this layout.
        let new = unsafe { System.realloc(memory, layout, size) };
        if new.is_null() {
            // SAFETY: as above; after a refusal the old memory is untouched.
            return again(|| unsafe { System.realloc(memory, layout, size) });
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not the global allocator of the tests: they call it directly.
    #[test]
    fn a_refusal_takes_the_reserve_and_asks_to_stop() {
        let layout = Layout::array::<u64>(100).unwrap();
        // SAFETY: the layout is not empty, and the memory is used within it and freed with it.
        unsafe {
            let memory = Reserving.alloc_zeroed(layout);
            assert!((0..800).all(|i| *memory.add(i) == 0));
            *memory = 7;
            let memory = Reserving.realloc(memory, layout, 1600);
            assert_eq!(*memory, 7);
            Reserving.dealloc(memory, Layout::array::<u64>(200).unwrap());
        }
        assert_eq!(stop::requested(), None);
        set_aside();
        let held = RESERVE.load(Relaxed);
        assert!(!held.is_null());
        // The second attempt succeeds.
        let memory = again(|| held);
        assert_eq!(memory, held);
        assert_eq!(stop::requested(), Some(Stop::Memory));
        assert!(!is_refused());
        assert!(again(null_mut).is_null() && is_refused());
        stop::withdraw(Stop::Memory);
        assert_eq!(stop::requested(), None);
    }
}
