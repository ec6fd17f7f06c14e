// The view of navctl top as text: one sample of a daemon, and the one before it for what happens in between, become
// lines. No terminal, no socket: navctl top shows them, --once prints them, a test reads them.
#ifndef NAVCTL_TOP_VIEW_H
#define NAVCTL_TOP_VIEW_H

#include "navd.h"

#include <stdio.h>

typedef struct top_sample {
    double at_s;
    navd_counter *counters;
    size_t counter_count;
    navd_world_entry *worlds;
    size_t world_count;
    navd_session_entry *sessions; // none where the role does not allow it
    size_t session_count;
    uint64_t session_total;
    bool may_list_sessions;
} top_sample;

// Asks the daemon. NAVD_OK, or what navd_error_text() explains; *out is good to be freed in any case.
navd_status top_sample_take(navd_client *c, top_sample *out);
void top_sample_free(top_sample *s); // accepts a zeroed one

// A counter; 0 where the daemon has none of that name.
uint64_t top_counter(const top_sample *s, const char *name);

typedef struct top_frame {
    const char *address, *server;
    int columns, rows; // rows 0: as many as there are
    bool color;
} top_frame;

// before: NULL for the first sample; then rates are means since the daemon's start.
void top_print(FILE *out, const top_frame *frame, const top_sample *now, const top_sample *before);

#endif
