/* The daemon's 3D view for browsers. Part of navd.h. */
#ifndef NAVD_VIEW_H
#define NAVD_VIEW_H

#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct navd_view {
    char url[512];    /* of the page, with the token in its fragment: for the caller's eyes alone */
    char role[16];    /* what the page may do */
    uint64_t valid_s; /* until somebody opens it, and again after it was closed */
    bool has_files;   /* false: this daemon was built without the page */
} navd_view;
/* A page for one person: it may look, and with edit change worlds, never more than the caller may. world: shown at
 * once; NULL: none. A daemon that was started without --view opens it on the loopback address, for callers on its own
 * machine. NAVD_ERR_FORBIDDEN, NAVD_ERR_STATE, NAVD_ERR_LIMIT (too many are open), NAVD_ERR_IO. */
navd_status navd_view_open(navd_client *c, const char *world, bool edit, navd_view *out);

#ifdef __cplusplus
}
#endif

#endif
