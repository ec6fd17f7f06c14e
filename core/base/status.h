// The public nav_status (navcore/status.h), and what core marks its own functions with.
#ifndef NAV_BASE_STATUS_H
#define NAV_BASE_STATUS_H

#include "navcore/status.h"

#if defined(__GNUC__) || defined(__clang__)
#ifdef __MINGW32__ // it has two of them
#define NAV_PRINTF(fmt, args) __attribute__((format(gnu_printf, fmt, args)))
#else
#define NAV_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#endif
#else
#define NAV_PRINTF(fmt, args)
#endif

#endif
