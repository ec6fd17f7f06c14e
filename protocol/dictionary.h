// The dictionary that packed tiles (core/tile/detour_packed.h) are compressed with. It is part of the protocol: frames
// name it by its id, and clients that do not have it ask for it by dictionary.get. Trained by scripts/dictionary on
// tiles of generated scenes; another one takes another id. Constant, any thread.
#ifndef NP_DICTIONARY_H
#define NP_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

enum { NP_DICTIONARY_ID = 40001 };

extern const uint8_t np_dictionary[];
extern const size_t np_dictionary_bytes;

#endif
