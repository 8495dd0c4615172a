/* SPDX-License-Identifier: MIT */
/*
 * Runner of one test: fixed addresses, a time limit, an output limit, and
 * nothing of it left behind.  The test gets a process group of its own, which
 * is killed when the test ends or breaks a limit; processes that escape the
 * group become children of the runner, because it adopts orphans.
 *
 *	t/lib/run PROGRAM [ARGUMENT...]
 *
 * PLAIT_TEST_SECONDS (1200) and PLAIT_TEST_BYTES (16 MiB) change the limits; a
 * script raises its own with a comment "# time limit: 120 s" in its first
 * lines.  PLAIT_TEST_WRAPPER is a command, such as valgrind, to run the test
 * under.  PLAIT_TEST_TIMES is a file that gets a line for each test: seconds of
 * processors, seconds, the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For a test that hangs.  The longest tests take a minute on an idle machine, and
 * ten beside five others of 2 processors; a busy machine is no reason to fail. */
enum { NORMAL_SECONDS = 1200 };

struct stream {
	int from;
	int to;
};

static long limit(const char *name, long normal)
{
	const char *text = getenv(name);
	long value = text ? strtol(text, NULL, 10) : 0;

	return value > 0 ? value : normal;
}

/* Returns the limit that the test asks for in its first lines; 0 when there is
 * none. */
static long declared_seconds(const char *path)
{
	static const char mark[] = "# time limit: ";
	char line[256];
	long seconds = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return 0;
	for (int i = 0; i < 12 && fgets(line, sizeof(line), file); i++)
		if (strncmp(line, mark, strlen(mark)) == 0)
			seconds = strtol(line + strlen(mark), NULL, 10);
	fclose(file);
	return seconds;
}

/* The test's command line, behind the words of the wrapper if there is one. */
static char **wrapped(int argc, char **argv)
{
	const char *wrapper = getenv("PLAIT_TEST_WRAPPER");
	char *words = wrapper ? strdup(wrapper) : NULL;
	char **all = calloc((wrapper ? strlen(wrapper) : 0) + (size_t)argc + 1,
			    sizeof(*all));
	int count = 0;

	if (!all)
		return argv;
	for (char *word = words ? strtok(words, " \t\n") : NULL; word;
	     word = strtok(NULL, " \t\n"))
		all[count++] = word;
	for (int i = 0; i < argc; i++)
		all[count++] = argv[i];
	return all;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void start(char **command, const int out[2], const int err[2])
{
	setpgid(0, 0);
	dup2(out[1], 1);
	dup2(err[1], 2);
	close(out[0]);
	close(out[1]);
	close(err[0]);
	close(err[1]);
	/* Sanitizers need this on kernels with much randomness; a container may
	 * refuse, and most tests do not depend on it. */
	(void)personality(ADDR_NO_RANDOMIZE);
	execvp(command[0], command);
	fprintf(stderr, "t/lib/run: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

static void write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, bytes, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return;
		bytes += done;
		length -= (size_t)done;
	}
}

/* Passes on the available output; returns its length, 0 at the end of the
 * stream. */
static long pass_on(struct stream *stream)
{
	char bytes[65536];
	ssize_t length = read(stream->from, bytes, sizeof(bytes));

	if (length < 0)
		return errno == EINTR || errno == EAGAIN ? -1 : 0;
	write_all(stream->to, bytes, (size_t)length);
	return length;
}

/* Kills the group, then every orphan that the runner adopted. */
static void kill_all(pid_t group)
{
	kill(-group, SIGKILL);
	for (;;) {
		siginfo_t info = { .si_pid = 0 };
		char children[64], list[4096];
		ssize_t length;
		int fd;

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
			return;
		snprintf(children, sizeof(children), "/proc/self/task/%d/children",
			 (int)getpid());
		fd = open(children, O_RDONLY | O_CLOEXEC);
		length = fd < 0 ? 0 : read(fd, list, sizeof(list) - 1);
		if (fd >= 0)
			close(fd);
		if (length <= 0)
			return;
		list[length] = 0;
		for (char *p = list, *end; ; p = end) {
			long pid = strtol(p, &end, 10);

			if (end == p)
				break;
			kill((pid_t)pid, SIGKILL);
		}
		poll(NULL, 0, 1);
	}
}

static int exit_code(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# t/lib/run: killed by signal %d (%s)\n", WTERMSIG(status),
	       strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

/* Passes on the available output of both streams; returns its length. */
static long pump(struct stream streams[2], int timeout_ms)
{
	struct pollfd fds[2] = {
		{ streams[0].from, POLLIN, 0 },
		{ streams[1].from, POLLIN, 0 },
	};
	long moved = 0;

	if (poll(fds, 2, timeout_ms) <= 0)
		return 0;
	for (int i = 0; i < 2; i++) {
		long done = fds[i].revents ? pass_on(&streams[i]) : -1;

		if (done == 0)
			streams[i].from = -1;
		else if (done > 0)
			moved += done;
	}
	return moved;
}

/* Watches the test until it has ended or broken a limit; returns the runner's
 * status. */
static int watch(pid_t child, struct stream streams[2], long seconds, long bytes)
{
	double deadline = now() + (double)seconds;
	bool ended = false;
	int status = 0;

	for (;;) {
		long moved;

		if (!ended)
			ended = waitpid(child, &status, WNOHANG) == child;
		moved = pump(streams, ended ? 0 : 10);
		bytes -= moved;
		if (bytes < 0) {
			printf("\nBail out! t/lib/run: too much output\n");
			return 125;
		}
		if (ended && moved == 0)
			return exit_code(status);
		if (now() > deadline) {
			printf("\nBail out! t/lib/run: not done after %ld s\n",
			       seconds);
			return 124;
		}
	}
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* A single write, because others add to the same file. */
static void note_times(const char *program, double elapsed)
{
	const char *path = getenv("PLAIT_TEST_TIMES");
	struct rusage used;
	char line[256];
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || getrusage(RUSAGE_CHILDREN, &used) < 0)
		return;
	snprintf(line, sizeof(line) - 1, "%8.2f %8.2f %s",
		 seconds_of(used.ru_utime) + seconds_of(used.ru_stime), elapsed,
		 program);
	strcat(line, "\n");
	write_all(fd, line, strlen(line));
	close(fd);
}

int main(int argc, char **argv)
{
	struct stream streams[2];
	int out[2], err[2], code;
	double started = now();
	long seconds;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: t/lib/run PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	seconds = declared_seconds(argv[1]);
	seconds = limit("PLAIT_TEST_SECONDS", seconds ? seconds : NORMAL_SECONDS);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (pipe2(out, O_NONBLOCK) < 0 || pipe2(err, O_NONBLOCK) < 0)
		return 126;
	fcntl(out[1], F_SETFL, 0);
	fcntl(err[1], F_SETFL, 0);
	child = fork();
	if (child < 0)
		return 126;
	if (child == 0)
		start(wrapped(argc - 1, argv + 1), out, err);
	setpgid(child, child);
	close(out[1]);
	close(err[1]);
	streams[0] = (struct stream){ out[0], 1 };
	streams[1] = (struct stream){ err[0], 2 };
	code = watch(child, streams, seconds,
		     limit("PLAIT_TEST_BYTES", 16l << 20));
	fflush(stdout);
	kill_all(child);
	note_times(argv[1], now() - started);
	return code;
}
