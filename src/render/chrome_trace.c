/* SPDX-License-Identifier: MIT */
/*
 * Trace events for chrome://tracing and Perfetto: a thread per lane; a slice
 * per command, loop, decision and wait; a flow per wait of the plan.  Times are
 * in microseconds; three decimals keep full precision.
 */
#include "render/trace_model.h"
#include "plan/io/escape.h"

struct writer {
	plait__trace *trace;
	plait__text *out;
	uint64_t flows;
};

static void add_time(plait__text *out, const char *key, uint64_t ns)
{
	plait__text_add(out, ",\"%s\":%llu.%03u", key,
			(unsigned long long)(ns / 1000),
			(unsigned)(ns % 1000));
}

static void name_process(const struct writer *writer)
{
	const plait__trace *trace = writer->trace;

	plait__text_add(writer->out,
			"{\"displayTimeUnit\":\"ns\",\"otherData\":{"
			"\"makespan_ns\":%llu,\"begin_ns\":%llu,"
			"\"dropped\":%llu},\"traceEvents\":[\n{\"ph\":\"M\","
			"\"pid\":1,\"name\":\"process_name\",\"args\":{"
			"\"name\":\"plan of %u nodes\"}}",
			(unsigned long long)trace->makespan,
			(unsigned long long)trace->begin_ns,
			(unsigned long long)trace->dropped,
			plait__plan_nodes_in(trace->plan));
}

static void name_lanes(const struct writer *writer)
{
	const plait__plan *plan = writer->trace->plan;

	for (uint32_t i = 0; i < writer->trace->lane_count; i++) {
		plait__text_add(writer->out,
				",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
				"\"name\":\"thread_name\",\"args\":{\"name\":",
				i);
		if (writer->trace->lane_count < plan->lanes_count)
			plait__text_add(writer->out, "\"all lanes\"");
		else
			plait__text_add(writer->out, "\"lane %u\"", i);
		plait__text_add(writer->out,
				"}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
				"\"name\":\"thread_sort_index\",\"args\":{"
				"\"sort_index\":%u}}", i, i);
	}
}

static void add_name(const struct writer *writer,
		     const plait__trace_span *span)
{
	const plait__plan *plan = writer->trace->plan;

	if (span->kind == PLAIT__SPAN_WAIT) {
		plait__text_add(writer->out, "\"wait\"");
		return;
	}
	plait__escape_json_node(plan, plan->commands[span->command].node,
				writer->out);
}

static void add_command(const struct writer *writer, const char *key,
			uint32_t command)
{
	const plait__plan *plan = writer->trace->plan;

	if (command == PLAIT__NONE)
		return;
	plait__text_add(writer->out, ",\"%s\":", key);
	plait__escape_json_node(plan, plan->commands[command].node,
				writer->out);
}

static void add_arguments(const struct writer *writer,
			  const plait__trace_span *span)
{
	plait__text_add(writer->out, ",\"args\":{\"command\":%u,"
			"\"iteration\":%llu,\"thread\":%llu,\"critical\":%s",
			span->command, (unsigned long long)span->iteration,
			(unsigned long long)span->thread,
			span->critical ? "true" : "false");
	if (span->kind == PLAIT__SPAN_WAIT) {
		add_command(writer, "before", span->command);
		add_command(writer, "for", span->other);
	}
	if (span->kind == PLAIT__SPAN_DECISION)
		plait__text_add(writer->out, ",\"body\":%d",
				(int)span->other - 1);
	plait__text_add(writer->out, "}}");
}

static void add_span(const struct writer *writer,
		     const plait__trace_span *span)
{
	static const char *const kinds[] = {
		[PLAIT__SPAN_COMMAND] = "command",
		[PLAIT__SPAN_WAIT] = "wait",
		[PLAIT__SPAN_DECISION] = "decision",
		[PLAIT__SPAN_REGION] = "region",
	};

	plait__text_add(writer->out, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,"
			"\"cat\":\"%s\",\"name\":", span->lane,
			kinds[span->kind]);
	add_name(writer, span);
	add_time(writer->out, "ts", span->start);
	add_time(writer->out, "dur", span->end - span->start);
	add_arguments(writer, span);
}

/* A flow must start inside its slice, hence slightly before the end. */
static void add_flow(void *arg, uint32_t from, uint32_t to)
{
	struct writer *writer = arg;
	const plait__trace_span *a = &writer->trace->spans[from];
	const plait__trace_span *b = &writer->trace->spans[to];

	plait__text_add(writer->out, ",\n{\"ph\":\"s\",\"pid\":1,\"tid\":%u,"
			"\"cat\":\"order\",\"name\":\"before\",\"id\":%llu",
			a->lane, (unsigned long long)++writer->flows);
	add_time(writer->out, "ts", a->end > a->start ? a->end - 1 : a->end);
	plait__text_add(writer->out, "},\n{\"ph\":\"f\",\"bp\":\"e\",\"pid\":1,"
			"\"tid\":%u,\"cat\":\"order\",\"name\":\"before\","
			"\"id\":%llu", b->lane,
			(unsigned long long)writer->flows);
	add_time(writer->out, "ts", b->start);
	plait__text_add(writer->out, "}");
}

void plait__trace_json(plait__trace *trace, plait__text *out)
{
	struct writer writer = { .trace = trace, .out = out };

	name_process(&writer);
	name_lanes(&writer);
	/* Regions first: of slices that begin together the first is the outer
	 * one. */
	for (uint64_t i = trace->span_count; i < trace->count; i++)
		add_span(&writer, &trace->spans[i]);
	for (uint32_t i = 0; i < trace->span_count; i++)
		add_span(&writer, &trace->spans[i]);
	plait__trace_arrows(trace, add_flow, &writer);
	plait__text_add(out, "\n]}\n");
}
