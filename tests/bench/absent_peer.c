// What the bench links where librecast or a C++ compiler is missing.
#include "tests/bench/peer.h"

bool peer_present(void)
{
    return false;
}

peer *peer_create(const peer_input *input)
{
    (void)input;
    return NULL;
}

void peer_destroy(peer *p)
{
    (void)p;
}

void peer_generate(peer *p, int threads, peer_result *out)
{
    (void)p;
    (void)threads;
    *out = (peer_result){0};
}

void peer_result_free(peer_result *r, uint32_t tile_count)
{
    (void)r;
    (void)tile_count;
}

bool audit_run(const audit_input *reference, const audit_input *candidate, const nav_settings *settings,
               uint32_t samples, uint32_t pairs, audit_report *out)
{
    (void)reference;
    (void)candidate;
    (void)settings;
    (void)samples;
    (void)pairs;
    *out = (audit_report){0};
    return false;
}

peer_ways *peer_ways_create(const audit_input *input, const nav_settings *settings)
{
    (void)input;
    (void)settings;
    return NULL;
}

void peer_ways_destroy(peer_ways *ways)
{
    (void)ways;
}

void peer_ways_set_cost(peer_ways *ways, int area, float cost)
{
    (void)ways;
    (void)area;
    (void)cost;
}

double peer_ways_cost(peer_ways *ways, const float from[3], const float to[3])
{
    (void)ways;
    (void)from;
    (void)to;
    return -1;
}

double peer_ways_length(peer_ways *ways, const float from[3], const float to[3])
{
    (void)ways;
    (void)from;
    (void)to;
    return -1;
}
