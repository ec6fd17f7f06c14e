// The whole way in of a message, on any bytes: framing in odd chunks, unpacking, the envelope, and the decoder that it
// asks for; what was decoded is encoded, decoded and encoded again, to the same bytes.
//
// The first byte is the size of the chunks, the second one chooses the response that a response is read as.
#include "protocol/messages.h"
#include "protocol/tile_note.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const np_limits limits = {
    .message_bytes = 1 << 16, .depth = 16, .elements = 1 << 12, .container_elements = 1 << 10};

// Decodes into room; false where it is an error, which must have words then.
static bool decode(const np_message *in, np_method method, void *room)
{
    np_error err = {0};
    nav_status st = in->kind == NP_RESPONSE ? np_response_decode(in, method, room, &err)
                                            : np_request_decode(in, method, room, &err);
    if (st == NAV_OK) return true;
    if (err.code != st) abort();
    if (in->kind != NP_RESPONSE && (err.message[0] == '\0' || st == NAV_ERR_INTERNAL)) abort();
    return false;
}

static void encode(const np_message *in, np_method method, const void *room, nav_buffer *out)
{
    nav_status st = in->kind == NP_REQUEST    ? np_request_encode(out, method, in->id, room)
                    : in->kind == NP_RESPONSE ? np_response_encode(out, method, in->id, room)
                                              : np_note_encode(out, method, room);
    if (st != NAV_OK) abort();
}

static bool same_str(np_str a, np_str b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

// What is read of a note of a tile by hand must be what its table says.
static void read_by_hand(const uint8_t *bytes, size_t count)
{
    np_tile_note fast, slow;
    np_message in;
    np_error err;
    if (!np_tile_note_read(bytes, count, &fast)) return;
    if (np_message_read(bytes, count, &in, &err) != NAV_OK || np_decode_tile_note(&in, &slow, &err) != NAV_OK) abort();
    const np_tile *a = &fast.tile, *b = &slow.tile;
    bool same = fast.subscription == slow.subscription && fast.world == slow.world && a->x == b->x && a->z == b->z &&
                a->status == b->status && a->revision == b->revision && a->size == b->size &&
                a->encoding == b->encoding && a->queued_us == b->queued_us && a->made_us == b->made_us &&
                a->data.size == b->data.size && nav_key_equal(a->key, b->key);
    if (a->data.size && a->data.data != b->data.data) abort(); // where no bytes are is nowhere
    if (!same || !same_str(fast.profile, slow.profile) || !same_str(a->reason, b->reason)) abort();
    np_message_deinit(&in);
}

static void walk(const uint8_t *bytes, size_t count, uint8_t response)
{
    _Alignas(16) char room[1024];
    nav_buffer first = {0}, second = {0};
    np_message in = {0}, again = {0};
    np_error err = {0};
    uint8_t *exact = malloc(count);
    if (!exact) return;
    memcpy(exact, bytes, count);
    read_by_hand(exact, count);
    nav_status st = np_message_read(exact, count, &in, &err);
    if (st != NAV_OK) {
        if (err.message[0] == '\0') abort();
        goto done;
    }
    np_method method =
        in.kind == NP_RESPONSE ? (np_method)(NP_UNKNOWN + 1 + response % (NP_TILE - 1)) : np_method_of(&in);
    if (method == NP_UNKNOWN || !decode(&in, method, room)) goto done;
    encode(&in, method, room, &first);
    if (np_message_read(first.data, first.size, &again, &err) != NAV_OK) abort();
    if (!decode(&again, method, room)) abort();
    encode(&again, method, room, &second);
    if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
done:
    np_message_deinit(&in);
    np_message_deinit(&again);
    nav_buffer_deinit(&first);
    nav_buffer_deinit(&second);
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 2) return 0;
    size_t chunk = 1 + (bytes[0] & 15) * 17;
    np_reader r;
    if (np_reader_init(&r, &limits) != NAV_OK) abort();
    for (size_t at = 2; at < count; at += chunk) {
        if (np_reader_feed(&r, bytes + at, count - at < chunk ? count - at : chunk) != NAV_OK) break;
        const uint8_t *message;
        size_t size;
        for (nav_status st = NAV_OK; st == NAV_OK;) {
            np_tile_note note;
            np_reader ahead = r; // what is taken in one step is what is taken in two
            bool is_tile = np_tile_note_next(&ahead, &note);
            st = np_reader_next(&r, &message, &size);
            if (is_tile && (st != NAV_OK || ahead.begin != r.begin)) abort();
            if (st == NAV_OK) walk(message, size, bytes[1]);
        }
        if (r.buffer.capacity > 2 * count + 4096) abort();
    }
    np_reader_deinit(&r);
    return 0;
}
