// An audit of the ways of a ground: random pairs, or those of an earlier audit, answered on all threads; and the file
// that keeps one.
#ifndef NAVCTL_AUDIT_H
#define NAVCTL_AUDIT_H

#include "navcore/path_audit.h"

#include <stdio.h>

typedef struct audit {
    uint64_t seed;
    double near_m;
    nav_audit_pair *pairs; // owned
    uint32_t count;
} audit;

void audit_deinit(audit *a); // accepts a zeroed one

// Draws pairs on the ground. An exit code; an error is told on stderr, and begins with `name`. So do all below.
int audit_draw(audit *a, const char *name, const nav_path_set *set, uint64_t seed, uint32_t count);
// The same places as of another audit, with nothing answered.
int audit_ask_again(audit *a, const audit *other);
// Answers all pairs; with landmarks, once they pay.
int audit_answer(audit *a, const char *name, nav_path_set *set);

#endif
