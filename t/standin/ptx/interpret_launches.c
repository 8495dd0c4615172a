/* SPDX-License-Identifier: MIT */
/* Launches of the interpreter of PTX: barriers, calls, warps, atomics; and faults,
 * each with the result and the words that tell its place. */
#include "interpret.h"

enum { SEEDS = 20 };

#define BEGIN INTERPRET_HEAD \
	".extern .shared .align 8 .b8 more[];\n" \
	".const .align 4 .u32 three = 3;\n" \
	".visible .entry k(.param .u64 m)\n{\n" \
	".shared .align 8 .b8 s[1024];\n.local .align 4 .b8 own[16];\n" \
	".reg .b32 %i, %x, %y, %z;\n.reg .b64 %m, %at, %w;\n.reg .pred %p, %q;\n" \
	"ld.param.u64 %m, [m];\nmov.u32 %i, %tid.x;\n" \
	"mul.wide.u32 %at, %i, 4;\nadd.s64 %at, %m, %at;\n"
#define END "st.global.u32 [%at], %x;\nret;\n}\n"

static uint32_t *words(void)
{
	return (uint32_t *)(void *)interpret_memory;
}

static void is_done(const char *text, unsigned blocks, unsigned threads,
		    uint64_t seed)
{
	int result = interpret_run(text, blocks, threads, seed);

	OK_THAT(result == 0, "%d: %s", result, interpret_message);
}

/* --- what works ----------------------------------------------------------- */

/* Each thread takes its neighbour's number, through shared memory. */
static const char neighbours[] = BEGIN
	"shl.b32 %x, %i, 2;\nmov.u32 %y, s;\nadd.u32 %x, %x, %y;\n"
	"st.shared.u32 [%x], %i;\nbar.sync 0;\n"
	"xor.b32 %x, %x, 4;\nld.shared.u32 %x, [%x];\n" END;

static void barriers(void)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint32_t wrong = 0;

		is_done(neighbours, 1, 64, seed);
		for (uint32_t i = 0; i < 64; i++)
			wrong += words()[i] != (i ^ 1);
		IS_UINT(wrong, 0);
	}
}

static const char called[] = INTERPRET_HEAD
	".func (.param .b32 r) twice(.param .b32 a, .param .b64 b);\n"
	".func (.param .b32 r) twice(.param .b32 a, .param .b64 b)\n{\n"
	".reg .b32 %x;\n.reg .b64 %y;\n.reg .pred %p;\n"
	"ld.param.u32 %x, [a];\nld.param.u64 %y, [b];\n"
	"setp.eq.u64 %p, %y, 0;\n@%p bra end;\nsub.u64 %y, %y, 1;\n"
	"shl.b32 %x, %x, 1;\n"
	"{\n.param .b32 pa;\n.param .b64 pb;\n.param .b32 pr;\n"
	"st.param.b32 [pa], %x;\nst.param.b64 [pb], %y;\n"
	"call.uni (pr), twice, (pa, pb);\nld.param.b32 %x, [pr];\n}\n"
	"end:\nst.param.b32 [r], %x;\nret;\n}\n"
	".visible .entry k(.param .u64 m)\n{\n.reg .b32 %x;\n.reg .b64 %m, %y;\n"
	"ld.param.u64 %m, [m];\nmov.u64 %y, 10;\nmov.u32 %x, 3;\n"
	"{\n.param .b32 pa;\n.param .b64 pb;\n.param .b32 pr;\n"
	"st.param.b32 [pa], %x;\nst.param.b64 [pb], %y;\n"
	"call (pr), twice, (pa, pb);\nld.param.b32 %x, [pr];\n}\n"
	"st.global.u32 [%m], %x;\nret;\n}\n";

static void calls(void)
{
	is_done(called, 1, 1, 1);
	IS_UINT(words()[0], 3 << 10);
}

/* The sum of a warp, by an exchange of registers. */
static const char exchanged[] = BEGIN
	"mov.u32 %x, %i;\nmov.u32 %y, 16;\n"
	"again:\nshfl.sync.bfly.b32 %z, %x, %y, 31, -1;\nadd.s32 %x, %x, %z;\n"
	"shr.u32 %y, %y, 1;\nsetp.ne.u32 %p, %y, 0;\n@%p bra again;\n"
	"setp.lt.u32 %q, %i, 5;\nvote.sync.ballot.b32 %z, %q, -1;\n"
	"popc.b32 %z, %z;\nmad.lo.s32 %x, %z, 1000, %x;\n" END;

static void warps(void)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		is_done(exchanged, 1, 32, seed);
		IS_UINT(words()[seed], 5000 + 31 * 16);
	}
}

/* 8 blocks wait for each other, so they have to run together. */
static const char together[] = BEGIN
	"atom.global.add.u32 %x, [%m], 1;\n"
	"wait:\nld.volatile.global.u32 %x, [%m];\nsetp.lt.u32 %p, %x, 256;\n"
	"@%p bra wait;\nld.const.u32 %x, [three];\n"
	"st.global.u32 [%at+4], %x;\nret;\n}\n";

static void blocks(void)
{
	words()[0] = 0;
	is_done(together, 8, 32, 5);
	IS_UINT(words()[0], 256);
	IS_UINT(words()[9], 3);
}

static const char spaces[] = BEGIN
	"st.local.u32 [own+4], %i;\nmov.u64 %w, own;\ncvta.local.u64 %w, %w;\n"
	"ld.u32 %x, [%w+4];\n"
	"isspacep.local %p, %w;\nselp.u32 %y, 100, 0, %p;\nadd.u32 %x, %x, %y;\n"
	"st.shared.u32 [more+60], 7;\nld.shared.u32 %y, [more+60];\n"
	"add.u32 %x, %x, %y;\n" END;

static void memories(void)
{
	is_done(spaces, 1, 8, 3);
	IS_UINT(words()[7], 114);
}

static const char decides[] = INTERPRET_HEAD
	".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry k(.param .u64 m)\n{\n"
	"{\n.param .b64 h;\n.param .b32 v;\n.reg .b64 %h;\nmov.u64 %h, 77;\n"
	"st.param.b64 [h], %h;\nst.param.b32 [v], 5;\n"
	"call.uni cudaGraphSetConditional, (h, v);\n}\nret;\n}\n";

static void conditions(void)
{
	is_done(decides, 1, 1, 0);
	IS_UINT(interpret_handle, 77);
	IS_UINT(interpret_value, 5);
}

/* A pixel of a texture; one number and four to rows of a surface. */
static const char pixels[] = BEGIN
	".reg .f32 %a, %b, %c, %d, %u, %v;\n.reg .b64 %t, %s;\n"
	"mov.u64 %t, 77;\nmov.u64 %s, 78;\nmov.f32 %u, 0f40000000;\n"
	"mov.f32 %v, 0f3F000000;\nmov.u32 %y, 3;\nmov.u32 %z, 4;\n"
	"tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%u, %v}];\n"
	"cvt.rzi.u32.f32 %x, %d;\n"
	"sust.b.2d.b32.trap [%s, {%z, %y}], {%x};\nmov.u32 %z, 0;\n"
	"mov.u32 %y, 4;\n"
	"sust.b.2d.v4.b32.trap [%s, {%z, %y}], {%x, %y, %z, %x};\n" END;

static void images(void)
{
	const uint32_t *half = words() + INTERPRET_WORDS;

	is_done(pixels, 1, 1, 1);
	IS_UINT(words()[0], 420);
	IS_UINT(half[4 * 3 + 1], 420);
	IS_UINT(half[4 * 4], 420);
	IS_UINT(half[4 * 4 + 1], 4);
	IS_UINT(half[4 * 4 + 3], 420);
}

/* --- faults --------------------------------------------------------------- */

static const struct {
	const char *name, *text, *words;
	int result;
} faults[] = {
	{ "bounds", BEGIN "ld.global.u32 %x, [%at+4096];\n" END,
	  "kernel k, line 17: `ld.global.u32 %x, [%at+4096]`", PTX_BAD_ADDRESS },
	{ "bounds of shared memory", BEGIN "ld.shared.u32 %x, [s+1024];\n" END,
	  "reads 4 bytes at 0x400", PTX_BAD_ADDRESS },
	{ "dynamic shared memory", BEGIN "st.shared.u32 [more+64], %i;\n" END,
	  "writes 4 bytes", PTX_BAD_ADDRESS },
	{ "bounds of local memory", BEGIN "st.local.u32 [own+16], %i;\n" END,
	  "(local)", PTX_BAD_ADDRESS },
	{ "a store to constants", BEGIN "mov.u64 %w, three;\n"
	  "cvta.const.u64 %w, %w;\nst.u32 [%w], %i;\n" END, "writes 4 bytes",
	  PTX_BAD_ADDRESS },
	{ "alignment", BEGIN "ld.global.u64 %w, [%m+4];\n" END,
	  "not a multiple of 8", PTX_MISALIGNED },
	{ "a race of stores", BEGIN "st.shared.u32 [s], %i;\n" END,
	  "race in shared memory", PTX_FAILED },
	{ "a race of a load", BEGIN "setp.ne.u32 %p, %i, 40;\n"
	  "@!%p st.shared.u32 [s], %i;\n@%p ld.shared.u32 %x, [s];\n" END,
	  "race in shared memory", PTX_FAILED },
	{ "an atomic and a store", BEGIN "setp.ne.u32 %p, %i, 40;\n"
	  "@!%p st.shared.u32 [s], %i;\n@%p atom.shared.add.u32 %x, [s], 1;\n"
	  END, "race in shared memory", PTX_FAILED },
	{ "a barrier of some", BEGIN "setp.lt.u32 %p, %i, 9;\n"
	  "@%p bar.sync 0;\n" END, "divergent barrier: 9 of 64", PTX_FAILED },
	{ "two barriers", BEGIN "setp.lt.u32 %p, %i, 9;\n"
	  "@%p bar.sync 0;\n@!%p bar.sync 0;\n" END, "divergent barrier",
	  PTX_FAILED },
	{ "a dead surface", BEGIN "mov.u32 %x, 0;\n"
	  "sust.b.2d.b32.trap [%m, {%x, %x}], {%x};\n" END, "the handle is "
	  "none", PTX_BAD_ADDRESS },
	{ "a row outside", BEGIN "mov.u64 %w, 78;\nmov.u32 %x, 16;\n"
	  "sust.b.2d.b32.trap [%w, {%x, %x}], {%x};\n" END, "no pixel of 0x4e",
	  PTX_BAD_ADDRESS },
	{ "another texture", BEGIN "tex.3d.v4.f32.f32 {%x, %x, %x, %x}, "
	  "[%w, {%x, %x, %x, %x}];\n" END, "is not supported", -1 },
	{ "a trap", BEGIN "trap;\n" END, "`trap`", PTX_TRAPPED },
	{ "steps", BEGIN "forever:\nbra forever;\n" END, "limit of 1048576",
	  PTX_STEPS },
	{ "an unknown instruction", BEGIN "wgmma.fence.sync.aligned;\n" END,
	  "line 17: `wgmma.fence.sync.aligned` is not supported", -1 },
	{ "an unknown function", INTERPRET_HEAD ".extern .func f();\n"
	  ".visible .entry k(.param .u64 m)\n{\ncall f, ();\nret;\n}\n",
	  "unresolved extern function `f`", -1 },
	{ "no label", BEGIN "bra nowhere;\n" END, "no label `nowhere`", -1 },
};

static void failures(void)
{
	for (size_t i = 0; i < TAP_COUNT(faults); i++)
		for (uint64_t seed = 0; seed < 4; seed++) {
			IS_INT(interpret_run(faults[i].text, 2, 64, seed),
			       faults[i].result);
			HAS_STR(interpret_message, faults[i].words);
		}
}

/* Accesses that only look like races: equal values, atomics, a warp's own
 * barrier. */
static const char *const peaceful[] = {
	BEGIN "st.shared.u32 [s], 7;\nmov.u32 %x, 7;\n" END,
	BEGIN "setp.eq.u32 %p, %i, 0;\n@%p st.shared.u32 [s], 0;\nbar.sync 0;\n"
	"atom.shared.add.u32 %x, [s], 1;\nbar.sync 0;\n"
	"ld.shared.u32 %x, [s];\nsub.u32 %x, %x, 25;\n" END,
	BEGIN "shl.b32 %x, %i, 2;\nmov.u32 %y, s;\nadd.u32 %x, %x, %y;\n"
	"st.shared.u32 [%x], 7;\nbar.warp.sync -1;\nxor.b32 %x, %x, 4;\n"
	"ld.shared.u32 %x, [%x];\n" END,
};

static void no_races(void)
{
	for (size_t i = 0; i < TAP_COUNT(peaceful); i++)
		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			is_done(peaceful[i], 1, 32, seed);
			IS_UINT(words()[31], 7);
		}
}

static const struct tap_scenario all[] = {
	{ "barriers", barriers }, { "calls", calls }, { "warps", warps },
	{ "blocks", blocks }, { "memories", memories },
	{ "conditions", conditions }, { "images", images },
	{ "failures", failures },
	{ "no races", no_races },
};

TAP_MAIN(all)
