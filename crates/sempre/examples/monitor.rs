//! A monitor inside a program: `cargo run --example monitor`.
//!
//! A door is opened and closed by a faulty controller; the monitor says at which step it is certain that the door did
//! not behave, whatever comes after.

use sempre::monitor::{Monitor, MonitorVerdict};

fn main() -> Result<(), String> {
    let mut monitor = Monitor::parse("G(open -> X !open) & (!open U key)")?;
    let bit = |name: &str| monitor.propositions().iter().position(|p| p == name);
    let (open, key) = (bit("open"), bit("key"));
    let bits = |opened: bool, turned: bool| {
        let set = |bit: Option<usize>, on: bool| bit.map_or(0, |b| u64::from(on) << b);
        set(open, opened) | set(key, turned)
    };
    // Whether the door is open, and whether the key is turned.
    let trace = [
        (false, false),
        (false, true),
        (true, false),
        (false, false),
        (true, false),
        (true, false),
    ];
    for (step, (opened, turned)) in trace.into_iter().enumerate() {
        let verdict = monitor.step(bits(opened, turned));
        println!("step {step}: {verdict}");
        if verdict == MonitorVerdict::Violated {
            break;
        }
    }
    Ok(())
}
