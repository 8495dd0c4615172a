# SPDX-License-Identifier: MIT
"""The Julia side of bindings/generate.py: structs that lie as in C, and a
function for each of the library's, called through a pointer which is looked up
when the package is loaded."""
import re

JULIA = {"void": "Cvoid", "char": "UInt8", "float": "Float32", "double": "Float64"}
JULIA.update({"%sint%d_t" % (sign, bits): "%sInt%d" % (sign.upper(), bits)
              for sign in ("", "u") for bits in (8, 16, 32, 64)})
WORDS = ("begin", "end", "function", "module", "struct", "where", "in", "global", "local")


def julia_name(name):
    return name + "_" if name in WORDS else name


class Types:
    """C types as ccall has them: functions are plain pointers."""

    def __init__(self, api):
        self.functions = {c["name"] for c in api["callbacks"]}
        self.constants = api["constants"]

    def of(self, text):
        base = re.sub(r"\b(?:const|struct)\b|\*", " ", text).strip()
        stars = text.count("*")
        if base == "callback" or base in self.functions:
            base, stars = "void", stars + 1
        if base == "char" and stars == 1 and text.startswith("const"):
            return "Cstring"
        made = JULIA.get(base, base)
        return "Ptr{" * stars + made + "}" * stars

    def field(self, field):
        made = self.of(field["type"])
        if "count" in field:
            count = self.constants.get(field["count"]) or int(field["count"])
            made = "NTuple{%d, %s}" % (count, made)
        return "    %s::%s" % (julia_name(field["name"]), made)


def function_text(function, types):
    names = [julia_name(p["name"]) for p in function["parameters"]]
    kinds = [types.of(p["type"]) for p in function["parameters"]]
    name = function["name"]
    return ["", "const %s_at = Ref{Ptr{Cvoid}}(C_NULL)" % name,
            '"%s - %s"' % (name, function["brief"].replace('"', '\\"')),
            "function %s(%s)" % (name, ", ".join(names)),
            "    ccall(%s_at[], %s, (%s), %s)" % (
                name, types.of(function["result"]),
                ", ".join(kinds) + ("," if len(kinds) == 1 else ""), ", ".join(names))
            if names else "    ccall(%s_at[], %s, ())" % (name, types.of(function["result"])),
            "end"]


def julia_text(api, note):
    types = Types(api)
    lines = ["# SPDX-License-Identifier: MIT", '"%s"' % note, "module Raw", ""]
    lines += ["const %s = %s" % (name, JULIA[base]) for name, base in api["scalars"].items()]
    lines += ["", "# Constants"]
    kinds = {value: enum["name"] for enum in api["enums"] for value in enum["values"]}
    lines += ["const %s = %s(%d)" % (name, kinds.get(name, "UInt32"), value)
              for name, value in api["constants"].items()]
    lines += ["", "# Handles"]
    lines += ["mutable struct %s end" % name for name in api["opaque"]]
    for struct in api["structs"]:
        lines += ["", "struct %s" % struct["name"]]
        lines += [types.field(f) for f in struct["fields"]] + ["end"]
    lines += ["", "const STRUCTS = DataType["] + ["    %s," % s["name"] for s in api["structs"]] + ["]"]
    for function in api["functions"]:
        lines += function_text(function, types)
    lines += ["", "# The functions, and where their addresses are kept", "const FUNCTIONS = Tuple{Symbol,Base.RefValue{Ptr{Cvoid}}}["]
    lines += ["    (:%s, %s_at)," % (f["name"], f["name"]) for f in api["functions"]]
    return "\n".join(lines + ["]", "", "end", ""])
