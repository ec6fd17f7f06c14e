// A tile's data from the wire to what a user sees. Detour tiles come packed where the daemon has a dictionary for them:
// the one that is built in here, else it is fetched before the first of them is asked for.
#include "clients/c/client.h"
#include "core/tile/detour_packed.h"
#include "protocol/dictionary.h"

#include <stdio.h>

// No tile that navd makes comes near this; a peer that claims more is refused before anything is allocated.
static const uint64_t MAX_TILE_BYTES = (uint64_t)1 << 28;
enum { MAX_DICTIONARY_BYTES = 1 << 20 }; // nor any dictionary near this

nav_status navd_client_take_dictionary(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_dictionary_get_response answer;
    (void)out;
    nav_status s = np_decode_dictionary_get_response(in, &answer, err);
    if (s != NAV_OK) return s;
    if (answer.data.size > MAX_DICTIONARY_BYTES)
        return np_error_set(err, NAV_ERR_LIMIT, "the daemon's dictionary %u has %u bytes", c->dictionary_id,
                            answer.data.size);
    c->dictionary = ZSTD_createDDict(answer.data.data, answer.data.size);
    if (c->dictionary && ZSTD_getDictID_fromDDict(c->dictionary) == c->dictionary_id) return NAV_OK;
    ZSTD_freeDDict(c->dictionary);
    c->dictionary = NULL;
    return np_error_set(err, NAV_ERR_FORMAT, "what the daemon sends as dictionary %u is not that one",
                        c->dictionary_id);
}

nav_status navd_client_encode_dictionary(navd_client *c)
{
    np_dictionary_get_request request = {c->dictionary_id};
    return np_encode_dictionary_get_request(&c->out, navd_client_next_id(c), &request);
}

nav_status navd_client_choose_encoding(navd_client *c, navd_encoding wanted, np_encoding *out, bool *lacks)
{
    *lacks = false;
    *out = (np_encoding)wanted;
    if (wanted != NAVD_ENCODING_DETOUR || !c->dictionary_id) return NAV_OK;
    *out = NP_ENCODING_PACKED;
    if (c->dictionary) return NAV_OK;
    *lacks = c->dictionary_id != NP_DICTIONARY_ID;
    if (*lacks) return NAV_OK;
    c->dictionary = ZSTD_createDDict(np_dictionary, np_dictionary_bytes);
    if (c->dictionary) return NAV_OK;
    navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    return NAV_ERR_MEMORY;
}

navd_status navd_client_encoding(navd_client *c, navd_encoding wanted, np_encoding *out)
{
    bool lacks;
    nav_status s = navd_client_choose_encoding(c, wanted, out, &lacks);
    if (s != NAV_OK || !lacks) return (navd_status)s;
    return navd_client_finish(c, navd_client_encode_dictionary(c), navd_client_take_dictionary, NULL);
}

static nav_status refuse(navd_client *c, const np_tile *in, const char *what)
{
    snprintf(c->why, sizeof c->why, "tile %d, %d: %s", in->x, in->z, what);
    return NAV_ERR_FORMAT;
}

static nav_status unpack_frame(navd_client *c, const np_tile *in, uint64_t size, nav_buffer *out)
{
    out->size = 0;
    nav_status s = nav_buffer_reserve(out, (size_t)size);
    if (s != NAV_OK) return s;
    size_t got = in->encoding == NP_ENCODING_PACKED
                     ? ZSTD_decompress_usingDDict(c->unpacker, out->data, (size_t)size, in->data.data, in->data.size,
                                                  c->dictionary)
                     : ZSTD_decompressDCtx(c->unpacker, out->data, (size_t)size, in->data.data, in->data.size);
    if (ZSTD_isError(got)) return refuse(c, in, ZSTD_getErrorName(got));
    out->size = got;
    return NAV_OK;
}

static nav_status unpack_packed(navd_client *c, const np_tile *in)
{
    unsigned id = ZSTD_getDictID_fromFrame(in->data.data, in->data.size);
    if (!c->dictionary || (id && id != c->dictionary_id)) {
        char what[96];
        snprintf(what, sizeof what, "it is compressed with dictionary %u, but this client has %u", id,
                 c->dictionary ? c->dictionary_id : 0);
        return refuse(c, in, what);
    }
    nav_status s = unpack_frame(c, in, in->size + 1, &c->packed); // a tile that did not pack is one byte longer
    if (s != NAV_OK) return s;
    c->unpacked.size = 0;
    s = nav_detour_unpack(c->packed.data, c->packed.size, (size_t)in->size, &c->unpacked);
    return s == NAV_OK || s == NAV_ERR_MEMORY ? s : refuse(c, in, "its packed form is damaged");
}

nav_status navd_client_unpack(navd_client *c, const np_tile *in)
{
    if (in->size == 0 || in->size > MAX_TILE_BYTES) return refuse(c, in, "its size is out of range");
    if (in->encoding == NP_ENCODING_PACKED) return unpack_packed(c, in);
    nav_status s = unpack_frame(c, in, in->size, &c->unpacked);
    return s != NAV_OK || c->unpacked.size == in->size ? s : refuse(c, in, "it has another size than was said");
}
