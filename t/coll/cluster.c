/* SPDX-License-Identifier: MIT */
/* Text form of clusters: values, defaults, and each mistake with its line. */
#include "coll/price/cluster.h"
#include "lib/tap.h"

#include <string.h>

#define NEEDED "cluster ranks=8\nlane rate=20\nsimple link=1 network=2\n" \
	       "ll link=3\n"

static plait_status read(const char *text, plait__cluster *out,
			 plait_error *error)
{
	return plait__cluster_read(text, strlen(text), "a.cluster", out, error);
}

static void reads_all_fields(void)
{
	static const char text[] = "# two nodes\n"
		"cluster nodes=2 ranks=8 start=5000 step=100\r\n\n"
		"  lane rate=20000 most=7\t# of one lane\nmemory rate=1\n"
		"link rate=300000\nnetwork rate=25000 ports=4 message=900\n"
		"simple link=3400 network=14000\n"
		"ll link=600 network=2700 wire=2 data=1\n"
		"ll128 link=1900 network=4000 wire=16 data=15";
	plait_error error = { .size = sizeof(error) };
	plait__cluster cluster;

	OK_THAT(read(text, &cluster, &error) == PLAIT_OK, "%s", error.text);
	IS_UINT(cluster.nodes, 2);
	IS_UINT(cluster.ranks, 8);
	IS_UINT(cluster.start_ns, 5000);
	IS_UINT(cluster.step_ns, 100);
	IS_UINT(cluster.lane_rate, 20000);
	IS_UINT(cluster.lanes, 7);
	IS_UINT(cluster.memory_rate, 1);
	IS_UINT(cluster.link_rate, 300000);
	IS_UINT(cluster.network_rate, 25000);
	IS_UINT(cluster.ports, 4);
	IS_UINT(cluster.message_ns, 900);
	IS_UINT(cluster.protocols[0].link_ns, 3400);
	IS_UINT(cluster.protocols[0].wire, 1);
	IS_UINT(cluster.protocols[1].network_ns, 2700);
	IS_UINT(cluster.protocols[2].wire, 16);
	IS_UINT(cluster.protocols[2].data, 15);
}

static void has_defaults(void)
{
	plait_error error = { .size = sizeof(error) };
	plait__cluster cluster;

	OK_THAT(read(NEEDED, &cluster, &error) == PLAIT_OK, "%s", error.text);
	IS_UINT(cluster.nodes, 1);
	IS_UINT(cluster.start_ns, 0);
	IS_UINT(cluster.lanes, 1000000000);
	IS_UINT(cluster.memory_rate, 100000000);
	IS_UINT(cluster.ports, 1);
	IS_UINT(cluster.message_ns, 0);
	IS_UINT(cluster.protocols[1].network_ns, 0);
	IS_UINT(cluster.protocols[2].data, 1);
}

static void names_mistakes(void)
{
	static const struct {
		const char *text, *part;
	} mistakes[] = {
		{ "", "a.cluster: ranks of the line cluster is missing" },
		{ "cluster ranks=8\n", "rate of the line lane is missing" },
		{ NEEDED "\nlanes rate=1", "a.cluster:6: \"lanes\" begins no "
		  "line" },
		{ "lane rat=1\n", "a.cluster:1: \"rat=1\" is no field" },
		{ "lane rate\n", "\"rate\" is not of the form" },
		{ "\nlane rate=0", "a.cluster:2: \"rate=0\": expected a number "
		  "from 1 to 100000000" },
		{ "lane rate=", "expected a number" },
		{ "lane rate=1x", "expected a number" },
		{ "lane rate=-1", "expected a number" },
		{ "lane rate=4294967297", "expected a number" },
		{ "lane rate=1 rate=1", "\"rate=1\" is given twice" },
		{ NEEDED "lane rate=2", "a.cluster:5: \"rate=2\" is given" },
		{ NEEDED "network ports=9", "9 ports of a node with 8 ranks" },
		{ "rate=1", "\"rate=1\" begins no line" },
	};

	for (size_t i = 0; i < TAP_COUNT(mistakes); i++) {
		plait_error error = { .size = sizeof(error) };
		plait__cluster cluster;

		IS_INT(read(mistakes[i].text, &cluster, &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, mistakes[i].part);
	}
}

static void survives_any_bytes(void)
{
	static const char letters[] = "cluster lane rate=19 \n#\r\t=";
	uint64_t state = tap_seed() * 2 + 1;
	uint32_t read_well = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		plait_error error = { .size = sizeof(error) };
		plait__cluster cluster;
		char text[160] = NEEDED;

		for (uint32_t j = 0; j < 3; j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			text[(state >> 33) % (sizeof(NEEDED) - 1)] =
				letters[(state >> 45) % sizeof(letters)];
		}
		read_well += plait__cluster_read(text, sizeof(NEEDED) - 1, "x",
						 &cluster, &error) == PLAIT_OK;
	}
	OK_THAT(read_well > 0 && read_well < 20000, "%u of 20000 are clusters",
		read_well);
}

static const struct tap_scenario all[] = {
	{ "reads all fields", reads_all_fields },
	{ "has defaults", has_defaults },
	{ "names mistakes", names_mistakes },
	{ "survives any bytes", survives_any_bytes },
};
TAP_MAIN(all)
