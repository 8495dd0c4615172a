/* SPDX-License-Identifier: MIT */
/* Links between memories: bandwidths by hand, the text form and its errors. */
#include "lib/tap.h"

#include "base/alloc.h"
#include "flow/policy/links_read.h"

#include <string.h>

static plait__links links;
static plait_error error;

static plait_status read_text(uint32_t count, const char *text)
{
	error = (plait_error){ .size = sizeof(error) };
	if (plait__links_init(&links, plait__alloc_default(), count,
			      count - 1) != PLAIT_OK)
		return PLAIT_E_NOMEM;
	return plait__links_read(&links, text, strlen(text), "links.csv",
				 &error);
}

/* The values of GrCUDA's tests: the mean of both directions, or the only one. */
static void bandwidths(void)
{
	static const uint64_t want[3][3] = { { 30, 45, 10 }, { 45, 60, 20 },
					     { 10, 20, 0 } };

	IS_INT(read_text(3, "From,To,Bandwidth\n-1,0,10\n-1,1,20\n0,0,30\n"
			    "0,1,40\n1,0,50\n1,1,60\n"), PLAIT_OK);
	for (uint32_t a = 0; a < 3; a++)
		for (uint32_t b = 0; b < 3; b++)
			IS_UINT(plait__links_bandwidth(&links, a, b),
				want[a][b]);
	IS_UINT(plait__links_bandwidth_from(&links, 7, 0, true), UINT64_MAX);
	IS_UINT(plait__links_bandwidth_from(&links, 7, 0, false), UINT64_MAX);
	IS_UINT(plait__links_bandwidth_from(&links, 6, 0, true), 10);
	IS_UINT(plait__links_bandwidth_from(&links, 6, 0, false), 45);
	IS_UINT(plait__links_bandwidth_from(&links, 0, 0, false), 0);
	/* A direction without figures has those of the other. */
	IS_UINT(plait__links_get(&links, 0, 2)->rate, 10000);
	IS_UINT(plait__links_get(&links, 0, 1)->rate, 40000);
	plait__links_fini(&links);
}

/* Rounded down, at least 1; a link that is missing is no worst one. */
static void rounding(void)
{
	IS_INT(read_text(4, "0,1,0.999\n1,0,0.001\n0,2,1.9999\n2,0,3.0\n"
			    "# the host\n\n \t\n-1,0,0.5\r\n 2 , -1 , 7\n"),
	       PLAIT_OK);
	IS_UINT(plait__links_bandwidth(&links, 0, 1), 1);
	IS_UINT(plait__links_get(&links, 0, 2)->rate, 1999);
	IS_UINT(plait__links_bandwidth(&links, 0, 2), 2);
	IS_UINT(plait__links_bandwidth(&links, 0, 3), 1);
	IS_UINT(plait__links_bandwidth(&links, 1, 2), 0);
	IS_UINT(plait__links_bandwidth_from(&links, 2 | 8, 2, true), 7);
	IS_UINT(plait__links_bandwidth_from(&links, 2, 2, true), 0);
	plait__links_set(&links, 0, 1, UINT64_MAX, 0);
	plait__links_set(&links, 1, 0, UINT64_MAX, 0);
	IS_UINT(plait__links_bandwidth(&links, 0, 1), UINT64_MAX / 1000);
	plait__links_fini(&links);
}

static void latencies_stay(void)
{
	static const char text[] = "0,1,2\n";

	IS_INT(plait__links_init(&links, plait__alloc_default(), 2, 1),
	       PLAIT_OK);
	plait__links_set(&links, 0, 1, 0, 700);
	plait__links_set(&links, 1, 0, 5, 800);
	error = (plait_error){ .size = sizeof(error) };
	IS_INT(plait__links_read(&links, "0,-1,2", 6, "x", &error), PLAIT_OK);
	IS_UINT(plait__links_get(&links, 0, 1)->rate, 2000);
	IS_UINT(plait__links_get(&links, 0, 1)->latency_ns, 700);
	IS_UINT(plait__links_get(&links, 1, 0)->latency_ns, 800);
	IS_INT(plait__links_read(&links, text, 0, "x", &error), PLAIT_OK);
	plait__links_fini(&links);
}

/* Devices have the other memories, in their order. */
static void host_first(void)
{
	static const char text[] = "-1,0,1\n0,1,2\n1,-1,3\n";

	error = (plait_error){ .size = sizeof(error) };
	for (uint32_t host = 0; host < 3; host++) {
		uint32_t one = host == 0, two = host == 2 ? 1 : 2;

		IS_INT(plait__links_init(&links, plait__alloc_default(), 3,
					 host), PLAIT_OK);
		IS_INT(plait__links_read(&links, text, sizeof(text) - 1, "x",
					 &error), PLAIT_OK);
		IS_UINT(plait__links_get(&links, host, one)->rate, 1000);
		IS_UINT(plait__links_get(&links, one, two)->rate, 2000);
		IS_UINT(plait__links_get(&links, two, host)->rate, 3000);
		plait__links_fini(&links);
	}
}

static void errors(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "0,1,2\n0,1,2,3\n", "links.csv:2: expected From,To,Bandwidth" },
		{ "0,1\n", "links.csv:1: expected From,To,Bandwidth" },
		{ "0,1,2,\n", "links.csv:1: expected From,To,Bandwidth" },
		{ "0,1,\n", "links.csv:1: expected From,To,Bandwidth" },
		{ "\nFrom,To,Bandwidth\n", "links.csv:2: \"From\": devices are "
		  "numbered 0 to 1, the host is -1" },
		{ "From,To\n", "links.csv:1: expected From,To,Bandwidth" },
		{ "2,0,1\n", "links.csv:1: \"2\": devices are numbered 0 to 1" },
		{ "0,-2,1\n", "links.csv:1: \"-2\": devices" },
		{ "0,,1\n", "links.csv:1: \"\": devices" },
		{ "0,99999999999999999999,1\n", "devices are numbered" },
		{ "0,1,0\n", "links.csv:1: \"0\": expected a bandwidth from "
		  "0.001 to 1000000 GB/s; leave out the line" },
		{ "0,1,0.0009\n", "expected a bandwidth" },
		{ "0,1,1.\n", "\"1.\": expected a bandwidth" },
		{ "0,1,.5\n", "\".5\": expected a bandwidth" },
		{ "0,1,1e3\n", "\"1e3\": expected a bandwidth" },
		{ "0,1,-4\n", "\"-4\": expected a bandwidth" },
		{ "0,1,1000000.001\n", "expected a bandwidth" },
		{ "0,1,18446744073709551616\n", "expected a bandwidth" },
		{ "0,1,5\n1,0,5\n0,1,5\n", "links.csv:3: the link from 0 to 1 "
		  "is given twice; leave out one" },
	};

	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		IS_INT(read_text(3, cases[i].text), PLAIT_E_INVALID);
		HAS_STR(error.text, cases[i].error);
		plait__links_fini(&links);
	}
	IS_INT(read_text(1, "0,-1,5"), PLAIT_E_INVALID);
	HAS_STR(error.text, "there are no devices; the host is -1");
	plait__links_fini(&links);
	IS_INT(read_text(3, "0,1,1000000\n"), PLAIT_OK);
	plait__links_fini(&links);
}

static const struct tap_scenario all[] = {
	{ "bandwidths", bandwidths },
	{ "rounding", rounding },
	{ "latencies stay", latencies_stay },
	{ "host first", host_first },
	{ "errors", errors },
};

TAP_MAIN(all)
