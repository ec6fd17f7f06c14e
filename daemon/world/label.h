// What an object is called: text for people, which names nothing here. Shared by the object's versions before and after
// an edit, and by what may have to undo it. Loop thread only.
#ifndef ND_LABEL_H
#define ND_LABEL_H

#include "protocol/messages.h"

typedef struct nd_label {
    size_t refs;
    np_str text; // its own
} nd_label;

// A reference to a copy; NULL where the text is "". NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_label_create(np_str text, nd_label **out);
nd_label *nd_label_ref(nd_label *l); // accepts NULL
void nd_label_unref(nd_label *l);    // accepts NULL
// "" for NULL. Borrowed.
np_str nd_label_text(const nd_label *l);
bool nd_label_is(const nd_label *l, np_str text);

#endif
