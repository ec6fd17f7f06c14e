#include "daemon/farm/note.h"

#include "protocol/frame.h"

#include <string.h>

nav_status nd_note_write(nav_buffer *out, const char *name, const np_schema *schema, const void *values)
{
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 3);
    np_write_uint(&w, NP_NOTIFICATION);
    np_write_text(&w, name);
    np_schema_encode(&w, schema, values);
    return np_writer_finish(&w);
}

nav_status nd_note_read(const void *bytes, size_t count, const char *name, const np_schema *schema, np_message *m,
                        void *values, np_error *err)
{
    np_limits limits;
    np_scan scan = {0};
    char why[NP_WHY_BYTES];
    memset(m, 0, sizeof *m);
    np_limits_default(&limits);
    nav_status s = np_scan_run(&scan, &limits, bytes, count, why, sizeof why);
    if (s != NAV_OK || scan.at != count)
        return np_error_set(err, NAV_ERR_FORMAT, "the %s is not one whole message of msgpack", name);
    s = np_message_read(bytes, count, m, err);
    if (s == NAV_ERR_MEMORY) return s;
    if (s != NAV_OK || m->kind != NP_NOTIFICATION || !np_str_equal(m->method, name))
        return np_error_set(err, NAV_ERR_FORMAT, "the message is no %s", name);
    s = np_schema_decode(schema, m->params, m->zone, NULL, values, err);
    return s == NAV_OK || s == NAV_ERR_MEMORY ? s : NAV_ERR_FORMAT;
}
