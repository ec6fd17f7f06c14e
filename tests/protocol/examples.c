#include "tests/protocol/examples.h"

#include <stdlib.h>

static const example_list *const lists[] = {&examples_service, &examples_worlds, &examples_paths, &examples_places,
                                            &examples_tiles};
enum { LISTS = sizeof lists / sizeof *lists };

uint32_t example_count(void)
{
    uint32_t count = 0;
    for (int i = 0; i < LISTS; i++) count += lists[i]->count;
    return count;
}

const example *example_at(uint32_t at)
{
    int i = 0;
    while (at >= lists[i]->count) at -= lists[i++]->count;
    return &lists[i]->rows[at];
}

nav_status example_encode(const example *e, nav_buffer *out)
{
    if (e->method == NP_UNKNOWN) return np_error_encode(out, e->id, e->message);
    if (e->kind == NP_REQUEST) return np_request_encode(out, e->method, e->id, e->message);
    if (e->kind == NP_RESPONSE) return np_response_encode(out, e->method, e->id, e->message);
    return np_note_encode(out, e->method, e->message);
}

static nav_status decode_error(const np_message *in, nav_buffer *out)
{
    np_error e;
    if (!in->error) return NAV_ERR_ARGUMENT;
    (void)(np_error_decode(in, &e) == NAV_OK);
    return out ? np_error_encode(out, in->id, &e) : NAV_OK;
}

nav_status example_decode(const example *e, const uint8_t *bytes, size_t count, nav_buffer *out, np_error *err)
{
    _Alignas(16) char room[1024];
    example again = *e;
    again.message = room;
    np_message in;
    nav_status st = np_message_read(bytes, count, &in, err);
    if (st != NAV_OK) goto done;
    st = NAV_ERR_ARGUMENT; // of another kind
    if (in.kind != e->kind) goto done;
    again.id = in.id;
    if (e->method == NP_UNKNOWN) {
        st = decode_error(&in, out);
        goto done;
    }
    if (e->kind != NP_RESPONSE && np_method_of(&in) != e->method) goto done;
    st = e->kind == NP_RESPONSE ? np_response_decode(&in, e->method, room, err)
                                : np_request_decode(&in, e->method, room, err);
    if (st == NAV_OK && out) st = example_encode(&again, out);
done:
    np_message_deinit(&in);
    return st;
}
