// navctl's commands, one table. Each command lives in a file of its own, NAME.c; the commands of a group ("world list":
// two words) share one and stand together in the table.
#ifndef NAVCTL_COMMANDS_H
#define NAVCTL_COMMANDS_H

#include "clients/navctl/arguments/args.h"

extern const arg_command build_command, bake_command, farm_command, plan_command, graph_command, path_command,
    audit_command, info_command, tile_command, tile_dump_command, render_command, push_command, watch_command,
    edit_command, world_list_command, world_export_command, world_import_command, world_areas_command,
    world_objects_command, world_delete_command, world_profile_command, world_origin_command, world_picture_command,
    cache_stats_command, cache_gc_command, cache_verify_command, cache_export_command, cache_import_command,
    jobs_command, cancel_command, failed_command, why_command, stats_command, top_command, sessions_command,
    namespaces_command, view_command, path_nearest_command, path_raycast_command, path_wall_command,
    path_random_command, path_reach_command, path_within_command, surface_command;

extern const arg_command *const navctl_commands[];
extern const int navctl_command_count;

#endif
