//! Going on after a value has left its bits.
//!
//! When a value leaves its bits, the stored states are translated in their order and keep their numbers, and the
//! search does not notice.

use super::Product;
use super::order::ordered;
use super::packing::Packing;
use crate::explore::Reason;
use crate::marks::Marks;
use crate::space::Stop;
use crate::widening::{Lost, rewrite};
use sempre_model::system::System;
use std::sync::Arc;

impl<S: System, M: Marks> Product<'_, S, M> {
    /// A wider layout after an overflow.
    pub(super) fn widen(&mut self) -> Result<(), Stop> {
        if self.in_crew {
            return Err(Stop(Reason::Overflow));
        }
        let system = self.wider.as_ref().unwrap_or(self.given);
        let Some(wide) = system.widen(&self.context) else {
            return Err(Stop(Reason::Overflow));
        };
        let values = u64::from(self.observer.states()) * self.levels();
        let packing = Packing::new(&wide, values);
        let old = self.packing;
        let mut model = vec![0; old.model];
        let mut wide_model = vec![0; packing.model];
        let shape = (packing.width, packing.spare);
        let mut own = Vec::new();
        let translated = rewrite(
            &self.store,
            shape,
            &self.budget,
            |from, moved, to, changed| {
                let value = old.split(from, &mut model);
                match moved {
                    None => wide.translate(system, &model, &mut wide_model),
                    Some(words) => {
                        let of_model = words.iter().filter(|&&w| (w as usize) < old.model);
                        let words: Vec<u32> = of_model.copied().collect();
                        wide.translate_changed(system, &model, &words, &mut wide_model, &mut own);
                        changed.clear();
                        changed.extend(packing.words(&own));
                    }
                }
                packing.join(&wide_model, value, to);
            },
        );
        let store = match translated {
            Ok((store, _)) => store,
            Err(Lost::Memory) => return Err(Stop(Reason::Memory)),
            Err(Lost::States) => return Err(Stop(Reason::Overflow)),
        };
        self.worker = store.worker();
        self.store = Arc::new(store);
        self.context = ordered(&wide, self.shape.order);
        self.wider = Some(wide);
        self.packing = packing;
        self.state = vec![0; packing.width];
        self.scratch = vec![0; packing.width];
        self.model = vec![0; packing.model];
        self.widenings += 1;
        Ok(())
    }
}
