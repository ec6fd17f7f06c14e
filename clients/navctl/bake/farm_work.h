// What the navd that this command has started gets from its farm.
#ifndef NAVCTL_FARM_WORK_H
#define NAVCTL_FARM_WORK_H

#include "clients/navctl/output/json.h"
#include "navd.h"

typedef struct farm_work {
    bool up;
    uint64_t found, made; // tiles: in the farm's cache; by its workers
    uint64_t built;       // here
} farm_work;

// Waits a moment until a daemon that was just started has reached its farm, so that what others have built is found
// from the first tile on. If it has not, says so on stderr: this machine builds everything itself then.
void farm_work_await(navd_client *c);
// Up to now. False where the daemon does not say.
bool farm_work_read(navd_client *c, farm_work *out);
void farm_work_json(const farm_work *work, json_writer *w);

#endif
