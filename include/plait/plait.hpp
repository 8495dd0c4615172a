/* SPDX-License-Identifier: MIT */
/*
 * plait/plait.hpp - the C interface for C++17: owners of handles, exceptions in
 * place of statuses.  Header only; not a part of the ABI.
 *
 * plait::call calls any function that ends with a plait_error and throws
 * plait::error if the call fails.  plait::get also returns the value of the
 * function's last out parameter: an owner if it is an object with references
 * (plait::graph of a plait_graph), else a value.  Owners convert to the
 * pointers of C, so every C function takes them.
 *
 * Example:
 *
 *     auto context = plait::get(plait_context_open, nullptr);
 *     auto graph = plait::get(plait_graph_create, context);
 *     auto filled = plait::get(plait_graph_fill, graph, a, 0, 4 * n, 0, 4, 0);
 *
 *     plait::launch(graph, kernel, { n },
 *                   { PLAIT_BUFFER(a), PLAIT_PARAMETER("x"), PLAIT_VALUE(n) },
 *                   filled);
 *     auto plan = plait::get(plait_graph_freeze, graph, nullptr);
 *     auto number = plait::get(plait_plan_find_parameter, plan, "x");
 *     plait::call(plait_plan_call, plan, nullptr,
 *                 plait::bindings({ PLAIT_BIND_VALUE(number, x) }));
 *
 * No exception may leave a function that the library calls: catch it there and
 * return a value other than 0.
 */
#ifndef PLAIT_PLAIT_HPP
#define PLAIT_PLAIT_HPP

#include "plait/plait.h"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace plait {

/* ------------------------------------------------------------------------
 * Errors
 */

/* A failed call; what() is the text of its plait_error. */
class error : public std::runtime_error {
public:
	error(plait_status status, const plait_error &record)
		: std::runtime_error(record.text), number(status),
		  cause(record)
	{
	}

	plait_status status() const noexcept { return number; }
	std::int64_t origin() const noexcept { return cause.origin; }

	/* The long text, such as a compiler's log; empty if there is none. */
	std::string detail() const
	{
		std::uint64_t bytes = 0;
		std::string text;

		if (cause.detail == 0 ||
		    plait_error_detail(cause.detail, nullptr, 0, &bytes) !=
			    PLAIT_OK)
			return text;
		text.resize(bytes);
		plait_error_detail(cause.detail, text.data(), bytes, nullptr);
		text.resize(bytes - 1);
		return text;
	}

private:
	plait_status number;
	plait_error cause;
};

/* ------------------------------------------------------------------------
 * Owners
 */

/* An owner of one reference, or null.  A copy adds a reference, the destructor
 * gives it back. */
template <class Object, void (*retain)(Object *), void (*release)(Object *)>
class owner {
public:
	owner() noexcept = default;
	/* Take over a reference of the caller. */
	explicit owner(Object *owned) noexcept : object(owned) {}
	owner(const owner &other) noexcept : object(other.object)
	{
		retain(object);
	}
	owner(owner &&other) noexcept
		: object(std::exchange(other.object, nullptr))
	{
	}
	owner &operator=(owner other) noexcept
	{
		std::swap(object, other.object);
		return *this;
	}
	~owner() { release(object); }

	operator Object *() const noexcept { return object; }

	/* The place for an out parameter; releases the present object. */
	Object **out() noexcept
	{
		release(std::exchange(object, nullptr));
		return &object;
	}
	/* Give the reference to the caller. */
	[[nodiscard]] Object *take() noexcept
	{
		return std::exchange(object, nullptr);
	}

private:
	Object *object = nullptr;
};

using context = owner<plait_context, plait_context_retain,
		      plait_context_release>;
using buffer = owner<plait_buffer, plait_buffer_retain, plait_buffer_release>;
using inbox = owner<plait_inbox, plait_inbox_retain, plait_inbox_release>;
using queue = owner<plait_queue, plait_queue_retain, plait_queue_release>;
using signal = owner<plait_signal, plait_signal_retain, plait_signal_release>;
using kernel = owner<plait_kernel, plait_kernel_retain, plait_kernel_release>;
using graph = owner<plait_graph, plait_graph_retain, plait_graph_release>;
using plan = owner<plait_plan, plait_plan_retain, plait_plan_release>;
using run = owner<plait_run, plait_run_retain, plait_run_release>;
using callable = owner<plait_callable, plait_callable_retain,
		       plait_callable_release>;
using coll = owner<plait_coll, plait_coll_retain, plait_coll_release>;
using world = owner<plait_world, plait_world_retain, plait_world_release>;
using collective = owner<plait_collective, plait_collective_retain,
			 plait_collective_release>;
using schedule = owner<plait_schedule, plait_schedule_retain,
		       plait_schedule_release>;
using flow = owner<plait_flow, plait_flow_retain, plait_flow_release>;
using data = owner<plait_data, plait_data_retain, plait_data_release>;

/* The owner of a C type; the type itself if it has no references. */
template <class Value> struct owned { using type = Value; };
template <> struct owned<plait_context *> { using type = context; };
template <> struct owned<plait_buffer *> { using type = buffer; };
template <> struct owned<plait_inbox *> { using type = inbox; };
template <> struct owned<plait_queue *> { using type = queue; };
template <> struct owned<plait_signal *> { using type = signal; };
template <> struct owned<plait_kernel *> { using type = kernel; };
template <> struct owned<plait_graph *> { using type = graph; };
template <> struct owned<plait_plan *> { using type = plan; };
template <> struct owned<plait_run *> { using type = run; };
template <> struct owned<plait_callable *> { using type = callable; };
template <> struct owned<plait_coll *> { using type = coll; };
template <> struct owned<plait_schedule *> { using type = schedule; };
template <> struct owned<plait_world *> { using type = world; };
template <> struct owned<plait_collective *> { using type = collective; };
template <> struct owned<plait_flow *> { using type = flow; };
template <> struct owned<plait_data *> { using type = data; };

/* ------------------------------------------------------------------------
 * Calls
 */

/* Call a function without its last parameter, the error.  Returns PLAIT_OK or
 * information, such as PLAIT_PENDING; throws if the call fails. */
template <class... Parameters, class... Arguments>
plait_status call(plait_status (*function)(Parameters...),
		  Arguments &&...arguments)
{
	plait_error record{};

	record.size = sizeof(record);
	plait_status status =
		function(std::forward<Arguments>(arguments)..., &record);
	if (status < 0)
		throw error(status, record);
	return status;
}

/* Call a function without its last two parameters, `out` and the error, and
 * return what it stored in `out`. */
template <class... Parameters, class... Arguments>
auto get(plait_status (*function)(Parameters...), Arguments &&...arguments)
{
	using pointer = std::tuple_element_t<sizeof...(Parameters) - 2,
					     std::tuple<Parameters...>>;
	using value = std::remove_pointer_t<pointer>;
	value out{};

	call(function, std::forward<Arguments>(arguments)..., &out);
	return typename owned<value>::type(out);
}

/* The items of a launch, as in items({ 640, 480 }). */
class items {
public:
	items(std::initializer_list<std::uint64_t> counts) noexcept
	{
		launch.size = sizeof(launch);
		launch.dimensions = static_cast<std::uint32_t>(counts.size());
		std::copy_n(counts.begin(),
			    std::min<std::size_t>(counts.size(), 3),
			    launch.items);
	}
	operator const plait_launch *() const noexcept { return &launch; }

private:
	plait_launch launch{};
};

/* The bindings of a run, for the duration of the expression. */
class bindings {
public:
	bindings(std::initializer_list<plait_binding> list,
		 plait_run_flags flags = 0) noexcept
	{
		desc.size = sizeof(desc);
		desc.flags = flags;
		desc.bindings = list.begin();
		desc.binding_count = list.size();
	}
	operator const plait_run_desc *() const noexcept { return &desc; }

private:
	plait_run_desc desc{};
};

/* Add a launch to a graph; returns the node. */
inline plait_node launch(plait_graph *target, plait_kernel *code,
			 const items &counts,
			 std::initializer_list<plait_argument> arguments,
			 plait_node after = 0)
{
	return get(plait_graph_launch, target, code, counts,
		   arguments.begin(), arguments.size(), after);
}

/* Submit a launch to a queue. */
inline void launch(plait_queue *target, plait_kernel *code,
		   const items &counts,
		   std::initializer_list<plait_argument> arguments)
{
	call(plait_queue_launch, target, code, counts, arguments.begin(),
	     arguments.size());
}

} // namespace plait

#endif
