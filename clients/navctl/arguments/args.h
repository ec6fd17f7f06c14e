// Command lines from tables. A command's options are rows of arg_option that say where in the command's struct a value
// goes; the same rows give --help, the check of ranges and the words that the shell completes.
#ifndef NAVCTL_ARGS_H
#define NAVCTL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum arg_kind {
    ARG_FLAG,   // bool; takes no value
    ARG_INT,    // int32_t
    ARG_FLOAT,  // float
    ARG_DOUBLE, // double
    ARG_VEC3,   // double[3], written X,Y,Z
    ARG_TEXT,   // const char *, borrowed from argv
    ARG_FILE,   // the same; the shell completes file names
    ARG_CHOICE, // const char *, one word of `choices`
    ARG_STEP,   // arg_steps: may be given several times; several options may share one, which keeps their order
} arg_kind;

typedef struct arg_option {
    const char *name; // without the dashes
    char letter;      // -o; 0: none
    arg_kind kind;
    const char *metavar; // how --help names the value
    const char *help;
    size_t offset;       // of the value in the struct that the group's base names
    double min, max;     // numbers; min == max: no bounds
    const char *choices; // words separated by blanks
} arg_option;

enum { ARG_STEPS_MAX = 1024 };
typedef struct arg_steps {
    struct {
        const arg_option *option;
        const char *value; // borrowed from argv
    } items[ARG_STEPS_MAX];
    int count;
} arg_steps;

typedef struct arg_group {
    const char *title;
    const arg_option *options;
    int count;
    size_t base; // added to the offsets of its options
} arg_group;

typedef struct arg_positional {
    const char *name, *help;
    bool required, is_file;
    size_t offset; // const char *; the value stays NULL when it is absent
} arg_positional;

enum { ARG_LIST_MAX = 256 };
typedef struct arg_list {
    const char *items[ARG_LIST_MAX]; // borrowed from argv
    int count;
} arg_list;

typedef struct arg_command {
    const char *name, *summary;
    const char *details; // further lines of --help, or NULL
    const char *usage;   // its words behind the name, where the positionals do not say it all; NULL: they do
    const arg_positional *positionals;
    int positional_count;
    bool has_more; // after the last positional come more of its kind: an arg_list at more_offset
    size_t more_offset;
    const arg_group *groups;
    int group_count;
    // Runs the command with the arguments behind its name; returns an exit code.
    int (*run)(const struct arg_command *self, int argc, char **argv);
} arg_command;

#define ARG_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef enum arg_result { ARGS_GO, ARGS_HELP, ARGS_WRONG } arg_result;

// Fills `values`, which holds the defaults already. ARGS_HELP: --help was printed. ARGS_WRONG: one line is on stderr.
arg_result args_parse(const arg_command *command, int argc, char **argv, void *values);

// The page of --help, with the defaults that `values` holds.
void args_help(const arg_command *command, const void *values, FILE *out);

// What a shell needs to complete the command: one line per option and positional: name, kind, choices.
void args_complete(const arg_command *command, FILE *out);

// "X,Y,Z" into numbers, exactly `count` of them, all finite. False when it is anything else.
bool args_parse_numbers(const char *text, double *out, int count);

// A whole number of a positional; false with one line on stderr that names it.
bool args_parse_whole(const arg_command *command, const char *name, const char *text, int32_t *out);
// "X,Z": the place of a tile; false with one line on stderr that names the option.
bool args_parse_tile(const arg_command *command, const char *option, const char *text, int32_t out[2]);

#endif
