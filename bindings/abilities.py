# SPDX-License-Identifier: MIT
"""The table of abilities by language, doc/reference/languages.md: for each function of C
the members of a layer that call it, for each option the layers that have it.

A hole is a function or an option that a layer lacks and that neither INTERNAL nor WITHOUT
explains; t/bindings/api.t refuses holes.  The layers are read by layers.py.
"""
import re

import layers

LANGUAGES = ("python", "lua", "rust", "julia")
TITLES = {"python": "Python", "lua": "Lua", "rust": "Rust", "julia": "Julia"}

HELD = "an object holds one reference, and the language counts those to the object"
SHORT = "a short form of `%s`, which the layers call with all its options"
RUN_INSIDE = "a function of the language runs inside; a wait for itself is PLAIT_E_DEADLOCK"
PULLED = "the layers pull events and answer them inside"

AWAITS = "for C functions on workers; a node of a language that is a coroutine awaits as its language does"

# Functions that no user of a language calls, in any layer, and why.
INTERNAL = {
    "plait_abi": "the layers compare the sizes of all structs instead",
    "plait_sizeof": "the layers compare the sizes of all structs when they are loaded",
    "plait_status_name": "an error has the name",
    "plait_error_detail": "an error has the detail",
    "plait_inbox_create": "a system has its inbox",
    "plait_inbox_next": PULLED, "plait_inbox_pump": PULLED, "plait_inbox_answer": PULLED,
    "plait_inbox_begin": RUN_INSIDE, "plait_inbox_end": RUN_INSIDE,
    "plait_inbox_notify_stop": "a coroutine of a language is told that its run was stopped",
    "plait_inbox_wait": "waiting and pumping with a time limit call it where devices need that",
    "plait_inbox_close": "releasing a system closes its inbox",
    "plait_kernel_signature": "a kernel has its name and parameters",
    "plait_kernel_compile": SHORT % "plait_kernel_create",
    "plait_plan_find_parameter": "runs take parameters by name",
    "plait_await_signal": AWAITS, "plait_await_run": AWAITS, "plait_await_plan": AWAITS,
    "plait_await_points": AWAITS, "plait_await_task": AWAITS, "plait_yield": AWAITS,
    "plait_worker_index": "functions of a language run on the thread of their system",
    "plait_queue_call": "a function of a language runs on the thread of its system",
    "plait_graph_call": "a function of a language runs on the thread of its system",
}
INTERNAL.update({"plait_%s_retain" % name: HELD for name in (
    "context", "buffer", "inbox", "signal", "queue", "kernel", "graph", "plan", "run", "callable", "coll", "schedule", "world", "collective")})
RELEASED = "`release`, the end of a scope, or the garbage collector"
INTERNAL.update({"plait_%s_release" % name: RELEASED for name in (
    "context", "buffer", "inbox", "signal", "queue", "kernel", "graph", "plan", "run", "callable", "coll", "schedule", "world", "collective")})
INTERNAL.update({"plait_graph_" + name: SHORT % "plait_graph_add" for name in (
    "join", "launch", "copy", "copy_rows", "fill", "emit", "wait", "mark", "subgraph", "while", "do", "repeat", "case")})

# Members that reach a function through other code of their layer.
BY = {
    "python": {"plait_buffer_view": "buffer[a:b]", "plait_run_wait": "run.wait", "plait_run_notify": "await run", "plait_plan_run": "plan.run",
               "plait_buffer_create": "device.buffer", "plait_buffer_wrap": "device.wrap",
               "plait_signal_query": "signal.reached", "plait_device_query": "device.query",
               "plait_array_import": "device.from_dlpack", "plait_array_export": "numpy.from_dlpack(buffer)",
               "plait_flow_notify": "await flow", "plait_graph_collective": "graph.collective", "plait_data_read": "data[...]", "plait_data_write": "data[...] = numbers"},
    "lua": {"plait_run_is_stopping": "plait.is_stopping", "plait_inbox_is_stopping": "plait.is_stopping",
            "plait_buffer_bytes": "buffer.bytes", "plait_device_query": "device:query", "plait_buffer_create": "device:buffer", "plait_buffer_wrap": "device:wrap",
            "plait_inbox_descriptor": "system:descriptor", "plait_signal_wait_points": "system:wait",
            "plait_source_text": "plait.source_text", "plait_kernel_create": "system:kernel",
            "plait_graph_add_rotation": "graph:rotate", "plait_graph_freeze": "graph:freeze",
            "plait_plan_parameter_count": "plan", "plait_plan_query_parameter": "plan",
            "plait_plan_run": "plan:run", "plait_plan_call": "plan", "plait_backend_report": "plait.backend_report",
            "plait_plan_bind_function": "plan:bind_function", "plait_schedule_read": "system:read_schedule",
            "plait_queue_capture": "system:capture", "plait_queue_end_capture": "system:capture",
            "plait_coll_create": "system:coll", "plait_coll_known": "system:coll",
            "plait_coll_read": "system:read_coll", "plait_flow_create": "system:flow", "plait_world_open": "system:world",
            "plait_world_query": "system:world", "plait_world_buffer": "world:buffer", "plait_collective_create": "world:collective",
            "plait_graph_collective": "graph:collective",
            "plait_data_write": "data[i] = number"},
    "rust": {"plait_context_device_count": "System::devices", "plait_inbox_is_stopping": "plait::is_stopping", "plait_buffer_bytes": "Buffer::len",
             "plait_buffer_map": "Buffer::map", "plait_signal_wait_points": "System::wait",
             "plait_signal_notify": "Signal::reach", "plait_run_notify": "Run", "plait_queue_read": "Queue::read",
             "plait_queue_write": "Queue::write", "plait_graph_create": "System::graph",
             "plait_graph_read": "System::read_graph", "plait_queue_capture": "System::capture",
             "plait_queue_end_capture": "System::capture", "plait_graph_body": "Graph::repeat_while",
             "plait_plan_read": "System::read", "plait_plan_bind_function": "Plan::bind_function",
             "plait_plan_load": "System::load", "plait_context_open": "Options::open",
             "plait_context_device": "System::devices", "plait_buffer_unmap": "Buffer::map",
             "plait_world_buffer": "World::zeros", "plait_coll_create": "CollOptions::create", "plait_coll_known": "CollOptions::known",
             "plait_coll_copy": "Chunk::copy", "plait_flow_create": "System::flow", "plait_flow_submit": "Task::submit", "plait_flow_wait": "Flow::finish",
             "plait_flow_notify": "Flow::done", "plait_data_create": "Flow::data", "plait_data_query": "Data::shape",
             "plait_data_read": "Data::read", "plait_data_write": "Data::write", "plait_data_map": "Data::map",
             "plait_data_unmap": "Data::map"},
    "julia": {"plait_run_is_stopping": "is_stopping", "plait_inbox_is_stopping": "is_stopping",
              "plait_buffer_bytes": "sizeof", "plait_queue_read": "copyto!", "plait_queue_write": "copyto!",
              "plait_plan_save": "write", "plait_plan_call": "plan", "plait_run_wait": "finish",
              "plait_run_notify": "wait", "plait_coll_create": "Coll", "plait_coll_known": "Coll",
              "plait_coll_read": "read_coll", "plait_coll_join": "join", "plait_world_open": "World",
              "plait_world_query": "World", "plait_collective_create": "Collective", "plait_collective_call": "Collective", "plait_data_read": "data[...]", "plait_data_write": "data[...] = numbers"},
}

INTERNAL["plait_flow_launch"] = SHORT % "plait_flow_submit"
INTERNAL["plait_flow_submit_many"] = "an array form of `plait_flow_submit`, which the layers call for each task"
INTERNAL.update({"plait_%s_%s" % (name, verb): HELD if verb == "retain" else RELEASED for name in ("flow", "data") for verb in ("retain", "release")})

DLPACK = "DLPack is how Python libraries exchange arrays; `wrap` shares memory here"
LOG = "`PLAIT_LOG` chooses; a hook of C is called on any thread"
BYTES = "views set the offset"

# Functions and options that a layer does not have, and why.
WITHOUT = {
    ("lua", "plait_array_import"): DLPACK, ("lua", "plait_array_export"): DLPACK,
    ("rust", "plait_array_import"): DLPACK, ("rust", "plait_array_export"): DLPACK,
    ("julia", "plait_array_import"): DLPACK, ("julia", "plait_array_export"): DLPACK,
    ("rust", "plait_inbox_adopt"): "a `System` stays on its thread, which the compiler checks",
}
for _language, _box in (("python", "data.at[...]"), ("lua", "data:box(...)"), ("rust", "Data::at"), ("julia", "view(data, ...)")):
    WITHOUT[_language, "PLAIT_ARGUMENT_DATA"] = "an access without a box is all of the data"
    WITHOUT[_language, "plait_data_part"] = "`%s` names a box of data" % _box
for _language in LANGUAGES:
    WITHOUT[_language, "PLAIT_NODE_COLLECTIVE"] = "plait_graph_collective adds it"
    WITHOUT.update({
        (_language, "plait_context_desc.allocator"): "memory of C is not the language's",
        (_language, "plait_context_desc.log"): LOG, (_language, "plait_context_desc.log_user_data"): LOG,
        (_language, "plait_context_desc.log_level"): LOG,
        (_language, "plait_buffer_desc.alignment_bytes"): "the device's alignment is used",
        (_language, "plait_kernel_desc.fixed"): "a function of C that has no signature of C; `symbol` names one",
        (_language, "plait_kernel_desc.range"): "the same; `symbol` names one",
        (_language, "plait_kernel_desc.form"): "a `symbol` has the type that the signature says",
        (_language, "plait_kernel_desc.user_data"): "no function of a language is a kernel",
        (_language, "plait_source.backend"): "one text per form",
        (_language, "plait_source.entry"): "the function has the kernel's name",
        (_language, "plait_node_desc.user_data_parameter"): "a function has what it closes over; runs set values in that",
        (_language, "plait_callable_desc.failed"): "a C function of a plan returns a status",
        (_language, "plait_callable_desc.flags"): "the library chooses",
    })
WITHOUT.update({
    ("python", "PLAIT_NODE_ON_FIRST"): "one `device` says the same", ("rust", "PLAIT_NODE_ON_FIRST"): "one `device` says the same",
    ("rust", "PLAIT_POLICY_BOUNDED"): "the default",
    ("rust", "plait_node_desc.target_offset"): BYTES, ("rust", "plait_node_desc.source_offset"): BYTES,
    ("julia", "plait_node_desc.target_offset"): BYTES, ("julia", "plait_node_desc.source_offset"): BYTES,
    ("lua", "plait_kernel_desc.described"): "`symbol` names a compiled function",
    ("rust", "plait_kernel_desc.described"): "`symbol` names a compiled function",
})

# What counts as an option: the values of these types, and the fields of these structs.
VALUES = ("plait_node_kind", "plait_node_flags", "plait_argument_kind", "plait_freeze_flags", "plait_policy",
          "plait_mode", "plait_run_flags", "plait_context_flags", "plait_source_flags", "plait_map_flags",
          "plait_rotation_flags", "plait_signal_flags", "plait_wait_mode", "plait_plan_format",
          "plait_trace_format", "plait_buffer_flags")
FIELDS = ("plait_context_desc", "plait_buffer_desc", "plait_wrap_desc", "plait_signal_desc", "plait_queue_desc",
          "plait_kernel_desc", "plait_source", "plait_node_desc", "plait_freeze_desc", "plait_run_desc",
          "plait_system_desc", "plait_tune_desc", "plait_callable_desc", "plait_function_desc", "plait_rows")


def members_by_function(language):
    """{function of C: [members]}"""
    found, layer = {}, layers.LAYERS[language]()
    for thing in layer.objects.values():
        for name in thing.functions:
            found.setdefault(name, []).append(thing.name)
        for member in thing.members:
            for name in member.functions:
                found.setdefault(name, []).append(layers.short(member.signature))
    return found


def words_of(language):
    """Return the words of a layer's own files."""
    return set(re.findall(r"\w+", layers.LAYERS[language]().texts + "".join(
        layers.read(path) for path in layers.INSIDE[language])))


def cell(language, function, reached):
    """Return the text of a cell; None: a hole."""
    if function in INTERNAL:
        return ""
    by = [BY[language].get(function)]
    if not by[0] and function in reached[language]:
        by = reached[language][function]
    if by[0]:
        return ", ".join("`%s`" % name for name in dict.fromkeys(by[:2]))
    why = WITHOUT.get((language, function))
    return why and "none: " + why


def options(api):
    for enum in api["enums"]:
        if enum["name"] in VALUES:
            yield from ((value, value) for value in enum["values"])
    for struct in api["structs"]:
        if struct["name"] in FIELDS:
            for field in struct["fields"]:
                if field["name"] != "size" and not field["name"].startswith("reserved"):
                    yield "%s.%s" % (struct["name"], field["name"]), field["name"]


def holes(api):
    """Return what a layer lacks without a reason, one line each."""
    reached = {language: members_by_function(language) for language in LANGUAGES}
    found = ["%s: no member calls %s" % (language, f["name"]) for f in api["functions"] for language in LANGUAGES
             if cell(language, f["name"], reached) is None]
    words = {language: words_of(language) for language in LANGUAGES}
    found += ["%s: no %s" % (language, name) for name, word in options(api) for language in LANGUAGES
              if word not in words[language] and (language, name) not in WITHOUT]
    return found


def page(api, note):
    reached = {language: members_by_function(language) for language in LANGUAGES}
    lines = ["# What each language can do", "", "<!-- %s -->" % note, "",
             "The functions of C, and the members of each language that call them; two at most are named. The",
             "pages of the languages have all members: [Python](python.md), [Lua](lua.md), [Rust](rust.md),",
             "[Julia](julia.md). Each function can also be called directly."]
    for header in api["headers"]:
        rows = [f for f in api["functions"] if f["header"] == header and f["name"] not in INTERNAL]
        if rows:
            lines += ["", "| %s.h | %s |" % (header, " | ".join(TITLES[one] for one in LANGUAGES)),
                      "|---|---|---|---|---|"]
        for f in rows:
            lines.append("| `%s` | %s |" % (f["name"], " | ".join(
                cell(one, f["name"], reached) or "**missing**" for one in LANGUAGES)))
    lines += ["", "## Options", "", "Every option of the descriptors exists in every language, except:", "",
              "| option | language | why |", "|---|---|---|"]
    for name, _ in options(api):
        why = {}
        for one in LANGUAGES:
            if (one, name) in WITHOUT:
                why.setdefault(WITHOUT[(one, name)], []).append(TITLES[one])
        lines += ["| `%s` | %s | %s |" % (name, "all" if len(who) == len(LANGUAGES) else ", ".join(who), text)
                  for text, who in why.items()]
    lines += ["", "## Inside the layers", "", "No program in one of these languages needs these functions:", "",
              "| function | why |", "|---|---|"]
    lines += ["| `%s` | %s |" % (f["name"], INTERNAL[f["name"]]) for f in api["functions"] if f["name"] in INTERNAL]
    return "\n".join(lines) + "\n"
