#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/output.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef NAVCTL_VERSION
#error "the build says which version this is"
#endif

#ifdef __SANITIZE_ADDRESS__
// fontconfig keeps what it has read until the process ends, and Assimp leaks where it refuses a file: the leak checker
// is here for navctl.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libassimp\n";
}
#endif

const arg_command *const navctl_commands[] = {
    &build_command,        &bake_command,          &plan_command,         &surface_command,
    &graph_command,        &path_command,          &path_nearest_command, &path_raycast_command,
    &path_wall_command,    &path_random_command,   &path_reach_command,   &path_within_command,
    &audit_command,        &info_command,          &tile_command,         &tile_dump_command,
    &render_command,       &push_command,          &watch_command,        &view_command,
    &edit_command,         &world_list_command,    &world_export_command, &world_import_command,
    &world_areas_command,  &world_objects_command, &world_delete_command, &world_profile_command,
    &world_origin_command, &world_picture_command, &cache_stats_command,  &cache_gc_command,
    &cache_verify_command, &cache_export_command,  &cache_import_command, &jobs_command,
    &cancel_command,       &failed_command,        &why_command,          &stats_command,
    &top_command,          &sessions_command,      &farm_command,         &namespaces_command};
const int navctl_command_count = ARG_COUNT(navctl_commands);

// Is the command named by `group` and a second word?
static bool is_of_group(const arg_command *c, const char *group)
{
    size_t length = strlen(group);
    return !strncmp(c->name, group, length) && c->name[length] == ' ';
}

static bool is_group(const char *name)
{
    for (int i = 0; i < navctl_command_count; i++) {
        if (is_of_group(navctl_commands[i], name)) return true;
    }
    return false;
}

// group: those of one group only; NULL: all.
static void print_commands(FILE *out, const char *group)
{
    for (int i = 0; i < navctl_command_count; i++) {
        const arg_command *c = navctl_commands[i];
        if (!group || is_of_group(c, group)) fprintf(out, "  %-14s %s\n", c->name, c->summary);
    }
}

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: navctl COMMAND [arguments]\n\nBuild navigation meshes from scenes, on this machine or through "
                 "a navd daemon.\n\n");
    print_commands(out, NULL);
    fprintf(out, "\nnavctl COMMAND --help shows a command's options; navctl --version the version.\n\n");
    fprintf(out, NAVCTL_EXIT_CODES_TEXT);
}

static int print_group(FILE *out, const char *group)
{
    fprintf(out, "Usage: navctl %s COMMAND [arguments]\n\n", group);
    print_commands(out, group);
    fprintf(out, "\nnavctl %s COMMAND --help shows a command's options.\n", group);
    return out == stdout ? NAVCTL_OK : NAVCTL_USAGE;
}

// The command that the first two words name, or the first one (navctl tile FILE beside navctl tile dump); *taken: how
// many words.
static const arg_command *find_command(int argc, char **words, int *taken)
{
    for (*taken = 2; *taken > 0; --*taken) {
        for (int i = 0; i < navctl_command_count && argc >= *taken; i++) {
            const arg_command *c = navctl_commands[i];
            bool same = *taken == 1 ? !strcmp(c->name, words[0])
                                    : is_of_group(c, words[0]) && !strcmp(strchr(c->name, ' ') + 1, words[1]);
            if (same) return c;
        }
    }
    return NULL;
}

static bool is_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

// The next word of the commands that begin with `group`, each once.
static void complete_words(const char *group)
{
    size_t begin = group ? strlen(group) + 1 : 0, last = 0;
    const char *before = "";
    for (int i = 0; i < navctl_command_count; i++) {
        if (group && !is_of_group(navctl_commands[i], group)) continue;
        const char *word = navctl_commands[i]->name + begin;
        size_t length = strcspn(word, " ");
        if (length == last && !memcmp(word, before, length)) continue; // groups stand together
        printf("%.*s command\n", (int)length, word);
        before = word;
        last = length;
    }
    printf("--help flag\n");
}

// For the shell's completion: the commands, those of a group, or the options of one.
static int complete(int argc, char **words)
{
    int taken;
    const arg_command *command = argc > 0 ? find_command(argc, words, &taken) : NULL;
    if (command) {
        args_complete(command, stdout);
        if (argc == 1 && is_group(words[0])) complete_words(words[0]); // navctl tile
    } else if (argc > 0 && is_group(words[0])) {
        complete_words(words[0]);
    } else if (argc == 0 || !words[0][0]) {
        complete_words(NULL);
        printf("--version flag\n");
    }
    return NAVCTL_OK;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_usage(stderr);
        return NAVCTL_USAGE;
    }
    int taken;
    if (is_help(name) || !strcmp(name, "help")) {
        const arg_command *command = find_command(argc - 2, argv + 2, &taken);
        if (!command && argc > 2 && is_group(argv[2])) return print_group(stdout, argv[2]);
        if (!command) {
            print_usage(stdout);
            return NAVCTL_OK;
        }
        char help[] = "--help", *words[] = {help};
        return command->run(command, 1, words);
    }
    if (!strcmp(name, "--version")) {
        printf("navctl " NAVCTL_VERSION "\n");
        return NAVCTL_OK;
    }
    if (!strcmp(name, "--complete")) return complete(argc - 2, argv + 2);
    const arg_command *command = find_command(argc - 1, argv + 1, &taken);
    if (!command && is_group(name)) {
        if (argc > 2 && is_help(argv[2])) return print_group(stdout, name);
        if (argc > 2) fprintf(stderr, "navctl: unknown command '%s %s'\n", name, argv[2]);
        return print_group(stderr, name);
    }
    if (!command) {
        fprintf(stderr, "navctl: unknown command '%s' (see navctl --help)\n", name);
        return NAVCTL_USAGE;
    }
    return command->run(command, argc - 1 - taken, argv + 1 + taken);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); // a closed connection or pipe is an error to report, not an end
    int code = run(argc, argv);
    bool written = output_flush();
    return written || code != NAVCTL_OK ? code : NAVCTL_FAILED;
}
