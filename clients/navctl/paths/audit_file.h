// An audit as a JSON file: its pairs with their answers, so that a later one can ask the same.
#ifndef NAVCTL_AUDIT_FILE_H
#define NAVCTL_AUDIT_FILE_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/paths/audit.h"

// Is this an audit's file, rather than one of ground? By its first character.
bool audit_file_is(const char *path);
// Members "seed", "near_m" and "pairs" of an open object.
void audit_file_put(json_writer *w, const audit *a);
// An exit code; an error is told on stderr.
int audit_file_read(audit *a, const char *path);

#endif
