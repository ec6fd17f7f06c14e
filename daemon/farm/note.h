// Small messages between daemons and workers: msgpack-rpc notifications, [2, name, {...}], by a schema as the
// protocol's are (protocol/schema.h). A key that is not known is passed over, so that a newer version may say more.
// They come from a server that others can publish to: any bytes are read without harm. Any thread.
#ifndef ND_NOTE_H
#define ND_NOTE_H

#include "protocol/schema.h"

// Appends. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_note_write(nav_buffer *out, const char *name, const np_schema *schema, const void *values);
// values start out with the schema's defaults; strings and lists in them live as long as m and the bytes. Always
// np_message_deinit(m). NAV_ERR_FORMAT, NAV_ERR_MEMORY with words.
NAV_MUST_USE nav_status nd_note_read(const void *bytes, size_t count, const char *name, const np_schema *schema,
                                     np_message *m, void *values, np_error *err);

#endif
