/* navd's client library: worlds, meshes, edits and tiles of a navd daemon. Include this header; what belongs to one
 * topic is in a header behind it (navd/tiles.h).
 *
 * A navd_client is one connection. There is no global state: any number of clients may live at once, each used by one
 * thread at a time. Every call that can fail returns a navd_status; navd_error_text() then has one sentence. Nothing
 * here ends the process, and a broken connection is an error like any other: close the client and connect again, or
 * let the library do that (navd_options.keep_connected).
 *
 * Blocking use: each request returns with its answer, or with NAVD_ERR_TIMEOUT after navd_set_timeout().
 * Event loops: wait for navd_fd() to become readable (and writable while navd_want_write()), then call navd_process().
 * Requests whose name ends in _start return at once and tell their callback later, from within navd_process().
 *
 * Tiles of a subscription come to the callback of navd_on_tile(), from within any call that reads (blocking ones too).
 * With no callback they are kept, the newest of each place only, until navd_next_tile() takes them.
 *
 * Axes: right-handed, Y up. Units: metres, degrees, microseconds; timeouts in milliseconds. navd_set_axes() lets places
 * be in others.
 */
#ifndef NAVD_H
#define NAVD_H

#include "navd/admin.h"
#include "navd/audit.h"
#include "navd/cache.h"
#include "navd/connection.h"
#include "navd/edits.h"
#include "navd/farm.h"
#include "navd/heights.h"
#include "navd/jobs.h"
#include "navd/meshes.h"
#include "navd/paths.h"
#include "navd/places.h"
#include "navd/polygons.h"
#include "navd/sync.h"
#include "navd/tiles.h"
#include "navd/view.h"
#include "navd/worlds.h"

#endif
