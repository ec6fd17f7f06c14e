// The axes of calls: found before a handler decodes its message, so that all handlers work in metres with Y up. Loop
// thread only.
#ifndef ND_METHODS_AXES_H
#define ND_METHODS_AXES_H

#include "daemon/methods/methods.h"

// Sets the message's axes: those that the call itself names, or those of the session for the world that it is about.
// NAV_ERR_ARGUMENT with words.
NAV_MUST_USE nav_status nd_call_find_axes(nd_call *c, np_method method);
// Room for one world more in the session's list. NAV_ERR_MEMORY with words.
NAV_MUST_USE nav_status nd_call_reserve_axes(nd_call *c);

#endif
