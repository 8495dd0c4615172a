// SPDX-License-Identifier: MIT
fn main() -> plait::Result<()> {
    let system = plait::System::open()?;
    let x = system.device().array(&[1f32, 2.0, 3.0])?;
    // SAFETY: the code accesses memory as its signature declares.
    let twice = unsafe { system.kernel("twice(x: inout pointer f32)", "KERNEL(twice) { EACH(i, 3) x[i] *= 2; }")? };
    let graph = system.graph()?;
    graph.launch(&twice, plait::args![&x]).items(3).add()?;
    let plan = graph.freeze()?;
    plan.call(plait::with![])?;
    plan.call(plait::with![])?;
    println!("{:?}", x.read()?); // [4.0, 8.0, 12.0]
    Ok(())
}
