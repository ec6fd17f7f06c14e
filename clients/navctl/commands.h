// navctl's commands, one table. Each command lives in a file of its own, cmd_NAME.c.
#ifndef NAVCTL_COMMANDS_H
#define NAVCTL_COMMANDS_H

#include "clients/navctl/args.h"

extern const arg_command build_command, graph_command, info_command, tile_command, render_command, push_command,
    watch_command, edit_command, worlds_command, stats_command;

extern const arg_command *const navctl_commands[];
extern const int navctl_command_count;

#endif
