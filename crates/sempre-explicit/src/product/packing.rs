//! Where the parts of a state of a product are.

use sempre_model::system::System;

/// Where the automaton's part of a state is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    word: usize,
    shift: u32,
    /// The bits that belong to the system in that word.
    mask: u64,
    /// Width of the system's part.
    pub(crate) model: usize,
    /// Width of a state.
    pub(crate) width: usize,
    /// A word of a state, and how many of its highest bits are zero in every state.
    pub(crate) spare: (usize, u32),
}

impl Packing {
    /// For so many different values of the automaton's part.
    pub(crate) fn new(system: &impl System, values: u64) -> Self {
        let bits = 64 - values.saturating_sub(1).leading_zeros();
        let model = system.width();
        let (word, spare) = system.spare_bits();
        if bits == 0 || (spare >= bits && word < model) {
            // Just above the system's bits, so that those above stay free.
            let shift = 64 - spare;
            Self {
                word,
                shift: shift % 64,
                mask: if bits == 0 {
                    u64::MAX
                } else {
                    (1 << shift) - 1
                },
                model,
                width: model,
                spare: (word, spare - bits),
            }
        } else {
            Self {
                word: model,
                shift: 0,
                mask: 0,
                model,
                width: model + 1,
                spare: (model, 64 - bits),
            }
        }
    }

    /// Splits a state; the model's part is written to `model`.
    #[inline]
    pub(crate) fn split(&self, state: &[u64], model: &mut [u64]) -> u64 {
        model.copy_from_slice(&state[..self.model]);
        if self.word < self.model {
            model[self.word] &= self.mask;
        }
        self.value(state)
    }

    /// The automaton's part of a state.
    #[inline]
    pub(crate) fn value(&self, state: &[u64]) -> u64 {
        if self.mask == u64::MAX {
            return 0;
        }
        state[self.word] >> self.shift
    }

    /// Puts a state together.
    #[inline]
    pub(crate) fn join(&self, model: &[u64], value: u64, state: &mut [u64]) {
        state[..self.model].copy_from_slice(model);
        if self.width > self.model {
            state[self.model] = 0;
        }
        if self.mask != u64::MAX {
            state[self.word] |= value << self.shift;
        }
    }
}
