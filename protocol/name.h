// What a name may be: of a world, a profile, a source. Any thread.
#ifndef NP_NAME_H
#define NP_NAME_H

#include "protocol/messages_world.h"

// 1 to NP_NAME_BYTES of UTF-8 without characters that nobody sees and without components "." and "..".
// NAV_ERR_ARGUMENT with a sentence that begins with the key.
NAV_MUST_USE nav_status np_name_check(const char *key, np_str name, char *why, size_t why_bytes);

#endif
