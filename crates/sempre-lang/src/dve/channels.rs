//! What communication does to the state: values of a rendezvous, messages in a buffer.
//!
//! A buffer of `n` messages is an array of `n` cells for each part of a message and its length; the first
//! message is in front, cells behind the last are 0, so that equal contents are equal states.

use super::ast::Scalar;
use super::declarations::{Buffer, Carrier};
use super::lower::End;
use sempre_model::ir::VariableId;
use sempre_model::{Binary, Expr, Place, Stmt};

/// The values of a rendezvous stored where the receiver wants them. All values and indices are those
/// of the source state.
pub(super) fn handed_over(
    carrier: &Carrier,
    places: &[(Place, Scalar)],
    values: &[Expr],
) -> Vec<Stmt> {
    let cut = |i: usize, value: &Expr, into: Scalar| {
        let carried = carrier.types.as_ref().and_then(|t| t.get(i));
        match (carried, into) {
            // The only cut that storing does not do anyway.
            (Some(Scalar::Byte), Scalar::Int) => {
                Expr::binary(Binary::BitAnd, value.clone(), Expr::Constant(255))
            }
            _ => value.clone(),
        }
    };
    let values = (values.iter().zip(places).enumerate()).map(|(i, (v, p))| cut(i, v, p.1));
    together(places, values.collect())
}

/// Several assignments at once: first everything is read, then everything is written.
fn together(places: &[(Place, Scalar)], values: Vec<Expr>) -> Vec<Stmt> {
    if let ([(place, _)], [value]) = (places, values.as_slice()) {
        return vec![Stmt::Assign(place.clone(), value.clone())];
    }
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    let mut register = 0;
    let mut keep = |value: Expr| {
        if matches!(value, Expr::Constant(_)) {
            return value;
        }
        let place = Place::Register(register);
        register += 1;
        reads.push(Stmt::Assign(place.clone(), value));
        Expr::Read(place)
    };
    for ((place, _), value) in places.iter().zip(values) {
        let value = keep(value);
        let place = match place {
            Place::Element(id, index) => Place::Element(*id, Box::new(keep((**index).clone()))),
            place => place.clone(),
        };
        writes.push(Stmt::Assign(place, value));
    }
    reads.append(&mut writes);
    reads
}

/// When a buffered communication is possible, and what it does to the buffer and the receiver.
pub(super) fn buffered(carrier: &Carrier, buffer: &Buffer, end: &End) -> (Expr, Vec<Stmt>) {
    let length = || Expr::variable(buffer.length);
    let put_length = |e| Stmt::Assign(Place::Scalar(buffer.length), e);
    let cell = |part: VariableId, index: Expr| Place::Element(part, Box::new(index));
    match end {
        End::Send(values) => {
            let capacity = Expr::Constant(buffer.capacity.into());
            let ready = Expr::binary(Binary::Less, length(), capacity);
            let mut effect = Vec::new();
            for (&part, value) in buffer.parts.iter().zip(values) {
                effect.push(Stmt::Assign(cell(part, length()), value.clone()));
            }
            effect.push(put_length(Expr::binary(
                Binary::Add,
                length(),
                Expr::Constant(1),
            )));
            (ready, effect)
        }
        End::Receive(places) => {
            let ready = Expr::binary(Binary::Greater, length(), Expr::Constant(0));
            let firsts: Vec<Expr> = (buffer.parts.iter())
                .map(|&part| Expr::element(part, Expr::Constant(0)))
                .collect();
            debug_assert_eq!(carrier.types.as_ref().map(Vec::len), Some(firsts.len()));
            let mut effect = together(places, firsts);
            effect.push(put_length(Expr::binary(
                Binary::Subtract,
                length(),
                Expr::Constant(1),
            )));
            if buffer.capacity > 1 {
                let i = || Expr::Read(Place::Register(0));
                let next = || Expr::binary(Binary::Add, i(), Expr::Constant(1));
                let body = (buffer.parts.iter())
                    .map(|&part| Stmt::Assign(cell(part, i()), Expr::element(part, next())))
                    .collect();
                effect.push(Stmt::For {
                    register: 0,
                    from: Expr::Constant(0),
                    to: length(),
                    body,
                });
            }
            for &part in &buffer.parts {
                effect.push(Stmt::Assign(cell(part, length()), Expr::Constant(0)));
            }
            (ready, effect)
        }
    }
}
