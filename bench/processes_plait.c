/* SPDX-License-Identifier: MIT */
/*
 * plait's side of bench/processes: a collective of a world.
 *
 *	processes_plait allreduce|alltoall ALGORITHM RANKS BYTES SAMPLES
 *		-> times of the samples in us
 *
 * RANKS processes over shm; 0: this process is a rank, as PLAIT_TRANSPORT and a
 * launcher say.  ALGORITHM is one of plait_coll_known, of memory of the program, or
 * with the prefix "shared:" of buffers that peers read in place.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "plait/plait.h"

#include "processes.h"

static struct {
	uint32_t rank, ranks;
	uint64_t bytes;
	plait_context *context;
	plait_world *world;
	plait_collective *meeting, *collective;
	plait_collective_run meet, run;
	plait_buffer *buffers[2];
	plait_error error;
} me;

static void need(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "rank %u: %s\n", me.rank, me.error.text);
	_exit(1);
}

static plait_collective *make(const char *name, plait_coll_kind kind,
			      plait_coll_flags flags)
{
	const plait_coll_desc desc = { .size = sizeof(desc), .kind = kind,
				       .flags = flags, .ranks = me.ranks };
	plait_collective *out;
	plait_schedule *schedule;
	plait_coll *coll;

	need(plait_coll_known(me.context, name, &desc, &coll, &me.error));
	need(plait_coll_compile(coll, NULL, &schedule, &me.error));
	need(plait_collective_create(me.world, &schedule, 1, &out, &me.error));
	plait_schedule_release(schedule);
	plait_coll_release(coll);
	return out;
}

static void run_once(void)
{
	need(plait_collective_call(me.collective, &me.run, &me.error));
}

/* A barrier: a small sum. */
static void meet(void)
{
	need(plait_collective_call(me.meeting, &me.meet, &me.error));
}

static void open_world(void)
{
	plait_world_info info = { .size = sizeof(info) };
	plait_world_desc desc = { .size = sizeof(desc) };
	plait_context_desc how = { .size = sizeof(how), .backends = "host",
				   .flags = PLAIT_CONTEXT_NO_WORKERS };
	char options[96];

	snprintf(options, sizeof(options), "shm:rank=%u,ranks=%u,name=b%ld",
		 me.rank, me.ranks, (long)(me.rank == 0 ? getpid() :
							  getppid()));
	if (me.ranks > 0) {
		how.options = options;
		desc.transports = "shm";
	}
	me.error.size = sizeof(me.error);
	need(plait_context_open(&how, &me.context, &me.error));
	need(plait_world_open(me.context, &desc, &me.world, &me.error));
	need(plait_world_query(me.world, &info, &me.error));
	me.rank = info.rank;
	me.ranks = info.ranks;
}

static void prepare(const char *operation, const char *algorithm, void *in,
		    void *out)
{
	static float one[1];
	int is_alltoall = strcmp(operation, "alltoall") == 0;
	uint64_t count = me.bytes / sizeof(float);

	me.run = (plait_collective_run){
		.size = sizeof(me.run), .element = PLAIT_ELEMENT_FLOAT,
		.element_bits = 32, .reduction = PLAIT_REDUCE_SUM,
		.count = is_alltoall ? count / me.ranks : count,
		.input_memory = is_alltoall ? in : NULL,
		.output_memory = is_alltoall ? out : in,
	};
	me.meet = me.run;
	me.meet.count = 1;
	me.meet.input_memory = NULL;
	me.meet.output_memory = one;
	me.meeting = make("onestep", PLAIT_COLL_ALLREDUCE,
			  PLAIT_COLL_IN_PLACE);
	me.collective = make(algorithm, is_alltoall ? PLAIT_COLL_ALLTOALL :
						      PLAIT_COLL_ALLREDUCE,
			     is_alltoall ? 0 : PLAIT_COLL_IN_PLACE);
}

/* Memory that peers read in place, mapped for good. */
static void *take(uint32_t which)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = me.bytes + 4096 };
	void *pointer;

	need(plait_world_buffer(me.world, NULL, &desc, &me.buffers[which],
				&me.error));
	need(plait_buffer_map(me.buffers[which], 0, desc.bytes,
			      PLAIT_MAP_READ | PLAIT_MAP_WRITE, &pointer,
			      &me.error));
	return pointer;
}

static void return_both(float *in, float *out)
{
	need(plait_buffer_unmap(me.buffers[0], in, &me.error));
	need(plait_buffer_unmap(me.buffers[1], out, &me.error));
	plait_buffer_release(me.buffers[0]);
	plait_buffer_release(me.buffers[1]);
}

static void run_all(const char *operation, const char *algorithm,
		    uint32_t samples)
{
	int is_shared = strncmp(algorithm, "shared:", 7) == 0;
	float *in = is_shared ? take(0) :
			aligned_alloc(4096, me.bytes + 4096);
	float *out = is_shared ? take(1) :
			aligned_alloc(4096, me.bytes + 4096);

	if (in == NULL || out == NULL)
		_exit(1);
	algorithm += is_shared ? 7 : 0;
	prepare(operation, algorithm, in, out);
	memset(out, 0, me.bytes);
	processes_fill(operation, in, me.bytes, me.rank, me.ranks);
	run_once();
	processes_verify(operation, in, out, me.bytes, me.rank, me.ranks);
	memset(in, 0, me.bytes);
	meet();
	processes_sample(samples, me.bytes, me.rank, run_once, meet);
	fflush(stdout);
	plait_collective_release(me.collective);
	plait_collective_release(me.meeting);
	if (is_shared) {
		return_both(in, out);
		return;
	}
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	int status = 0, ended;
	uint32_t i;

	if (argc != 6)
		return 2;
	me.ranks = (uint32_t)atoi(argv[3]);
	me.bytes = strtoull(argv[4], NULL, 10);
	for (i = 1; i < me.ranks && me.rank == 0; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			me.rank = i;
		}
	open_world();
	processes_pin(me.rank);
	run_all(argv[1], argv[2], (uint32_t)atoi(argv[5]));
	plait_world_release(me.world);
	plait_context_release(me.context);
	while (me.rank == 0 && wait(&ended) > 0)
		status |= ended;
	return status != 0;
}
