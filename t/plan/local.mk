# SPDX-License-Identifier: MIT
SERIAL_TESTS += %D%/binary.t
UNIT_TESTS += %D%/payload_bounds.t
SERIAL_TESTS += %D%/planner_random_graphs.t
%C%_planner_random_graphs_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/inherit_lanes_select_subgraph.t
%C%_inherit_lanes_select_subgraph_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/workspace.t
%C%_workspace_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/schedule_quality.t
%C%_schedule_quality_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/schedule_cases.t
%C%_schedule_cases_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/planner_large_graphs.t
%C%_planner_large_graphs_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/check_mutants.t
%C%_check_mutants_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/validate_input.t
%C%_validate_input_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/planner_same_bytes.t
%C%_planner_same_bytes_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/makespan_bound.t
%C%_makespan_bound_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/place_command.t
%C%_place_command_t_LDADD = $(LDADD_PLAN)
SERIAL_TESTS += %D%/simulate.t
%C%_simulate_t_LDADD = $(LDADD_PLAN)
SEEDED_TESTS += %D%/planner_random_graphs.t \
	%D%/inherit_lanes_select_subgraph.t %D%/schedule_quality.t \
	%D%/check_mutants.t %D%/binary.t %D%/validate_input.t \
	%D%/place_command.t %D%/simulate.t
