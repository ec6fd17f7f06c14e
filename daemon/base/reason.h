// Why a tile failed, as it is kept, stored and told.
#ifndef ND_REASON_H
#define ND_REASON_H

#include "core/base/status.h"
#include "core/build.h"

#include <stdint.h>

typedef struct nd_reason {
    nav_status status; // NAV_OK: it did not
    uint8_t stage;     // nav_stage it was at; not below NAV_STAGE_COUNT: in none
    uint8_t signal;    // NAV_ERR_CRASHED: what its helper process died of the last time; 0: it is not known
} nd_reason;

static inline nd_reason nd_reason_of(nav_status status)
{
    return (nd_reason){.status = status, .stage = NAV_STAGE_COUNT};
}

#endif
