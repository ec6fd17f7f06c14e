#include "protocol/dictionary.h"

const uint8_t np_dictionary[] = {
#include "protocol/dictionary_bytes.inc"
};
const size_t np_dictionary_bytes = sizeof np_dictionary;
