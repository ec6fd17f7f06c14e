// All worlds that a client may see, each in a file of its own in one folder, and back. Each world is of one revision;
// the worlds are read one after the other, so two of them are not of the same moment. A world that is created meanwhile
// is not in the folder, one that is deleted meanwhile is passed over. Each call prints what went wrong on stderr, goes
// on with the other worlds, and returns the exit code of the first that failed.
#ifndef NAVCTL_WORLD_BACKUP_H
#define NAVCTL_WORLD_BACKUP_H

#include "clients/navctl/world_file/world_copy.h"

// Told of each world that was copied.
typedef void (*world_copied)(void *user, const char *path, const world_copy *copy);

// The folder is created where it is missing, and must hold no worlds: files of an earlier backup would bring back
// worlds that were deleted since.
int world_export_all(navd_client *c, const char *folder, world_copied copied, void *user);
// Every NAME.navdworld of the folder, by name. A world that exists already is refused and left as it is.
int world_import_all(navd_client *c, const char *folder, uint64_t max_bytes, world_copied copied, void *user);

#endif
