#include "clients/navctl/paths/audit_report.h"

static double share(uint32_t part, uint32_t all)
{
    return all ? 100.0 * part / all : 0;
}

static void print_worst(const audit_report *r, json_writer *j)
{
    json_open(j, "worst", '[');
    for (uint32_t i = 0; i < r->worst_count; i++) {
        const nav_audit_pair *p = &r->now->pairs[r->worst[i].pair];
        json_open(j, NULL, '{');
        json_text(j, "why", nav_audit_reason_name(r->worst[i].reason));
        json_int(j, "pair", r->worst[i].pair);
        if (r->worst[i].ratio > 0) json_number(j, "ratio", r->worst[i].ratio);
        json_vec(j, "from", (float[]){(float)p->from[0], (float)p->from[1], (float)p->from[2]}, 3);
        json_vec(j, "to", (float[]){(float)p->to[0], (float)p->to[1], (float)p->to[2]}, 3);
        json_number(j, "length_m", p->length_m);
        json_number(j, "straight_m", p->straight_m);
        if (r->before) json_number(j, "before_m", r->before->pairs[r->worst[i].pair].length_m);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void audit_report_put(const audit_report *r, json_writer *j)
{
    const nav_audit_totals *t = &r->totals;
    json_text(j, "ground", r->name);
    json_int(j, "count", t->pairs);
    json_int(j, "found", t->found);
    json_int(j, "unreachable", t->unreachable);
    json_int(j, "off_ground", t->off_ground);
    json_int(j, "open", t->open);
    json_int(j, "bent", t->bent);
    json_number(j, "worst_bend", t->worst_bend);
    json_number(j, "length_m", t->length_m);
    json_number(j, "surface_m", t->surface_m);
    json_number(j, "straight_m", t->straight_m);
    json_number(j, "median_ratio", t->median_ratio);
    json_number(j, "worst_ratio", t->worst_ratio);
    json_number(j, "seconds", r->seconds);
    if (r->before) {
        json_open(j, "changes", '{');
        json_int(j, "both", r->changes.both);
        json_int(j, "longer", r->changes.longer);
        json_int(j, "shorter", r->changes.shorter);
        json_int(j, "lost", r->changes.lost);
        json_int(j, "gained", r->changes.gained);
        json_number(j, "before_m", r->changes.before_m);
        json_number(j, "now_m", r->changes.now_m);
        json_number(j, "worst_longer", r->changes.worst_longer);
        json_number(j, "best_shorter", r->changes.best_shorter);
        json_close(j, '}');
    }
    if (r->has_detour) {
        json_open(j, "detour", '{');
        json_int(j, "found", r->beside.found);
        json_int(j, "found_by_detour_only", r->beside.only);
        json_int(j, "found_by_navd_only", r->beside.missed);
        json_int(j, "navd_longer", r->beside.longer);
        json_number(j, "detour_m", r->beside.length_m);
        json_number(j, "navd_m", r->beside.navd_m);
        json_int(j, "open", r->beside.open);
        json_int(j, "crooked", r->beside.crooked);
        json_close(j, '}');
    }
    print_worst(r, j);
}

void audit_report_print(const audit_report *r)
{
    const nav_audit_totals *t = &r->totals;
    printf("%s: %u pairs, seed %llu, %.2f s\n", r->name, t->pairs, (unsigned long long)r->now->seed, r->seconds);
    printf("  a way exists      %u (%.1f %%); none: %u (%.1f %%)\n", t->found, share(t->found, t->pairs),
           t->unreachable, share(t->unreachable, t->pairs));
    if (t->off_ground) printf("  off the ground    %u pairs have an end without ground\n", t->off_ground);
    printf("  nothing between   %u; %u of these paths bend\n", t->open, t->bent);
    printf("  length            %.1f m, %.3f times the straight lines; median %.3f, worst %.2f times\n", t->length_m,
           t->straight_m > 0 ? t->length_m / t->straight_m : 1, t->median_ratio, t->worst_ratio);
    if (r->before) {
        const nav_audit_changes *c = &r->changes;
        printf("  before and now    %u longer (at worst %.3f times), %u shorter, %u lost, %u new\n", c->longer,
               c->worst_longer, c->shorter, c->lost, c->gained);
    }
    if (r->has_detour) {
        const audit_beside *d = &r->beside;
        printf("  Detour            %u found; %.2f %% longer; %u of %u open paths crooked; %u shorter than navd's\n",
               d->found, d->navd_m > 0 ? 100 * (d->length_m / d->navd_m - 1) : 0, d->crooked, d->open, d->longer);
    }
    for (uint32_t i = 0; i < r->worst_count; i++) {
        const nav_audit_pair *p = &r->now->pairs[r->worst[i].pair];
        printf("  %3u  %-6s ", i + 1, nav_audit_reason_name(r->worst[i].reason));
        if (r->worst[i].ratio > 0)
            printf("%6.2f times  %9.2f m  ", r->worst[i].ratio, p->length_m);
        else
            printf("%26s", "");
        printf("%.2f,%.2f,%.2f to %.2f,%.2f,%.2f\n", p->from[0], p->from[1], p->from[2], p->to[0], p->to[1], p->to[2]);
    }
}
