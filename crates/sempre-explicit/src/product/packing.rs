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
        self.value_of(|word| state[word])
    }

    /// The automaton's part of a state with these words.
    #[inline]
    pub(crate) fn value_of(&self, word: impl Fn(usize) -> u64) -> u64 {
        if self.mask == u64::MAX {
            return 0;
        }
        word(self.word) >> self.shift
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

    /// A word of a state that is put together of these.
    #[inline]
    pub(crate) fn joined(&self, model: &[u64], value: u64, word: usize) -> u64 {
        let own = model.get(word).copied().unwrap_or(0);
        match word == self.word && self.mask != u64::MAX {
            true => own | value << self.shift,
            false => own,
        }
    }

    /// The words in which a state may differ whose system's part differs in these, which are in order.
    #[inline]
    pub(crate) fn words<'a>(&self, model: &'a [u32]) -> impl Iterator<Item = u32> + Clone + 'a {
        let own = (self.mask != u64::MAX).then_some(self.word as u32);
        let before = model.partition_point(|&word| own.is_none_or(|own| word < own));
        let (low, high) = model.split_at(before);
        let high = match high.first() {
            Some(&first) if own == Some(first) => &high[1..],
            _ => high,
        };
        low.iter().copied().chain(own).chain(high.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_automaton_has_a_word_among_those_that_differ() {
        for (own, mask, words, expected) in [
            (3, 1, &[1, 3, 5][..], &[1, 3, 5][..]),
            (3, 1, &[1, 5], &[1, 3, 5]),
            (3, 1, &[], &[3]),
            (9, 0, &[1, 5], &[1, 5, 9]),
            (0, 1, &[1, 5], &[0, 1, 5]),
            (0, u64::MAX, &[1, 5], &[1, 5]),
        ] {
            let packing = Packing {
                word: own,
                shift: 1,
                mask,
                model: 9,
                width: 10,
                spare: (0, 0),
            };
            assert_eq!(packing.words(words).collect::<Vec<_>>(), expected);
        }
    }
}
