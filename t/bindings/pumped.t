#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Awaiting a run and a signal ends also where devices need a pump: without workers, and
on the simulator.  A program that hangs is killed."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all
import julia
import lua
import rust

if SANITIZER != "no":
    skip_all("the languages are not built with a sanitizer, the library is")
PYTHON = os.path.join(ROOT, "bindings", "python")
ENVIRONMENT = dict(os.environ, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                   PLAIT_PLUGIN_PATH=os.path.join(BUILD, "plugins/.libs"), PYTHONPATH=PYTHON,
                   **lua.ENVIRONMENT)
PROGRAMS = {
    "py": """
import asyncio
import plait
system = plait.open()
device = system.devices[0]
queue, gate, signal = device.queue(), device.signal(gate=True), device.signal()
buffer = device.buffer(4096)
graph = system.graph()
graph.fill(buffer, 7, after=graph.wait(gate, 1))
plan = graph.freeze()
async def later():
    await asyncio.sleep(0.01)
    gate.raise_to(1)
async def main():
    task = asyncio.ensure_future(later())
    await plan.run(queue)
    await task
    await asyncio.gather(*(plan.run(queue) for _ in range(2)))
    queue.fill(buffer, 9)
    await signal.reach(queue.emit(signal))
    print(buffer.read(0, 1)[0])
    assert system._waiting == 0
    system.attach()
    run = plan.run(queue)
    while not run.poll():
        await asyncio.sleep(0.001)
for _ in range(2):
    asyncio.run(main())
""",
    "lua": """
local plait = require "plait"
local system = plait.open()
local device = system.devices[1]
local queue, signal, graph, buffer = device:queue(), device:signal(), system:graph(), device:buffer(4096)
graph:fill(buffer, 7)
local plan, ended = graph:freeze(), false
coroutine.wrap(function()
  plait.await(plan:run(queue))
  queue:fill(buffer, 9)
  queue:emit(signal)
  signal:reach(1)
  print(buffer:table()[1])
  ended = true
end)()
while not ended do system:pump(0.05) end
""",
    "rs": """
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
struct Nothing;
impl Wake for Nothing { fn wake(self: Arc<Self>) {} }
fn block_on<T>(system: &plait::System, future: impl Future<Output = T>) -> T {
    let (waker, mut future) = (Waker::from(Arc::new(Nothing)), Box::pin(future));
    loop {
        if let Poll::Ready(made) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return made;
        }
        system.pump_timeout(Duration::from_millis(50)).unwrap();
    }
}
fn main() -> plait::Result<()> {
    let system = plait::System::open()?;
    let (queue, signal) = (system.device().queue()?, system.device().signal()?);
    let (buffer, graph) = (system.device().zeros::<u32>(1024)?, system.graph()?);
    graph.fill(&buffer, 7).add()?;
    let plan = graph.freeze()?;
    block_on(&system, plan.run(&queue, plait::with![])?)?;
    queue.fill(&buffer, 9)?;
    queue.emit(&signal)?;
    block_on(&system, signal.reach(1))?;
    println!("{}", buffer.read()?[0]);
    Ok(())
}
""".replace("use std::pin::pin;\n", ""),
    "jl": """
using Plait
system = System()
device = system.devices[1]
queue, signal, graph, b = Queue(device), Signal(device), Graph(system), buffer(device, UInt32, 1024)
fill!(graph, b, 7)
plan = freeze(graph)
wait(run(plan, queue))
fill!(queue, b, 9)
wait(signal, emit!(queue, signal))
println(Array(b)[1])
""",
}


def rust_command(path):
    said = rust.build()
    got = rust.compile(path, path + ".out")
    ok(not said and got.returncode == 0, "rust: it is compiled", said, got.stderr)
    return [path + ".out"]


LANGUAGES = {"py": (sys.executable, lambda path: [sys.executable, path]),
             **{name: (there, lambda path, there=there: [there, path]) for name, there in lua.INTERPRETERS.items()},
             "rs": (rust.rustc, rust_command), "jl": (julia.julia, lambda path: julia.command(path))}
WHERE = {"without workers": {"PLAIT_BACKEND": "host", "PLAIT_WORKERS": "0"},
         "with workers": {"PLAIT_BACKEND": "host", "PLAIT_WORKERS": "2"},
         "on the simulator": {"PLAIT_BACKEND": "chaos"},
         "on the simulator, without workers": {"PLAIT_BACKEND": "chaos", "PLAIT_WORKERS": "0"}}


LIMIT = int(os.environ.get("PUMPED_LIMIT", 120))


def limited(command, environment):
    try:
        return run(command, env=environment, timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, -9, "", "it hangs: %s" % late)


if julia.julia:
    ENVIRONMENT.update(julia.environment("pumped"))
with tempfile.TemporaryDirectory() as work:
    for language, (there, command) in LANGUAGES.items():
        if not there:
            skip(lua.missing(language) if language in lua.INTERPRETERS else language + ": the language is not there")
            continue
        suffix = "lua" if language in lua.INTERPRETERS else language
        path = os.path.join(work, "pumped." + suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAMS[suffix])
        made = command(path)
        for where, more in WHERE.items():
            got = limited(made, dict(ENVIRONMENT, **more))
            ok(got.returncode == 0 and set(got.stdout.split()) == {"9"}, "%s: await ends %s" % (language, where),
               got.stdout, got.stderr)
done()
