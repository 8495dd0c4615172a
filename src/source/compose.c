/* SPDX-License-Identifier: MIT */
/* Composition: reading sources, and writing portable ones for a compiler. */
#include "source/compose.h"

#include "source/epilogue.h"
#include "source/group_guard.h"
#include "source/item_variables.h"
#include "source/loop_predicate.h"
#include "source/reserved_words.h"
#include "source/texts_before.h"
#include "source/value_types.h"
#include "base/error.h"
#include "base/sized_struct.h"

#include <string.h>

enum { FILE_NAME_BYTES = 128 };

const char *plait__compose_form_name(uint32_t form)
{
	static const char *const names[PLAIT__SOURCE_FORMS] = {
		"portable source", "C", "OpenCL C", "OpenCL binary",
		"SPIR-V", "CUDA C", "PTX", "cubin"
	};

	return form < PLAIT__SOURCE_FORMS ? names[form] : "unknown form";
}

bool plait__compose_form_is_text(uint32_t form)
{
	return form == PLAIT_SOURCE_PORTABLE || form == PLAIT_SOURCE_C ||
	       form == PLAIT_SOURCE_OPENCL_C || form == PLAIT_SOURCE_CUDA_C ||
	       form == PLAIT_SOURCE_PTX;
}

/* ---- reading ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

/* Check defines: NAME or NAME=VALUE with blanks between, nothing that could
 * leave its line. */
static plait_status check_defines(const char *defines, const char *name,
				  plait_error *error)
{
	const char *at = defines;

	while (at != NULL && *(at += strspn(at, " ")) != '\0') {
		size_t length = 0;

		while (is_word(at[length]))
			length++;
		if (!is_letter(*at) ||
		    (at[length] != ' ' && at[length] != '=' &&
		     at[length] != '\0'))
			return plait__fail(error, PLAIT_E_INVALID,
					   "source of %.60s: defines: a NAME "
					   "or NAME=VALUE expected at '%.20s'",
					   name, at);
		while (*at > ' ' && *at < 127)
			at++;
		if (*at != ' ' && *at != '\0')
			return plait__fail(error, PLAIT_E_INVALID,
					   "source of %.60s: defines: byte "
					   "0x%02x; only ASCII, and blanks "
					   "between",
					   name, (unsigned char)*at);
	}
	return PLAIT_OK;
}

/* out->form is known. */
static plait_status check_code(plait_source *out, const char *name,
			       plait_error *error)
{
	uint64_t length;

	if (out->code == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: code is null", name);
	if (!plait__compose_form_is_text(out->form)) {
		if (out->bytes == 0)
			return plait__fail(error, PLAIT_E_INVALID,
					   "source of %.60s: bytes is 0, and "
					   "%s does not end in a NUL", name,
					   plait__compose_form_name(out->form));
		return PLAIT_OK;
	}
	length = out->bytes != 0 ? strnlen(out->code, out->bytes) :
				   strlen(out->code);
	if (out->bytes != 0 && length != out->bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: a NUL at byte %llu of a "
				   "text",
				   name, (unsigned long long)length + 1);
	if (length == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: the text is empty", name);
	out->bytes = length;
	return PLAIT_OK;
}

static plait_status check_entry(plait_source *out, const char *name,
				plait_error *error)
{
	const char *entry = out->entry;
	bool fine = entry == NULL || is_letter(*entry);

	if (out->form == PLAIT_SOURCE_PORTABLE &&
	    (entry != NULL || out->options != NULL))
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: portable source takes no "
				   "%s", name,
				   entry != NULL ? "entry" : "options");
	for (; fine && entry != NULL && *entry != '\0'; entry++)
		fine = is_word(*entry) || *entry == '$';
	if (!fine)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: entry '%.40s' is not the "
				   "name of a function", name, out->entry);
	if (out->entry == NULL)
		out->entry = name;
	return PLAIT_OK;
}

/* Only languages with a preprocessor are joined. */
static plait_status check_before(const plait_source *out, const char *name,
				 plait_error *error)
{
	if (out->before_count > 0 && (out->form == PLAIT_SOURCE_PTX ||
	    !plait__compose_form_is_text(out->form)))
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: no text can come before "
				   "%s", name,
				   plait__compose_form_name(out->form));
	return plait__texts_before_check(out, name, error);
}

plait_status plait__compose_read_source(const plait_source *given,
					const char *name, plait_source *out,
					plait_error *error)
{
	plait_status status =
		PLAIT__STRUCT_READ(plait_source, out, given, error);

	if (status != PLAIT_OK)
		return status;
	if (out->form >= PLAIT__SOURCE_FORMS || out->flags > 7 ||
	    out->reserved0 != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "source of %.60s: form %u, flags 0x%x are "
				   "not known", name, out->form, out->flags);
	if ((out->flags & PLAIT_SOURCE_STRICT) != 0 &&
	    (out->flags & PLAIT_SOURCE_FAST) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: strict and fast exclude "
				   "each other", name);
	status = check_code(out, name, error);
	if (status == PLAIT_OK)
		status = check_entry(out, name, error);
	if (status == PLAIT_OK)
		status = check_defines(out->defines, name, error);
	if (status == PLAIT_OK)
		status = check_before(out, name, error);
	if (out->file == NULL || *out->file == '\0')
		out->file = name;
	return status;
}

/* ---- writing ---- */

static void add_type(plait__text *out, const plait__parameter *parameter,
		     const plait_source *source)
{
	const char *element = plait__type_name(parameter->element);

	if (plait__signature_is_image(parameter)) {
		plait__text_add(out, "IMAGE_%s ",
				parameter->mode == PLAIT__MODE_IN ? "IN" :
								    "OUT");
		return;
	}
	if (parameter->type == PLAIT__TYPE_SAMPLER) {
		plait__text_add(out, "SAMPLER ");
		return;
	}
	if (parameter->type != PLAIT__TYPE_POINTER &&
	    parameter->type != PLAIT__TYPE_LOCAL) {
		plait__text_add(out, "%s%s%s ",
				parameter->type == PLAIT__TYPE_BOOL ?
				"u8" : plait__type_name(parameter->type),
				parameter->struct_name != NULL ? " " : "",
				parameter->struct_name != NULL ?
				parameter->struct_name : "");
		return;
	}
	if (parameter->element == PLAIT__TYPE_NONE)
		element = "void";
	else if (parameter->element == PLAIT__TYPE_BOOL)
		element = "u8";
	plait__text_add(out, "%s %s%s *%s",
			parameter->type == PLAIT__TYPE_LOCAL ? "LOCAL" :
							       "GLOBAL",
			parameter->mode == PLAIT__MODE_IN ? "const " : "",
			element,
			(source->flags & PLAIT_SOURCE_NO_ALIAS) != 0 ?
			"__restrict " : "");
}

static void add_list(plait__text *out, const plait_source *source,
		     const plait__signature *signature, bool with_types)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		if (with_types)
			add_type(out, &signature->parameters[i], source);
		plait__text_add(out, "%s%s", signature->parameters[i].name,
				i + 1 < signature->count ? ", " : "");
	}
}

/* Add the parameter lists of a guarded KERNEL(name), and whether
 * GROUP_KERNEL(name) has the guard. */
static void add_guarded(plait__text *out, const plait_source *source,
			const plait__signature *signature)
{
	plait__text_add(out, "#define PLAIT_IN_GROUPS_%s PLAIT_%s_%s\n",
			signature->name,
			plait__guard_fits(source, signature->name) ?
			"GUARDED" : "PARAMETERS", signature->name);
	plait__text_add(out, "#define PLAIT_ARGUMENTS_%s ", signature->name);
	add_list(out, source, signature, false);
	plait__text_add(out, "\n#define PLAIT_GUARDED_%s ", signature->name);
	add_list(out, source, signature, true);
	plait__text_add(out, "%su32 plait_live\n",
			signature->count > 0 ? ", " : "");
}

/* Returns true for pointers; images are used as a whole. */
static bool is_shifted(const plait__parameter *parameter)
{
	return parameter->type == PLAIT__TYPE_POINTER &&
	       !plait__signature_is_image(parameter);
}

/* Add the parameter lists of a KERNEL(name) with an offset for each pointer, the
 * statements that add them, and whether GROUP_KERNEL(name) has them. */
static void add_shifted(plait__text *out, const plait_source *source,
			const plait__signature *signature)
{
	const char *name = signature->name;

	plait__text_add(out, "#define PLAIT_SHIFTED_IN_GROUPS_%s PLAIT_%s_%s\n"
			"#define PLAIT_SHIFT PLAIT_SHIFT_%s\n"
			"#define PLAIT_SHIFTED_%s ", name,
			plait__guard_fits(source, name) ? "SHIFTED" :
			"PARAMETERS", name, name, name);
	add_list(out, source, signature, true);
	for (uint32_t i = 0; i < signature->count; i++)
		if (is_shifted(&signature->parameters[i]))
			plait__text_add(out, ", u64 plait_at_%s",
					signature->parameters[i].name);
	plait__text_add(out, "\n#define PLAIT_SHIFT_%s ", name);
	for (uint32_t i = 0; i < signature->count; i++) {
		const char *parameter = signature->parameters[i].name;

		if (!is_shifted(&signature->parameters[i]))
			continue;
		plait__text_add(out, "%s = (", parameter);
		add_type(out, &signature->parameters[i], source);
		plait__text_add(out, ")((GLOBAL char *)%s + plait_at_%s); ",
				parameter, parameter);
	}
	plait__text_add(out, "\n");
}

/* Add the parameters of an entry in CUDA, which gets the offsets of local memory
 * and not its addresses. */
static void add_entry_list(plait__text *out, const plait_source *source,
			   const plait__signature *signature)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool local = parameter->type == PLAIT__TYPE_LOCAL;

		if (local)
			plait__text_add(out, "u32 plait_at_");
		else
			add_type(out, parameter, source);
		plait__text_add(out, "%s%s", parameter->name,
				i + 1 < signature->count ? ", " : "");
	}
}

/* Add the arguments of the body that such an entry calls. */
static void add_entry_arguments(plait__text *out, const plait_source *source,
				const plait__signature *signature)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool local = parameter->type == PLAIT__TYPE_LOCAL;

		if (local) {
			plait__text_add(out, "(");
			add_type(out, parameter, source);
			plait__text_add(out, ")(plait_shared() + plait_at_");
		}
		plait__text_add(out, "%s%s%s", parameter->name,
				local ? ")" : "",
				i + 1 < signature->count ? ", " : "");
	}
}

/* Add the lists of an entry that calls the body: of a kernel with local
 * parameters, or one that decides its loop and gets the loop's too. */
static void add_entry(plait__text *out, const plait_source *source,
		      const plait__signature *signature, bool decides)
{
	plait__text_add(out, "#define PLAIT_ARGUMENTS_%s ", signature->name);
	add_entry_arguments(out, source, signature);
	plait__text_add(out, "\n#define PLAIT_PLACED_%s ", signature->name);
	add_entry_list(out, source, signature);
	plait__text_add(out, "\n#define PLAIT_TOLD_%s ", signature->name);
	add_entry_list(out, source, signature);
	plait__text_add(out, "%sPLAIT_LOOP\n%s%s",
			signature->count > 0 ? ", " : "",
			signature->local_count > 0 ? plait__prelude_shared : "",
			decides ? plait__prelude_loop : "");
}

/* Add the type of a chunk, and its parameter's name for CHUNK1 to CHUNK3. */
static void add_chunk(plait__text *out, const plait__signature *signature)
{
	const char *name = "no_parameter_is_a_chunk";

	for (uint32_t i = signature->count; i-- > 0;)
		if (signature->parameters[i].is_chunk)
			name = signature->parameters[i].name;
	if (signature->chunk_count > 0)
		plait__text_add(out, "struct plait_box { u64 low[3], high[3]; "
				"};\n");
	plait__text_add(out, "#define PLAIT_THE_CHUNK %s\n", name);
}

/* Add the list that KERNEL(name) puts between its parentheses. */
static void add_parameters(plait__text *out, const plait_source *source,
			   const plait__signature *signature, uint32_t form)
{
	if (form == PLAIT_SOURCE_OPENCL_C) {
		add_guarded(out, source, signature);
		add_shifted(out, source, signature);
	}
	if (form == PLAIT_SOURCE_CUDA_C &&
	    (signature->local_count > 0 ||
	     plait__loop_predicate_is_used(source)))
		add_entry(out, source, signature,
			  plait__loop_predicate_is_used(source));
	plait__text_add(out, "#define PLAIT_PARAMETERS_%s ", signature->name);
	add_list(out, source, signature, true);
	if (form == PLAIT_SOURCE_C)
		plait__text_add(out, "%sconst struct plait_part *plait",
				signature->count > 0 ? ", " : "");
	else if (signature->count == 0)
		plait__text_add(out, "void");
	plait__text_add(out, "\n");
}

/* check_defines has accepted them. */
static void add_defines(plait__text *out, const char *defines)
{
	while (defines != NULL && *(defines += strspn(defines, " ")) != '\0') {
		size_t length = strcspn(defines, " ");
		size_t name = strcspn(defines, " =");

		plait__text_add(out, "#define %.*s %.*s\n", (int)name, defines,
				name < length ? (int)(length - name - 1) : 1,
				name < length ? defines + name + 1 : "1");
		defines += length;
	}
}

/* Start the user's line numbers.  In C, without "line", the marker also ends
 * the prelude's state as a system header. */
static void add_line(plait__text *out, const char *file, bool in_c)
{
	char clean[FILE_NAME_BYTES];
	size_t length = 0;

	for (; file[length] != '\0' && length + 1 < sizeof(clean); length++)
		clean[length] = (unsigned char)file[length] < ' ' ||
				file[length] == '"' || file[length] == '\\' ?
				'_' : file[length];
	clean[length] = '\0';
	plait__text_add(out, "#%s 1 \"%s\"\n", in_c ? "" : "line", clean);
}

/* Add the texts before the source, each with lines of its own. */
static void add_texts_before(plait__text *out, const plait_source *source,
			     bool in_c)
{
	for (uint64_t i = 0; i < source->before_count; i++) {
		char name[PLAIT__TEXTS_NAME_BYTES];
		uint64_t bytes;
		const plait_source *text =
			plait__texts_before_at(source, i, name, &bytes);

		add_line(out, name, in_c);
		plait__text_add_bytes(out, text->code, bytes);
		plait__text_add(out, "\n");
	}
}

/* Add the user's code; `guarded` names the kernel to guard, or is null. */
static void add_code(plait__text *out, const plait_source *source,
		     uint32_t form, const char *guarded)
{
	add_texts_before(out, source, form == PLAIT_SOURCE_C);
	add_line(out, source->file, form == PLAIT_SOURCE_C);
	if (guarded != NULL && plait__guard_fits(source, guarded))
		plait__guard_add(out, source, guarded);
	else
		plait__text_add_bytes(out, source->code, source->bytes);
	plait__text_add(out, "\n#line 1 \"plait\"\n");
}

/* ---- KERNEL in portable source ---- */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' ||
			    *at == '\r'))
		at++;
	return at;
}

/* Returns the word behind "KERNEL (" at `at`, which begins with a K, or
 * null. */
static const char *name_at(const char *at, const char *end)
{
	if (end - at < 6 || memcmp(at, "KERNEL", 6) != 0)
		return NULL;
	at = skip_blanks(at + 6, end);
	return at < end && *at == '(' ? skip_blanks(at + 1, end) : NULL;
}

static bool kernel_at(const char *at, const char *end, const char *name)
{
	size_t length = strlen(name);

	at = name_at(at, end);
	return at != NULL && (size_t)(end - at) > length &&
	       memcmp(at, name, length) == 0 && !is_word(at[length]);
}

/* Return the position of the kernel, or null. */
static const char *find_kernel(const plait_source *source, const char *name)
{
	const char *at = source->code;
	const char *end = at + source->bytes;

	while (at < end &&
	       (at = memchr(at, 'K', (size_t)(end - at))) != NULL) {
		if (kernel_at(at, end, name))
			return at;
		at++;
	}
	return NULL;
}

/* Fail, with the first kernel that the source has. */
static plait_status fail_absent(const plait_source *source, const char *name,
				plait_error *error)
{
	const char *at = source->code;
	const char *end = at + source->bytes;
	const char *found = NULL;
	size_t length = 0;

	for (; found == NULL && at < end &&
	     (at = memchr(at, 'K', (size_t)(end - at))) != NULL; at++)
		found = name_at(at, end);
	while (found != NULL && found + length < end && is_word(found[length]))
		length++;
	return plait__fail(error, PLAIT_E_INVALID,
			   "source of %.60s: no KERNEL(%.60s) or "
			   "GROUP_KERNEL(%.60s, ...) in %.40s%s%.*s%s", name,
			   name, name, source->file,
			   length > 0 ? ", which has KERNEL(" : "",
			   (int)(length < 60 ? length : 60),
			   length > 0 ? found : "", length > 0 ? ")" : "");
}

/* Returns true if the word at `at` is GROUP_KERNEL. */
static bool is_grouped(const plait_source *source, const char *at)
{
	const size_t before = (size_t)(at - (const char *)source->code);

	return before >= 6 && memcmp(at - 6, "GROUP_", 6) == 0;
}

static plait_status finish(const plait__text *out, const char *name,
			   plait_error *error)
{
	if (out->failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the source of %.60s", name);
	return PLAIT_OK;
}

static plait_status compose_portable(const plait_source *source,
				     const plait__signature *signature,
				     uint32_t form, plait__text *out,
				     plait_error *error)
{
	const char *prelude = form == PLAIT_SOURCE_C ? plait__prelude_host :
			      form == PLAIT_SOURCE_OPENCL_C ?
			      plait__prelude_opencl :
			      form == PLAIT_SOURCE_CUDA_C ?
			      plait__prelude_cuda : NULL;
	const char *at = find_kernel(source, signature->name);
	plait_status status;

	if (prelude == NULL)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "source of %.60s: portable source does not "
				   "become %s; C, OpenCL C and CUDA C it does",
				   signature->name,
				   plait__compose_form_name(form));
	if (at == NULL)
		return fail_absent(source, signature->name, error);
	if (signature->local_count > 0 && !is_grouped(source, at))
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: local parameters need "
				   "groups: GROUP_KERNEL(%.60s, ...), not "
				   "KERNEL", signature->name, signature->name);
	status = plait__reserved_words_check(source, signature, at, error);
	if (status == PLAIT_OK && is_grouped(source, at))
		status = plait__item_variables_check(source, signature->name,
						     error);
	if (status != PLAIT_OK)
		return status;
	/* Errors in the use of a system header's macro are reported at the use;
	 * the 3 makes the prelude a system header for gcc, other compilers need
	 * nothing. */
	plait__text_add(out, "%s\n%s", form == PLAIT_SOURCE_C ?
			"# 1 \"plait\" 3" : "#line 1 \"plait\"", prelude);
	if (form == PLAIT_SOURCE_OPENCL_C &&
	    (source->flags & PLAIT_SOURCE_STRICT) != 0)
		plait__text_add(out, "#pragma OPENCL FP_CONTRACT OFF\n");
	plait__value_types_add(out, signature, true);
	if (signature->image_count > 0)
		plait__text_add(out, "%s", form == PLAIT_SOURCE_C ?
				plait__prelude_image_host :
				form == PLAIT_SOURCE_CUDA_C ?
				plait__prelude_image_cuda :
				plait__prelude_image_opencl);
	add_chunk(out, signature);
	add_parameters(out, source, signature, form);
	add_defines(out, source->defines);
	add_code(out, source, form, form == PLAIT_SOURCE_OPENCL_C ?
		 signature->name : NULL);
	plait__value_types_add_checks(out, signature);
	if (form == PLAIT_SOURCE_C)
		plait__epilogue_add(out, signature);
	return finish(out, signature->name, error);
}

plait_status plait__compose_source(const plait_source *source,
				   const plait__signature *signature,
				   uint32_t form, plait__text *out,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (source->form == PLAIT_SOURCE_PORTABLE ||
	    source->form == PLAIT_SOURCE_C)
		status = plait__value_types_check(signature, error);
	if (status != PLAIT_OK)
		return status;
	if (source->form == PLAIT_SOURCE_PORTABLE)
		return compose_portable(source, signature, form, out, error);
	if (form == PLAIT_SOURCE_C)
		plait__value_types_add(out, signature, false);
	add_defines(out, source->defines);
	add_code(out, source, form, NULL);
	if (form == PLAIT_SOURCE_C) {
		plait__value_types_add_checks(out, signature);
		plait__epilogue_add_plain(out, source, signature);
	}
	return finish(out, signature->name, error);
}
