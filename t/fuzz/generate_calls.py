#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write calls of all public functions with drawn arguments, for t/fuzz/interface.c.

Usage: generate_calls.py bindings/api.json >api_calls.h

Each function becomes `static void call_NAME(struct stream *s)`, each struct that a
caller fills `draw_NAME`. Arguments are drawn by their types and names with the
functions of interface.c; those that NAMED and WRITTEN list have a drawing of their own there."""
import json
import sys

HANDLES = "context device queue signal buffer inbox run kernel graph plan callable".split()
# Functions that interface.c calls by hand, or not at all, with the reason.
WRITTEN = {
    "plait_context_open": "few contexts at a time",
    "plait_context_close": "a failure leaves the reference to the caller",
    "plait_kernel_create": "signature and function belong together",
    "plait_buffer_create": "new memory is zeroed: it may be the word of a loop",
    "plait_buffer_map": "mapped addresses are kept",
}
LEFT_OUT = {
    "plait_kernel_compile": "a compiler run takes longer than all other calls",
    "plait_array_import": "takes a tensor of another library; t/object/dlpack_array has it",
    "plait_array_export": "gives a tensor with a destructor; likewise",
    "plait_backend_report": "opens all backends",
    "plait_graph_collective": "needs a world; t/world/graph_collective has its bad input",
}
# Collectives and flows: t/coll, t/flow and t/fault/calls have their bad input.
LEFT_OUT_PREFIXES = ("plait_coll_", "plait_schedule_", "plait_flow_", "plait_data_",
                     "plait_await_task", "plait_world_", "plait_collective_")
# Structs with a drawing by hand.
NAMED = ("plait_context_desc", "plait_kernel_desc", "plait_wrap_desc", "plait_source")
VALUE_NAMES = {
    "timeout_ns": "draw_timeout(s)", "unit_ns": "draw_small(s, 50)", "times": "draw_small(s, 4)",
    "capacity_bytes": "draw_capacity(s)", "sequence": "draw_small(s, 4)", "pattern": "0",
    "branch_count": "draw_small(s, 4)", "cost": "draw_small(s, 50)", "budget_bytes": "draw_budget(s)",
    "workers": "draw_small(s, 3)", "lanes": "draw_small(s, 5)", "instances": "draw_small(s, 4)",
    "scratch_bytes": "draw_small(s, 5000)", "records": "draw_small(s, 100)", "after": "draw_node(s)",
    "before": "draw_node(s)", "node": "draw_node(s)", "id": "draw_event(s)",
    "native": "draw_word(s)", "capacity": "draw_small(s, 70)", "items": "draw_small(s, 70)",
    "group": "draw_small(s, 4)", "rows": "draw_small(s, 4)", "slices": "draw_small(s, 4)",
    **{key: "draw_small(s, 65)" for key in ("target_row", "target_slice", "source_row", "source_slice")},
}
api = json.load(open(sys.argv[1]))
enums = {e["name"]: e["values"] for e in api["enums"]}
structs = {s["name"]: s for s in api["structs"]}
done, text = set(), []


def is_left_out(name):
    return name in LEFT_OUT or name.startswith(LEFT_OUT_PREFIXES)


def bare(kind):
    return kind.replace("const ", "").replace("*const*", "**").rstrip("*").replace("plait_", "", 1)


def handle(kind):
    """The object of a handle's type, or None."""
    name = bare(kind)
    return name if kind.count("*") == 1 and name in HANDLES else None


def value(kind, name):
    if kind in enums:
        return "draw_enum(s, (const int64_t[]){ %s }, %d)" % (", ".join(enums[kind]), len(enums[kind]))
    return VALUE_NAMES.get(name, "draw_size(s)")


def draw_struct(name):
    if name in done or name in NAMED:
        return
    done.add(name)
    lines = []
    fields = structs[name]["fields"]
    for i, field in enumerate(fields):
        kind, key = field["type"], field["name"]
        following = fields[i + 1]["name"] if i + 1 < len(fields) else ""
        if key == "size":
            lines.append("out->size = draw_struct_size(s, sizeof(*out));")
        elif key == "flags" and kind == "uint32_t" or key.startswith("reserved"):
            lines.append("out->%s = draw_rare(s) ? (uint32_t)draw_word(s) : 0;" % key)
        elif "count" in field and kind != "char":
            lines.append("for (int i = 0; i < 3; i++)\n\t\tout->%s[i] = %s;" % (key, value(kind, key)))
        elif handle(kind):
            lines.append("out->%s = draw_%s(s);" % (key, handle(kind)))
        elif kind == "const char*":
            lines.append("out->%s = draw_text_or_null(s);" % key)
        elif kind == "plait_host_function":
            lines.append("out->%s = draw_function(s);" % key)
        elif kind == "plait_failure_function":
            lines.append("out->%s = draw_failure_function(s);" % key)
        elif kind in ("void*", "const void*") and key in ("value", "host"):
            lines.append("out->%s = draw_memory(s);" % key)
        elif kind == "void*":
            lines.append("out->%s = NULL;" % key)
        elif kind.startswith("const plait_") and bare(kind) == "node":
            lines.append("out->%s = draw_nodes(s);" % key)
        elif kind == "plait_device*const*":
            lines.append("out->%s = draw_devices(s);" % key)
        elif kind.startswith("const plait_") and "plait_" + bare(kind) in structs:
            inner = "plait_" + bare(kind)
            draw_struct(inner)
            many = any(f["name"] in (key[:-1] + "_count",) for f in fields) or following.endswith("_count")
            lines.append("out->%s = %s;" % (key, "draw_many_%s(s)" % inner if many else "draw_one_%s(s)" % inner))
        elif key.endswith("_count"):
            lines.append("out->%s = (uint32_t)draw_small(s, MOST_ELEMENTS + 1);" % key)
        elif "*" in kind:
            raise SystemExit("%s.%s: %s has no drawing" % (name, key, kind))
        elif key in ("bytes", "pattern_bytes") and name in ("plait_argument", "plait_binding", "plait_command"):
            lines.append("out->%s = draw_small(s, 17);" % key if key == "bytes" else
                         "out->%s = (uint32_t)draw_small(s, 9);" % key)
        else:
            lines.append("out->%s = (__typeof__(out->%s))%s;" % (key, key, value(kind, key)))
    text.append("static void draw_%s(struct stream *s, %s *out)\n{\n\tmemset(out, 0, sizeof(*out));\n%s\n}\n" % (
        name, name, "\n".join("\t" + ("if (draw_field(s))\n\t\t" if "out->size" not in line and "for (" not in line
                                      else "") + line for line in lines)))
    text.append("static inline %s *draw_one_%s(struct stream *s)\n{\n\t%s *out = keep(s, sizeof(*out));\n\n"
                "\tif (draw_rare(s))\n\t\treturn NULL;\n\tdraw_%s(s, out);\n\treturn out;\n}\n" % (name, name, name, name))
    text.append("static inline %s *draw_many_%s(struct stream *s)\n{\n"
                "\t%s *out = keep(s, MOST_ELEMENTS * sizeof(*out));\n\n"
                "\tfor (int i = 0; i < MOST_ELEMENTS; i++)\n\t\tdraw_%s(s, &out[i]);\n\treturn out;\n}\n" % (
                    name, name, name, name))


def call(function):
    name = function["name"]
    before, arguments, after = [], [], []
    parameters = function["parameters"]
    for i, p in enumerate(parameters):
        kind, key = p["type"], p["name"]
        following = parameters[i + 1]["name"] if i + 1 < len(parameters) else ""
        if p["ownership"] == "consumed":
            arguments.append("draw_owned_%s(s)" % handle(kind))
        elif kind == "plait_error*":
            arguments.append("&error")
        elif handle(kind):
            arguments.append("draw_%s(s)" % handle(kind))
        elif kind.endswith("**") and bare(kind) in HANDLES and key == "out_bodies":
            before.append("plait_graph *bodies[MOST_ELEMENTS] = { NULL };")
            arguments.append("bodies")
            after.append("for (int i = 0; i < MOST_ELEMENTS; i++)\n\t\town_graph(s, bodies[i]);")
        elif kind == "plait_buffer*const*":
            arguments.append("draw_buffers(s)")
        elif kind == "plait_queue*const*":
            arguments.append("draw_queues(s)")
        elif kind.endswith("**") and bare(kind) in HANDLES:
            before.append("plait_%s *%s = NULL;" % (bare(kind), key))
            arguments.append("&" + key)
            # What a query gives belongs to its parent: devices.
            after.append("%s_%s(s, %s);" % ("own" if p["ownership"] == "owned" else "note", bare(kind), key))
        elif kind == "const char*" or key == "text" and kind == "const char*":
            arguments.append("draw_%s(s)" % ("path" if key == "path" else "signature" if key == "signature" else
                                             "graph_text" if name == "plait_graph_read" and key == "text" else
                                             "text_or_null"))
        elif kind == "plait_host_function":
            arguments.append("draw_function(s)")
        elif kind == "void*" and key == "user_data":
            arguments.append("NULL")
        elif kind == "void*" and key == "pointer":
            arguments.append("draw_mapped(s)")
        elif kind in ("char*", "void*") and key == "buffer":
            arguments.append("draw_scratch(s)")
        elif kind in ("void*", "const void*") and key == "host":
            arguments.append("draw_memory(s)")
        elif kind == "const void*" and key == "bytes":
            arguments.append("draw_plan_bytes(s)")
        elif name == "plait_plan_read" and key == "count":
            arguments.append("s->plan_bytes")
        elif name == "plait_graph_read" and key == "bytes":
            arguments.append("s->graph_bytes")
        elif kind == "const plait_node*":
            arguments.append("draw_nodes(s)")
        elif kind == "plait_node*":
            before.append("plait_node node = 0;")
            arguments.append("&node")
            after.append("note_node(s, node);")
        elif kind.startswith("const plait_") and "plait_" + bare(kind) in structs:
            inner = "plait_" + bare(kind)
            draw_struct(inner)
            arguments.append(("draw_many_%s(s)" if following == "count" else "draw_one_%s(s)") % inner)
        elif kind.startswith("plait_") and kind.endswith("*") and "plait_" + bare(kind) in structs:
            inner = "plait_" + bare(kind)
            if following in ("count", "lane_count"):
                before.append("static _Thread_local %s %s[MOST_ELEMENTS];" % (inner, key))
                before.append("for (int i = 0; i < MOST_ELEMENTS; i++)\n\t\t"
                              "%s[i].size = (uint32_t)draw_struct_size(s, sizeof(%s));" % (key, inner))
                arguments.append(key)
            else:
                before.append("%s %s = { .size = draw_struct_size(s, sizeof(%s)) };" % (inner, key, inner))
                arguments.append("&" + key)
                if inner == "plait_event":
                    after.append("note_event(s, &%s);" % key)
        elif kind == "plait_any_function*":
            before.append("plait_any_function function = NULL;")
            arguments.append("&function")
        elif kind.endswith("*"):
            if kind.count("*") != 1 or "plait" in kind or "char" in kind:
                raise SystemExit("%s: %s %s has no drawing" % (name, kind, key))
            before.append("%s %s = 0;" % (kind[:-1], key))
            arguments.append("draw_rare(s) && %d ? NULL : &%s" % (p["nullable"], key))
        elif key in ("count", "lane_count"):
            arguments.append("draw_small(s, MOST_ELEMENTS + 1)")
        elif key == "bytes" and any(q["name"] == "host" for q in parameters):
            arguments.append("draw_small(s, MEMORY_BYTES + 1)")
        else:
            arguments.append("(%s)%s" % (kind, value(kind, key)))
    returns = function["result"]
    if any(p["type"] == "plait_error*" for p in parameters):
        before.insert(0, "plait_error error = { .size = sizeof(error) };")
    if returns == "plait_status":
        before.append("plait_status status;")
        judge = "judge(s, \"%s\", status, %s);" % (
            name, "&error" if any(p["type"] == "plait_error*" for p in parameters) else "NULL")
        invoke = "status = %s(%s);" % (name, ", ".join(arguments))
        after.insert(0, judge)
    else:
        invoke = "(void)%s(%s);" % (name, ", ".join(arguments))
    # A retained handle is owned once more, if it was alive: its pool knows.
    if name.endswith("_retain"):
        kind = handle(parameters[0]["type"])
        text.append("static void call_%s(struct stream *s)\n{\n\tretain_%s(s);\n}\n" % (name, kind))
        return
    if name.endswith("_release"):
        kind = handle(parameters[0]["type"])
        text.append("static void call_%s(struct stream *s)\n{\n\trelease_%s(s);\n}\n" % (name, kind))
        return
    # In order: the order in which C evaluates arguments differs between compilers.
    for i, (argument, p) in enumerate(zip(arguments, parameters)):
        if "draw_" in argument:
            kind = p["type"] if "*" in p["type"] else p["type"] + " "
            before.append("%sa%d = %s;" % (kind, i, argument))
            arguments[i] = "a%d" % i
    if returns == "plait_status":
        invoke = "status = %s(%s);" % (name, ", ".join(arguments))
    else:
        invoke = "(void)%s(%s);" % (name, ", ".join(arguments))
    declarations = [b for b in before if not b.startswith("for (")]
    loops = [b for b in before if b.startswith("for (")]
    text.append("static void call_%s(struct stream *s)\n{\n%s\n\tenter(s, \"%s\");\n\t%s\n%s\tleave(s);\n}\n" % (
        name, "".join("\t%s\n" % line for line in declarations + loops), name, invoke,
        "".join("\t%s\n" % line for line in after)))


for function in api["functions"]:
    if function["name"] not in WRITTEN and not is_left_out(function["name"]):
        call(function)
print("/* Generated by t/fuzz/generate_calls.py from bindings/api.json. */")
print("\n".join(text))
names = [f["name"] for f in api["functions"] if not is_left_out(f["name"])]
print("static const struct call {\n\tconst char *name;\n\tvoid (*call)(struct stream *s);\n} calls[] = {")
print("\n".join('\t{ "%s", call_%s },' % (n, n) for n in names))
print("};")
