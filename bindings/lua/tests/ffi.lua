-- SPDX-License-Identifier: MIT
-- Tests of the module plait.ffi, which Lua 5.4 has in place of LuaJIT's ffi; TAP.
--
--     LUA_PATH="?.lua" lua5.4 tests/ffi.lua [SEED]
local ffi = require "plait.ffi"
local tap = require "tests.tap"
local ok, raises = tap.ok, tap.raises
local function is(got, want, name)
  tap.is(got, want, name)
  if got == want then ok(math.type(got) == math.type(want), name .. ": its type") end
end
local function put(at, key, value) at[key] = value end
local function get(at, key) return at[key] end

-- --- declarations ----------------------------------------------------------------

ffi.cdef [[
/* a comment */ enum { ONE = 1, TWO, MINUS = -3, SHIFTED = 1 << 4, BOTH = ONE | SHIFTED }; // another
typedef struct opaque opaque;
typedef struct other other;
typedef uint32_t word;
typedef struct { int first; short second, third; } pair;
struct nested { char c; double d; pair pairs[2]; const char *text; opaque *handle; struct nested *next; bool flag; };
typedef int32_t (*plain)(void *user);
typedef struct { plain function; void *(*resize)(void *, size_t old, uint64_t new); } hooks;
size_t strlen(const char *text);
char *strcpy(char *to, const char *from);
int abs(int);
double ldexp(double, int);
float fabsf(float);
int64_t atoll(const char *);
void *memset(void *, int, size_t);
opaque *opaque_of(other *one);
int not_there(void);
typedef struct { long quotient, rest; } by_value;
by_value ldiv(long, long);
]]
is(ffi.C.SHIFTED + ffi.C.BOTH + ffi.C.TWO + ffi.C.MINUS, 16 + 17 + 2 - 3, "constants")
is(ffi.sizeof "pair", 8, "a struct")
is(ffi.offsetof("struct nested", "d"), 8, "a field is aligned")
is(ffi.offsetof("struct nested", "flag"), 56, "the last of several")
is(ffi.sizeof "struct nested", 64, "so is the end")
is(ffi.sizeof "int32_t[2][3]", 24, "an array of arrays")
is(ffi.sizeof("float[?]", 5), 20, "an open array")
is(ffi.sizeof "unsigned long int", 8, "words in any order")
is(ffi.sizeof "plain", 8, "a function pointer")
is(ffi.sizeof "hooks", 16, "two of them")
for text, wanted in pairs {["float[3]"] = "float [3]", ["opaque *[?]"] = "struct opaque *[?]", ["int32_t[2][3]"] = "int32_t [2][3]",
                           ["struct nested"] = "struct nested"} do
  local made = text:find("?", 1, true) and ffi.new(text, 2) or ffi.new(text)
  is(ffi.typeof(made), wanted, "the text of " .. text)
end
for text, problem in pairs {
  ["int x"] = "a variable", ["union { int a; } u;"] = "no type", ["struct bits { int a : 3; };"] = 'expected ";"',
  ["nothing x;"] = "no type", ["int x;"] = "a variable", ["int f(int, ...);"] = "no type", ["struct s { void v; };"] = "size",
  ["struct self { struct self s; };"] = "size", ["typedef int"] = "expected a name", ["enum { A = };"] = "expected a number",
  ["enum { A = B_C };"] = "no constant", ["typedef int t[-1];"] = "below 0", ["pair p(pair q)"] = 'expected ";"',
  ["typedef int t[" .. "1][" .. "0x7fffffffffffffff];"] = "too large", ["int " .. ("*"):rep(100) .. "p();"] = "too deep",
  [("struct { "):rep(100)] = "too deep", ["typedef int t" .. ("[1]"):rep(100) .. ";"] = "too deep",
  [("x"):rep(200) .. ";"] = "too long", ["struct pair2 { int a; }; struct pair2 { int a; };"] = "already",
  ["struct inner { struct inner { int a; } b; };"] = "already", ["struct huge { char a[0x7fffffffffff], b[0x7fffffffffff]; };"] = "too large", ["int (*f"] = "without an end",
} do raises(problem, "refused: " .. text:sub(1, 50), ffi.cdef, text) end
raises("line 3: no type at \"nonsense\"", "the line of a mistake", ffi.cdef, "typedef int fine;\n\nnonsense x;\n")
raises("expected the end", "more than a type", ffi.new, "int[1] x y")

-- --- numbers -----------------------------------------------------------------------

local function through(ctype, value)
  local at = ffi.new(ctype .. "[1]")
  at[0] = value
  return at[0]
end
for ctype, values in pairs {
  int8_t = {{-1, -1}, {200, -56}}, uint8_t = {{-1, 255}, {256, 0}, {1.9, 1}}, int16_t = {{40000, -25536}},
  uint32_t = {{-1, 0xffffffff}, {2 ^ 32 - 1, 0xffffffff}}, int = {{1e300, 0, any = true}},
  int64_t = {{math.mininteger, math.mininteger}, {-1e300, math.mininteger}, {0 / 0, 0}},
  uint64_t = {{-1, -1}, {1e300, -1}, {2.0 ^ 63, math.mininteger}}, bool = {{true, true}, {0, false}, {0.5, true}},
  float = {{0.1, 0x1.99999ap-4}, {3, 3.0}}, double = {{0.1, 0.1}}, char = {{65, 65}}, word = {{7, 7}}} do
  for _, one in ipairs(values) do
    local got = through(ctype, one[1])
    if not one.any then is(got, one[2], ("%s in %s"):format(one[1], ctype)) end
  end
end
is(ffi.cast("uint64_t", -1), -1, "a cast of a number")
is(ffi.cast("uint8_t", 511.5), 255, "a cast truncates")
for _, wrong in ipairs {"1", {}, print, ffi.new "int[1]"} do
  raises("cannot convert", "no number: " .. type(wrong), through, "int", wrong)
end
raises("cannot convert 'boolean' to 'float'", "a boolean is no float", through, "float", true)
raises("cannot convert 'number' to 'void %*'", "a number is no pointer", through, "void *", 1)
raises("write int%[1%]", "a number is no object", ffi.new, "int")

-- --- arrays and structs ------------------------------------------------------------

local array = ffi.new("int32_t[4]", 1, 2, 3)
is(array[0] + array[2] + array[3], 4, "values, and zeros behind them")
is(#array, 4, "a length")
is(#ffi.new("char[?]", 7), 7, "that of an open array")
is(ffi.sizeof(ffi.new("float[?]", 7)), 28, "its size")
is(ffi.new("int[3]", 5)[2], 5, "one value fills an array")
is(ffi.new("int[2][2]", {{1, 2}, {3, 4}})[1][0], 3, "tables in a table")
is(ffi.string(ffi.new("char[8]", "text")), "text", "a string in bytes")
is(ffi.string(ffi.new("char[2]", "text")), "te", "what fits of it")
for _, index in ipairs {-1, 4, math.maxinteger, math.mininteger, 2 ^ 40} do
  raises("index", "read at " .. index, get, array, index)
  raises("index", "write at " .. index, put, array, index, 1)
end
raises("not an integer", "an index with a fraction", get, array, 0.5)
raises("no field x", "no field of an array", get, array, "x")
raises("more values", "too many values", ffi.new, "int[2]", 1, 2, 3)
raises("more values", "too many in a table", ffi.new, "int[2]", {1, 2, 3})
raises("below 0", "less than no elements", ffi.new, "int[?]", -1)
raises("too large", "more elements than memory", ffi.new, "double[?]", math.maxinteger)
local one = ffi.new("struct nested", {c = 1, d = 2.5, pairs = {{1, 2, 3}, {first = 4}}, flag = true})
is(one.d + one.pairs[0].third + one.pairs[1].first, 9.5, "fields by name, and in order")
is(one.text, nil, "NULL is nil")
is(one.flag, true, "a boolean")
one.pairs[1] = one.pairs[0]
is(one.pairs[1].second, 2, "a struct is copied")
raises("no field wrong", "a field that is not there", get, one, "wrong")
raises("no field wrong", "to write either", put, one, "wrong", 1)
raises("no element 0", "a struct is no array", get, one, 0)
raises("cannot convert 'pair' to 'struct nested'", "another struct", put, ffi.new "struct nested[1]", 0, ffi.new "pair")
raises("no known size", "an opaque struct", ffi.new, "opaque")

-- --- pointers ----------------------------------------------------------------------

local second = array + 1
is(second[0] + second[-1] + second[2], 3, "elements from a pointer on")
is(second - array, 1, "a difference")
is(second == array + 1 and second ~= array, true, "equality")
is(#second, 3, "how many lie behind it")
raises("bytes at", "behind the array", get, second, 3)
raises("bytes at", "before it", get, second, -2)
is((second + 1000)[-1000], 2, "a pointer may leave, and come back")
raises("bytes at", "but not be used there", get, second + 1000, 0)
raises("too far", "nor go that far", function() return second + math.maxinteger end)
raises("no pointer", "an opaque pointer stays", function() return ffi.cast("opaque *", 8) + 1 end)
raises("content is not known", "and has no content", get, ffi.cast("opaque *", 8), 0)
local bytes = ffi.cast("uint8_t *", array)
bytes[5] = 1
is(array[1], 0x102, "a cast sees the same memory")
raises("bytes at", "to its end", get, bytes, 16)
is(ffi.cast("void *", nil), nil, "no pointer is nil")
is(ffi.cast("uintptr_t", ffi.cast("void *", 0x1234)), 0x1234, "an address and back")
is(ffi.cast("int", nil), 0, "nil as a number")
one.text = "constant"
is(ffi.string(one.text), "constant", "a string as a pointer")
raises("constant memory", "a string is not written", put, ffi.cast("const char *", "abc"), 0, 65)
raises("bytes at", "nor read behind its end", get, ffi.cast("const char *", "abc"), 4)
raises("cannot convert 'string' to 'char %*'", "no string for memory", ffi.C.strcpy, "to", "from")
one.handle = ffi.cast("opaque *", 8)
raises("cannot convert 'struct other %*' to 'struct opaque %*'", "another handle", put, one, "handle", ffi.cast("other *", 8))
raises("cannot convert 'function' to 'int32_t", "a function of Lua", put, ffi.new "hooks", "function", print)

-- --- bytes ---------------------------------------------------------------------------

is(ffi.string(array, 4), "\1\0\0\0", "bytes of an object")
raises("bytes at 0", "more than it has", ffi.string, array, 17)
is(#ffi.string(ffi.new("char[3]", "xyz")), 3, "a text without end ends with its memory")
raises("no characters", "a text of integers", ffi.string, array)
ffi.copy(array, "\7\0\0\0", 4)
is(array[0], 7, "a copy of a string")
raises("more bytes than", "more than the string has", ffi.copy, array, "abc", 5)
raises("bytes at", "more than there is room for", ffi.copy, second, ("x"):rep(13), 13)
raises("bytes at", "more than the source has", ffi.copy, ffi.new "char[100]", second, 13)
raises("below 0", "less than nothing", ffi.copy, array, second, -1)

-- --- views, and what keeps what --------------------------------------------------------

local view = ffi.view("int32_t", ffi.cast("void *", array), 2)
is(view[1], 0x102, "a view")
is(#view, 2, "has a length")
is(ffi.sizeof(view), 8, "and a size")
raises("bytes at", "and an end", get, view, 2)
local derived = view + 1
ffi.end_view(view)
for what, late in pairs {view = view, ["pointer into it"] = derived, ["cast of it"] = ffi.cast("char *", view)} do
  raises("no longer mapped", "a " .. what .. " after its end", get, late, 0)
end
raises("no longer mapped", "as an argument", ffi.C.memset, view, 0, 4)
raises("no longer mapped", "as a source", ffi.copy, array, view, 4)
raises("no view", "an array is none", ffi.end_view, array)

local function alive(make)
  local made, known = make()
  for _ = 1, 3 do collectgarbage() end
  return made, known
end
local part, owner = alive(function()
  local whole = ffi.new("struct nested[4]")
  whole[2].pairs[1].third = 77
  return whole[2].pairs[1], setmetatable({whole}, {__mode = "v"})
end)
is(part.third, 77, "a part keeps the whole")
ok(owner[1], "which is still there")
part = nil
for _ = 1, 3 do collectgarbage() end
is(owner[1], nil, "as long as the part lives")
local text = alive(function() return ffi.cast("const char *", ("long text "):rep(20)) + 5 end)
is(ffi.string(text, 4), "text", "a pointer into a string keeps it")

local ended = {}
do
  local gone = ffi.gc(ffi.new "int[1]", function(object) ended[#ended + 1] = ffi.typeof(object) end)
  ffi.gc(ffi.gc(ffi.new "char[1]", function() ended[#ended + 1] = "taken back" end), nil)
  gone = nil
  for _ = 1, 3 do collectgarbage() end
  is(table.concat(ended, " "), "int [1]", "a finalizer runs once, and not if it is taken back")
end

-- --- calls -----------------------------------------------------------------------------

is(ffi.C.strlen "four", 4, "a string as an argument")
is(ffi.C.abs(-3), 3, "an integer")
is(ffi.C.ldexp(0.75, 3), 6.0, "a double")
is(ffi.C.fabsf(-1.5), 1.5, "a float")
is(ffi.C.atoll "-9223372036854775808", math.mininteger, "64 bits")
is(ffi.string(ffi.C.strcpy(ffi.new "char[8]", "copied")), "copied", "a pointer as the result")
is(ffi.cast("size_t (*)(const char *)", ffi.C.strlen) "four", 4, "by a pointer to it")
raises("1 arguments for a function with 3", "too few arguments", ffi.C.memset, array)
raises("2 arguments for a function with 1", "too many", ffi.C.abs, 1, 2)
raises("cannot convert 'nil' to 'int'", "no number", ffi.C.abs, nil)
raises("by value", "a struct by value", function() return ffi.C.ldiv(7, 2) end)
raises("has no not_there", "a function that the library lacks", get, ffi.C, "not_there")
raises("undeclared is not declared", "a name that is not declared", get, ffi.C, "undeclared")
raises("is no function", "a call of memory", function() return array(1) end)
raises("nowhere", "a library that is missing", ffi.load, "/nowhere.so")

-- --- any program -----------------------------------------------------------------------

-- Random declarations, types and accesses end or are errors.
local seed = tonumber((...)) or os.time()
math.randomseed(seed)
print("# seed " .. seed)
local words = {"typedef", "struct", "enum", "int", "unsigned", "char", "pair", "x", "*", "(", ")", "[", "]", "{", "}", ",", ";",
               "=", "1", "-", "<<", "?", "const", "...", "0x7fffffffffffffff", "/*", "\n", "void", "double", "64", "nested", "\""}
local ctypes = {"int32_t *", "char *", "pair *", "struct nested *", "double *", "pair (*)[2]", "uint64_t *", "bool *"}
local keys = {0, 1, 3, -1, 1000, "first", "pairs", "d", "text", "x", 1.5}
for _ = 1, 20000 do
  local parts = {}
  for i = 1, math.random(12) do parts[i] = words[math.random(#words)] end
  local text = table.concat(parts, " ")
  pcall(ffi.cdef, text)
  local good, object = pcall(ffi.new, text, math.random(0, 5))
  if not good then object = ffi.new("char[?]", math.random(0, 64)) end
  for _ = 1, 5 do
    local cast
    good, cast = pcall(ffi.cast, ctypes[math.random(#ctypes)], object)
    if good and cast then
      pcall(put, cast, keys[math.random(#keys)], math.random(0, 9))
      local fine, value = pcall(get, cast, keys[math.random(#keys)])
      -- A pointer that was read from those bytes is as wild as they are.
      if fine and getmetatable(value) == "ffi" and not ffi.typeof(value):find "%*" then object = value end
    end
  end
end
ok(true, "random programs")

collectgarbage()
local before = collectgarbage "count"
for i = 1, 100000 do
  local made = ffi.new("double[?]", i % 50 + 1)
  made[0] = ffi.C.ldexp(1, i % 5)
  made = ffi.cast("char *", made) + 1
end
collectgarbage()
ok(collectgarbage "count" < before + 64, "100,000 objects leave nothing")
tap.done(true)
