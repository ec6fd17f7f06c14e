// What an audit found, for a person and as JSON.
#ifndef NAVCTL_AUDIT_REPORT_H
#define NAVCTL_AUDIT_REPORT_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/paths/audit.h"

// Detour's answers to the same pairs.
typedef struct audit_beside {
    uint32_t found, only, missed; // only: by Detour alone; missed: by navd alone
    uint32_t open, crooked;       // nothing is in the way; and Detour's path is more than 0.1 % longer
    uint32_t longer;              // navd's path is longer than Detour's
    double length_m, navd_m;      // of those that both found
} audit_beside;

typedef struct audit_report {
    const char *name;
    const audit *now, *before; // before: NULL where nothing was compared
    nav_audit_totals totals;
    nav_audit_changes changes;
    audit_beside beside;
    bool has_detour;
    const nav_audit_worst *worst;
    uint32_t worst_count;
    double seconds;
} audit_report;

void audit_report_print(const audit_report *r);
// Members of an open object.
void audit_report_put(const audit_report *r, json_writer *j);

#endif
