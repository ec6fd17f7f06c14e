// Recast and Detour behind a C interface: Recast generates the same tiles from the same triangles with the same
// settings; Detour judges how alike two meshes are. recast_peer.cpp and audit.cpp where librecast is found, else
// absent_peer.c.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "core/build.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Is librecast there? All else below needs it.
bool peer_present(void);

typedef struct peer_tile {
    uint8_t *bytes; // a Detour tile, or NULL
    uint32_t size;
} peer_tile;

typedef struct peer_input {
    const float *verts; // world space; borrowed
    uint32_t vert_count;
    const uint32_t *tris;
    uint32_t tri_count;
    float min_y, max_y;
    const nav_settings *settings;
    int32_t first_tile[2], tile_count[2];
    bool solo; // one mesh over all triangles, without tiles or their padding: RecastDemo's Solo Mesh
} peer_input;

typedef struct peer_result {
    peer_tile *tiles; // row by row: z major
    uint64_t filled, polys, bytes;
    uint64_t contour_verts;
    double bin_s;      // sorting triangles into tiles, once
    double generate_s; // from a tile's triangles to its Detour bytes, Recast's own allocations included
    double stage_s[NAV_STAGE_COUNT];
} peer_result;

typedef struct peer peer;

peer *peer_create(const peer_input *input); // bins the triangles
void peer_destroy(peer *p);
// Generates every tile again. The result's tiles are the caller's to free with peer_result_free().
void peer_generate(peer *p, int threads, peer_result *out);
void peer_result_free(peer_result *r, uint32_t tile_count);

typedef struct audit_input {
    const peer_tile *tiles; // of the reference (Recast) and the candidate (navd)
    uint32_t count;
} audit_input;

typedef struct audit_report {
    uint32_t tiles[2], rejected[2]; // reference, candidate
    uint32_t components[2];         // connected, of at least 1 m2
    double area_m2[2];
    double recall, precision; // share of points of the reference that the candidate covers, and the reverse
    double height_mean_m;     // between a covered point and the candidate
    uint32_t pairs;           // of points that both meshes have
    double agree;             // share of pairs on which both say the same about "is there a way"
    double length_ratio;      // mean, candidate's path over the reference's, where both have one
    double length_ratio_p99;
} audit_report;

// Deterministic. False with one line on stderr when Detour cannot hold the tiles at all.
bool audit_run(const audit_input *reference, const audit_input *candidate, const nav_settings *settings,
               uint32_t samples, uint32_t pairs, audit_report *out);

// Detour's own paths over tiles, as a game asks for them: nearest polygons, search and string pulling. NULL: it cannot
// load them (one line on stderr), or there is no Detour.
typedef struct peer_ways peer_ways;
peer_ways *peer_ways_create(const audit_input *input, const nav_settings *settings);
void peer_ways_destroy(peer_ways *ways); // accepts NULL
// Metres, seen from above. Negative: there is no way.
double peer_ways_length(peer_ways *ways, const float from[3], const float to[3]);
// What a metre on an area costs from now on; 1 until then. At least 1, as Detour's search needs it.
void peer_ways_set_cost(peer_ways *ways, int area, float cost);
// What the way costs, each metre seen from above at the cost of its area. Negative: there is no way.
double peer_ways_cost(peer_ways *ways, const float from[3], const float to[3]);

#ifdef __cplusplus
}
#endif

#endif
