// What the commands that talk to a daemon share: the options that say where it is, connecting, names of instances.
#ifndef NAVCTL_REMOTE_H
#define NAVCTL_REMOTE_H

#include "clients/navctl/arguments/args.h"
#include "navd.h"

typedef struct remote_values {
    const char *address; // NULL: the usual one
    float timeout_s;     // 0: none
    float wait_s;        // for a daemon that starts
    const char *token_file, *space, *ca, *certificate, *key;
    bool insecure_token;
    bool keep_connected; // no option: what the command needs
} remote_values;

enum { REMOTE_OPTION_COUNT = 10 };
extern const arg_option remote_options[REMOTE_OPTION_COUNT];
#define REMOTE_GROUP(type, member)                                                                                     \
    {                                                                                                                  \
        "Daemon", remote_options, REMOTE_OPTION_COUNT, offsetof(type, member)                                          \
    }

#define REMOTE_DEFAULTS ((remote_values){.timeout_s = 600})

// Connects. Returns an exit code; NAVCTL_OK with *out set, or one line on stderr that says which address and what to
// do.
int remote_open(const remote_values *v, navd_client **out);
// The same, but the line goes into why.
int remote_try(const remote_values *v, navd_client **out, char *why, size_t why_bytes);
// After a call that failed: one line on stderr, and the exit code that goes with it.
int remote_failed(const navd_client *c, navd_status s, const char *doing);

// Opens a world that exists. Returns an exit code.
int remote_find_world(navd_client *c, const char *name, navd_world *out);
// The same. Returns an exit code; *profile is set to the world's first one where it was NULL.
int remote_world(navd_client *c, const char *name, navd_world *out, const char **profile);

// The id of an instance: by its name, or the number behind '@' ("@12"). False where that is no number.
bool remote_instance_id(const char *name, uint64_t *id);

// One tile as a line for a person, or as JSON.
void remote_print_tile(const navd_tile *t, bool json, double after_s);

#endif
