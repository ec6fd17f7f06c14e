// The options of commands that start a navd of their own: which program, and the farm that it joins.
#ifndef NAVCTL_FARM_ARGS_H
#define NAVCTL_FARM_ARGS_H

#include "clients/navctl/arguments/args.h"

typedef struct farm_values {
    const char *program; // NULL: the navd beside navctl, or in PATH
    const char *url;     // NULL: no farm
    const char *name, *credentials, *nkey, *ca, *certificate, *key;
} farm_values;

enum { FARM_OPTION_COUNT = 8 };
extern const arg_option farm_options[FARM_OPTION_COUNT];
#define FARM_GROUP(type, member)                                                                                       \
    {                                                                                                                  \
        "Farm", farm_options, FARM_OPTION_COUNT, offsetof(type, member)                                                \
    }

// Do they go together? Else one line on stderr, with the command's name.
bool farm_values_check(const farm_values *v, const char *command);

// As words of navd's command line, NULL behind the last; they borrow. threads: how many; NULL: as navd likes.
enum { FARM_WORDS = 2 * FARM_OPTION_COUNT + 8 };
void farm_values_words(const farm_values *v, const char *threads, const char *words[FARM_WORDS]);

#endif
