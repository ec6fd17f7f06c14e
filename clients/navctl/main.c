#include "clients/navctl/commands.h"
#include "clients/navctl/exit_codes.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef NAVCTL_VERSION
#error "the build says which version this is"
#endif

#ifdef __SANITIZE_ADDRESS__
// fontconfig keeps what it has read until the process ends; the leak checker shall look at navctl.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}
#endif

const arg_command *const navctl_commands[] = {&build_command,  &graph_command, &info_command,  &tile_command,
                                              &render_command, &push_command,  &watch_command, &edit_command,
                                              &worlds_command, &stats_command};
const int navctl_command_count = ARG_COUNT(navctl_commands);

static void print_usage(FILE *out)
{
    fprintf(out,
            "Usage: navctl COMMAND [arguments]\n\nNavigation meshes from scenes, here or through a navd daemon.\n\n");
    for (int i = 0; i < navctl_command_count; i++) {
        fprintf(out, "  %-8s %s\n", navctl_commands[i]->name, navctl_commands[i]->summary);
    }
    fprintf(out, "\nnavctl COMMAND --help shows a command's options; navctl --version the version.\n\n");
    fprintf(out, NAVCTL_EXIT_CODES_TEXT);
}

static const arg_command *find_command(const char *name)
{
    for (int i = 0; i < navctl_command_count; i++) {
        if (!strcmp(navctl_commands[i]->name, name)) return navctl_commands[i];
    }
    return NULL;
}

// For the shell's completion: the commands, or the options of one.
static int complete(const char *name)
{
    const arg_command *command = name ? find_command(name) : NULL;
    if (command) {
        args_complete(command, stdout);
    } else {
        for (int i = 0; i < navctl_command_count; i++) printf("%s command\n", navctl_commands[i]->name);
        printf("--help flag\n--version flag\n");
    }
    return NAVCTL_OK;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); // a closed connection or pipe is an error to report, not an end
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_usage(stderr);
        return NAVCTL_USAGE;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        const arg_command *command = argc > 2 ? find_command(argv[2]) : NULL;
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
    if (!strcmp(name, "--complete")) return complete(argc > 2 ? argv[2] : NULL);
    const arg_command *command = find_command(name);
    if (!command) {
        fprintf(stderr, "navctl: unknown command '%s' (see navctl --help)\n", name);
        return NAVCTL_USAGE;
    }
    int code = command->run(command, argc - 2, argv + 2);
    if (fflush(stdout) != 0 && code == NAVCTL_OK) {
        fprintf(stderr, "navctl: cannot write to standard output\n");
        code = NAVCTL_FAILED;
    }
    return code;
}
