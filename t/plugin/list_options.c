/* SPDX-License-Identifier: MIT */
/* Settings as users write them: lists of plugins, paths and options. */
#include "lib/tap.h"

#include "base/alloc.h"
#include "plugin/list.h"
#include "plugin/options.h"
#include "plugin/search.h"

#include <stdio.h>
#include <string.h>

/* --- lists */

static plait__list list;

static plait_status parse(const char *text, bool may_exclude, char *why)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status;

	status = plait__list_parse(&list, text, "LIST", may_exclude, &error);
	if (why != NULL)
		memcpy(why, error.text, sizeof(error.text));
	return status;
}

static void lists_are_read(void)
{
	IS_INT(parse(NULL, true, NULL), PLAIT_OK);
	IS_UINT(list.count, 0);
	IS_INT(parse("", true, NULL), PLAIT_OK);
	IS_UINT(list.count, 0);
	IS_INT(parse("cuda, host_2 ,\t0", true, NULL), PLAIT_OK);
	IS_UINT(list.count, 3);
	IS_STR(list.names[0], "cuda");
	IS_STR(list.names[1], "host_2");
	IS_STR(list.names[2], "0");
	OK(!list.excludes);
	OK(plait__list_has(&list, "0"));
	OK(!plait__list_has(&list, "host"));
	IS_INT(parse("^a,^b", true, NULL), PLAIT_OK);
	IS_UINT(list.count, 2);
	OK(list.excludes);
	IS_STR(list.names[1], "b");
	OK(!list.optional[0]);
	IS_INT(parse("cuda?, host ,opencl? ", true, NULL), PLAIT_OK);
	IS_UINT(list.count, 3);
	IS_STR(list.names[0], "cuda");
	IS_STR(list.names[2], "opencl");
	OK(list.optional[0] && !list.optional[1] && list.optional[2]);
	IS_INT(parse("abcdefghijklmnopqrstuvwxyz_0123", true, NULL), PLAIT_OK);
}

static void lists_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ ",", "LIST: name 1 is empty" },
		{ "a,", "LIST: name 2 is empty" },
		{ "a,,b", "LIST: name 2 is empty" },
		{ " ", "LIST: name 1 is empty" },
		{ "^", "LIST: name 1 is empty" },
		{ "Host", "LIST: 'Host' is not a name" },
		{ "../x", "LIST: '../x' is not a name" },
		{ "a b", "LIST: 'a b' is not a name" },
		{ "a\nb", "is not a name" },
		{ "^^a", "LIST: '^a' is not a name" },
		{ "h\xc3\xb6st", "is not a name" },
		{ "abcdefghijklmnopqrstuvwxyz_01234", "is not a name" },
		{ "a,b,a", "LIST: 'a' is listed twice" },
		{ "a,^b", "with and without ^" },
		{ "^a,b", "with and without ^" },
		{ "^a?", "LIST: 'a?': ? is for a backend to use" },
		{ "?", "LIST: '?' is not a name" },
		{ "a??", "LIST: 'a?' is not a name" },
		{ "?a", "LIST: '?a' is not a name" },
		{ "a?,a", "LIST: 'a' is listed twice" },
	};
	char why[PLAIT_ERROR_TEXT_BYTES];
	char many[1024] = "";
	size_t i, length = 0;

	for (i = 0; i < TAP_COUNT(cases); i++) {
		IS_INT(parse(cases[i].text, true, why), PLAIT_E_INVALID);
		HAS_STR(why, cases[i].why);
	}
	IS_INT(parse("^a", false, why), PLAIT_E_INVALID);
	HAS_STR(why, "nothing can be excluded here");
	IS_INT(parse("a?", false, why), PLAIT_E_INVALID);
	HAS_STR(why, "LIST: 'a?': ? is for a backend");
	for (i = 0; i <= PLAIT__LIST_MAX; i++)
		length += (size_t)snprintf(many + length,
					   sizeof(many) - length, "%sn%zu",
					   i > 0 ? "," : "", i);
	IS_INT(parse(many, true, why), PLAIT_E_INVALID);
	HAS_STR(why, "more than 128 names");
	IS_INT(plait__list_parse(&list, "A", "LIST", true, NULL),
	       PLAIT_E_INVALID);
}

/* --- options */

static void options_are_read(void)
{
	plait__options options;

	IS_INT(plait__options_init(&options, plait__alloc_default(),
				   "host:workers=2,pin=;cuda:path=/a:b=c",
				   "OPTIONS", NULL),
	       PLAIT_OK);
	IS_UINT(options.count, 3);
	IS_STR(plait__options_find(&options, "host", "workers"), "2");
	IS_STR(plait__options_find(&options, "host", "pin"), "");
	IS_STR(plait__options_find(&options, "cuda", "path"), "/a:b=c");
	IS_PTR(plait__options_find(&options, "cuda", "workers"), NULL);
	IS_PTR(plait__options_find(&options, "x", "workers"), NULL);
	plait__options_fini(&options);
	IS_INT(plait__options_init(&options, plait__alloc_default(), "",
				   "OPTIONS", NULL),
	       PLAIT_OK);
	IS_PTR(plait__options_find(&options, "x", "workers"), NULL);
	plait__options_fini(&options);
}

static void options_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "host", "OPTIONS: 'host' has no backend" },
		{ "host:", "OPTIONS: '' of 'host' is not key=value" },
		{ "host:a", "OPTIONS: 'a' of 'host' is not key=value" },
		{ ":a=b", "OPTIONS: '' is not a backend's name" },
		{ "Host:a=b", "OPTIONS: 'Host' is not a backend's name" },
		{ "host:=b", "OPTIONS: '' is not a key of 'host'" },
		{ "host:a-b=1", "OPTIONS: 'a-b' is not a key" },
		{ "host:a=1;", "OPTIONS: '' has no backend" },
		{ "host:a=1,", "OPTIONS: '' of 'host' is not key=value" },
		{ "host:a=1,a=2", "OPTIONS: host:a is listed twice" },
		{ "host:a=1;host:a=2", "OPTIONS: host:a is listed twice" },
		{ "host:a=\x1b[2J", "has a control character" },
	};
	plait_error error = { .size = sizeof(error) };
	static char huge[PLAIT__OPTIONS_MAX_BYTES + 1];
	plait__options options;
	size_t i;

	for (i = 0; i < TAP_COUNT(cases); i++) {
		IS_INT(plait__options_init(&options, plait__alloc_default(),
					   cases[i].text, "OPTIONS", &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, cases[i].why);
	}
	memset(huge, 'a', sizeof(huge) - 1);
	IS_INT(plait__options_init(&options, plait__alloc_default(), huge,
				   "OPTIONS", &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "longer than 65535 bytes");
}

/* --- paths */

static void paths_are_read(void)
{
	plait__search search;

	IS_INT(plait__search_init(&search, plait__alloc_default(),
				  "/a:/b/:/c/plait_x.so:/a//:/", "PATH", NULL),
	       PLAIT_OK);
	IS_UINT(search.count, 4);
	IS_STR(search.places[0].path, "/a");
	IS_STR(search.places[1].path, "/b");
	OK(!search.places[1].is_file);
	OK(search.places[2].is_file);
	IS_STR(search.places[2].name, "x");
	IS_STR(search.places[3].path, "/");
	plait__search_fini(&search);
}

static void paths_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ ".", "PATH: path 1, '.', is not absolute" },
		{ "plugins", "PATH: path 1, 'plugins', is not absolute" },
		{ "/a:./b", "PATH: path 2, './b', is not absolute" },
		{ "plait_x.so", "path 1, 'plait_x.so', is not absolute" },
		{ ":", "PATH: path 1 is empty" },
		{ "/a:", "PATH: path 2 is empty" },
		{ "/a::/b", "PATH: path 2 is empty" },
		{ "$ORIGIN/x", "is not absolute" },
	};
	plait_error error = { .size = sizeof(error) };
	plait__search search;
	char huge[5000];
	size_t i;

	for (i = 0; i < TAP_COUNT(cases); i++) {
		IS_INT(plait__search_init(&search, plait__alloc_default(),
					  cases[i].text, "PATH", &error),
		       PLAIT_E_INVALID);
		HAS_STR(error.text, cases[i].why);
	}
	memset(huge, '/', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	IS_INT(plait__search_init(&search, plait__alloc_default(), huge,
				  "PATH", &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "path 1 has 4999 bytes");
}

static void default_places_are_absolute(void)
{
	plait__search search;
	uint32_t i;

	IS_INT(plait__search_init(&search, plait__alloc_default(), NULL, NULL,
				  NULL),
	       PLAIT_OK);
	OK(search.count >= 1 && search.count <= 3);
	for (i = 0; i < search.count; i++)
		OK_THAT(search.places[i].path[0] == '/', "%s",
			search.places[i].path);
	plait__search_fini(&search);
}

static void files_have_names(void)
{
	char name[PLAIT__NAME_BYTES];

	OK(plait__search_parse_file("plait_host.so", name));
	IS_STR(name, "host");
	OK(!plait__search_parse_file("plait_.so", name));
	OK(!plait__search_parse_file("plait_Host.so", name));
	OK(!plait__search_parse_file("plait_host.so.1", name));
	OK(!plait__search_parse_file("libplait_host.so", name));
	OK(!plait__search_parse_file("plait_a.b.so", name));
	OK(!plait__search_parse_file(".so", name));
	OK(!plait__search_parse_file("", name));
	OK(!plait__search_parse_file("plait_abcdefghijklmnopqrstuvwxyz_"
				     "01234.so", name));
}

static const struct tap_scenario all[] = {
	{ "lists_are_read", lists_are_read },
	{ "lists_are_refused", lists_are_refused },
	{ "options_are_read", options_are_read },
	{ "options_are_refused", options_are_refused },
	{ "paths_are_read", paths_are_read },
	{ "paths_are_refused", paths_are_refused },
	{ "default_places_are_absolute", default_places_are_absolute },
	{ "files_have_names", files_have_names },
};

TAP_MAIN(all)
