// The table of options: name, type, bounds, default, whether a reload changes it, description. Read-only. Any
// thread.
#ifndef ND_OPTIONS_H
#define ND_OPTIONS_H

#include "daemon/config/config.h"

typedef enum nd_option_type {
    ND_OPTION_SECTION, // a heading: the name is its text
    ND_OPTION_NUMBER,
    ND_OPTION_BYTES,  // a number with K, M or G (powers of 1024)
    ND_OPTION_TEXT,   // default "", or what nd_config_default() works out
    ND_OPTION_CHOICE, // one of `words`, from the one at `min`; the value is its index
    ND_OPTION_MODE,   // octal
    ND_OPTION_FLAG    // command line only, without a value
} nd_option_type;

typedef struct nd_option {
    const char *name;       // in a file; on the command line --name-with-dashes
    const char *value_name; // "N", "PATH"; NULL for a flag
    nd_option_type type;
    bool reload; // else a change needs a restart
    bool command_line_only;
    size_t offset, size; // of the member in nd_config
    uint64_t value, min, max;
    const char *const *words; // ends with NULL
    const char *default_text; // of a text whose default is worked out; NULL: none
    const char *help;
} nd_option;

extern const nd_option nd_options[];
extern const int nd_option_count;

// Name of length bytes; dashes: with - for _. NULL: there is none.
const nd_option *nd_option_find(const char *name, size_t length, bool dashes);
// The option that was perhaps meant; NULL where none is near.
const nd_option *nd_option_nearest(const char *name, size_t length);

// Sets the member from text. NAV_ERR_ARGUMENT and what is allowed: "it may be a number from 1 to 19".
NAV_MUST_USE nav_status nd_option_set(nd_config *c, const nd_option *o, const char *value, char *why, size_t why_bytes);
// The member as text that nd_option_set() takes.
enum { ND_OPTION_TEXT_BYTES = ND_FILE_NAME_BYTES };
void nd_option_get(const nd_config *c, const nd_option *o, char out[ND_OPTION_TEXT_BYTES]);
// Its value in the table as such text; "" for a text.
void nd_option_default(const nd_option *o, char out[ND_OPTION_TEXT_BYTES]);

// Of a choice: "reader, editor or admin".
void nd_option_words(const nd_option *o, char *out, size_t size);

#endif
