// The folder for persistent data: created if it is missing (mode 0700), and locked, so that a second daemon does not
// write to it. The lock goes with the process, however it ends. Any thread.
//
//     STATE/worlds/data.mdb   STATE/cache/data.mdb
#ifndef ND_STATE_FOLDER_H
#define ND_STATE_FOLDER_H

#include "core/base/status.h"

#include <stddef.h>

// Where the state is kept if nobody says: $STATE_DIRECTORY (systemd's), $XDG_STATE_HOME/navd, ~/.local/state/navd; ""
// where none of these is known.
void nd_state_folder_default(char *out, size_t bytes);

// Makes the folder and its parents where they are missing: 0, or an errno. mode: of all that it makes, as far as the
// umask allows.
int nd_folder_make(const char *folder, unsigned mode);

// Makes the folder and its parents, and locks it. *lock: close it to unlock. NAV_ERR_EXISTS: another navd has it.
// NAV_ERR_IO: it cannot be made or written. One sentence in why.
NAV_MUST_USE nav_status nd_state_folder_lock(const char *folder, int *lock, char *why, size_t why_bytes);

#endif
