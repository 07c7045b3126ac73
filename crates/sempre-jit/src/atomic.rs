//! Atomic steps: expansion of the intermediate states.
//!
//! A record that leaves the atomic register set is not a complete step ([`sempre_model::ir`]). The process that the
//! register names continues, in the order of the interpreter: depth-first, the last of several successors first, each
//! intermediate state once. If native code fails in any of these states, the interpreter computes all successors of
//! the source state.
//!
//! In most programs the actions of the process can be determined without those of other processes: no priority class
//! is above the default one, so the guards of other processes do not matter
//! ([`holders`](crate::atomic_register::holders)). Native code then has one function per such process, specialised
//! for the register naming it, and a call costs as much as the actions of one process. Otherwise all actions are
//! evaluated, and those of the process are selected.
//!
//! Most sequences do not branch. A state is stored only if the sequence has branched before, or after many steps. If
//! a chain returns to a state before its first branch, it reaches that branch again, and that state is stored.

use crate::compiled_system::{AtomicExpansion, CompiledContext, CompiledSystem};
use crate::native::Native;
use sempre_model::interpreter::MAX_INTERMEDIATE_STATES;
use sempre_model::ir::VariableId;

/// The number of states in a chain after which cycles are checked for.
const CYCLE_CHECK_AFTER: usize = 64;

impl CompiledSystem {
    /// Fills `expansion` with the records of the states in which the steps of a state end. `None` if the interpreter
    /// must handle the state.
    pub(crate) fn expand_atomic(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
        register: VariableId,
    ) -> Option<()> {
        // Rows of tables have marks, and there is no rule for combining the marks of several parts.
        if native.header != 1 {
            return None;
        }
        let stride = native.stride();
        let field = (self.layout()).field(self.program().variable(register).first);
        let is_intermediate = |record: &[u64]| field.get(&record[1..]) != 0;
        let (count, selected) = self.expand(context, state)?;
        let mut expansion = std::mem::take(&mut context.expansion);
        expansion.ends.clear();
        expansion.first.clear();
        let first = &mut expansion.first;
        if selected {
            for &r in &context.order {
                let start = r as usize * stride;
                first.extend_from_slice(&context.records[start..start + stride]);
            }
        } else {
            first.extend_from_slice(&context.records[..count * stride]);
        }
        let any = first.chunks_exact(stride).any(is_intermediate);
        if !any {
            std::mem::swap(&mut expansion.first, &mut expansion.ends);
        }
        let mut known = Some(());
        if any {
            let first = std::mem::take(&mut expansion.first);
            for record in first.chunks_exact(stride) {
                if !is_intermediate(record) {
                    expansion.ends.extend_from_slice(record);
                } else {
                    known = self.expand_record(context, native, record, register, &mut expansion);
                    if known.is_none() {
                        break;
                    }
                }
            }
            expansion.first = first;
        }
        context.expansion = expansion;
        known
    }

    /// Adds the end states of one incomplete step.
    fn expand_record(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        record: &[u64],
        register: VariableId,
        expansion: &mut AtomicExpansion,
    ) -> Option<()> {
        let stride = native.stride();
        let field = (self.layout()).field(self.program().variable(register).first);
        let is_intermediate = |record: &[u64]| field.get(&record[1..]) != 0;
        let AtomicExpansion {
            ends,
            waiting,
            seen,
            ..
        } = expansion;
        let (before, start) = (ends.len(), record[0]);
        seen.reset(stride - 1);
        waiting.clear();
        waiting.extend_from_slice(&record[1..]);
        let mut at = vec![0; stride - 1];
        let (mut steps, mut branched) = (0, false);
        while !waiting.is_empty() {
            sempre_base::checkpoint();
            let rest = waiting.len() - at.len();
            at.copy_from_slice(&waiting[rest..]);
            waiting.truncate(rest);
            steps += 1;
            if seen.rows() >= MAX_INTERMEDIATE_STATES {
                return None;
            }
            if (branched || steps > CYCLE_CHECK_AFTER) && !seen.insert(&at) {
                continue;
            }
            let holder = field.get(&at);
            let count = self.own_steps(context, native, &at, holder)?;
            let own = context.records[..count * stride].chunks_exact(stride);
            if count > 1 && !branched && own.clone().any(is_intermediate) {
                branched = true;
                seen.insert(&at);
            }
            for record in own {
                if is_intermediate(record) {
                    waiting.extend_from_slice(&record[1..]);
                } else {
                    ends.push(start);
                    ends.extend_from_slice(&record[1..]);
                }
            }
            if count == 0 {
                field.set(&mut at, 0);
                ends.push(start);
                ends.extend_from_slice(&at);
            }
        }
        (ends.len() > before).then_some(())
    }

    /// Fills the context with the records of the steps of the holder, from the first record on. Returns their number.
    fn own_steps(
        &self,
        context: &mut CompiledContext,
        native: &Native,
        state: &[u64],
        holder: i64,
    ) -> Option<usize> {
        if native.has_own() {
            let process = usize::try_from(holder - 1).ok()?;
            return native.own_successors(process, state, &mut context.records);
        }
        let stride = native.stride();
        let (count, selected) = self.expand(context, state)?;
        let is_own = |record: u64| self.program().actions[record as usize].is_of_holder(holder);
        let order: Vec<usize> = match selected {
            true => context.order.iter().map(|&r| r as usize).collect(),
            false => (0..count).collect(),
        };
        let mut own = Vec::new();
        for r in order {
            if is_own(context.records[r * stride]) {
                own.extend_from_slice(&context.records[r * stride..(r + 1) * stride]);
            }
        }
        context.records[..own.len()].copy_from_slice(&own);
        Some(own.len() / stride)
    }
}
