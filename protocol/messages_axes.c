// In which axes a message is: read from it before the rest, whose places depend on that.
#include "protocol/schema.h"

const char *const np_up_names[] = {[NP_UP_Y] = "y", [NP_UP_Z] = "z", NULL};

static nav_status check(void *m, char *why, size_t why_bytes)
{
    return np_axes_check(m, why, why_bytes);
}

static const np_field fields[] = {NP_AXES_FIELDS(np_axes, )};
static const np_schema schema = {.bytes = sizeof(np_axes), NP_FIELDS(fields), .check = check};

nav_status np_message_read_axes(const np_message *m, np_axes *out, np_error *err)
{
    return np_schema_decode(&schema, m->params, m->zone, NULL, out, err);
}

bool np_message_read_number(const np_message *m, const char *key, uint64_t *out)
{
    for (uint32_t i = 0; m->params && i < m->params->via.map.size; i++) {
        const msgpack_object_kv *kv = &m->params->via.map.ptr[i];
        np_str name;
        if (!np_text_of(&kv->key, &name) || !np_str_equal(name, key)) continue;
        *out = kv->val.via.u64;
        return kv->val.type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    }
    return false;
}
