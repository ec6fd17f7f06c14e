// navctl view: the 3D view in a browser, of a running daemon, or of a scene file in a daemon of its own.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/commands/push.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/private_daemon.h"
#include "clients/navctl/remote/remote.h"
#include "protocol/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_args {
    const char *scene, *world, *program;
    bool edit, json;
    remote_values remote;
    scene_load_values reading;
    settings_values grid;
} view_args;

static const arg_option options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "world to show first; with SCENE the name it gets, default: that of the file",
     offsetof(view_args, world), 0, 0, NULL},
    {"edit", 0, ARG_FLAG, NULL, "let the page change worlds, if you may; otherwise it only looks",
     offsetof(view_args, edit), 0, 0, NULL},
    {"navd", 0, ARG_FILE, "FILE", "with SCENE: the navd to start; default: the one beside navctl, or in PATH",
     offsetof(view_args, program), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(view_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0},
                                   REMOTE_GROUP(view_args, remote),
                                   SCENE_LOAD_GROUPS(view_args, reading),
                                   SETTINGS_GROUP(view_args, grid)};
static const arg_positional positionals[] = {
    {"SCENE", "show this file, in a navd of its own, until Ctrl-C", false, true, offsetof(view_args, scene)}};

static void print_view(const navd_view *v, bool json)
{
    if (json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "url", v->url);
        json_text(&w, "role", v->role);
        json_int(&w, "valid_s", (int64_t)v->valid_s);
        json_close(&w, '}');
        json_end_line(&w);
    } else {
        printf("%s\n", v->url);
        fprintf(stderr, "navctl: open it in a browser within %d minutes; who has the address may %s\n",
                (int)(v->valid_s / 60), strcmp(v->role, "reader") != 0 ? "look, and change worlds" : "look");
    }
    fflush(stdout);
}

static int open_view(const view_args *a, const char *name)
{
    navd_client *c;
    navd_view v;
    int code = remote_open(&a->remote, &c);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_view_open(c, a->world, a->edit, &v);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, name);
    } else if (!v.has_files) {
        fprintf(stderr, "navctl: this navd was built without the view: it needs Node.js and scripts/setup view when it "
                        "is built\n");
        code = NAVCTL_FAILED;
    } else {
        print_view(&v, a->json);
    }
    memset(&v, 0, sizeof v);
    navd_close(c);
    return code;
}

// A world is called after its file, without folder and ending. NULL where that is no name.
static char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path, *dot = strrchr(from, '.');
    size_t length = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char why[256];
    bool is_name = np_name_check("world", (np_str){from, (uint32_t)length}, why, sizeof why) == NAV_OK;
    return is_name ? strndup(from, length) : NULL;
}

// The world is there before the page asks for it; its tiles come while somebody looks.
static int view_scene(view_args *a, const char *name)
{
    private_daemon d;
    char *own_name = a->world ? NULL : name_of_file(a->scene);
    if (!a->world) a->world = own_name ? own_name : "scene";
    int code = private_daemon_start(&d, a->program, NULL);
    a->remote.address = d.socket;
    if (code == NAVCTL_OK) code = push_scene(a->scene, a->world, d.socket, &a->reading, &a->grid);
    if (code == NAVCTL_OK) code = open_view(a, name);
    if (code == NAVCTL_OK) code = private_daemon_wait(&d);
    private_daemon_stop(&d);
    free(own_name);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    view_args a = {.remote = REMOTE_DEFAULTS};
    settings_values_init(&a.grid);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (a.scene && a.remote.address) {
        fprintf(stderr,
                "navctl view: SCENE is shown in a navd of its own: leave out --connect, or send it to the other "
                "one with navctl push\n");
        return NAVCTL_USAGE;
    }
    return a.scene ? view_scene(&a, self->name) : open_view(&a, self->name);
}

const arg_command view_command = {
    .name = "view",
    .summary = "Print the address of the 3D view for a browser",
    .details =
        "The address holds a token: whoever has it can use the view. It is valid for 15 minutes, and as long as a\n"
        "page is open with it. With SCENE the file is shown in a navd that ends with navctl.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
