// A tile's data from the wire to what a user sees. Detour tiles come packed where the daemon has a dictionary for them:
// the one that is built in here, else it is fetched before the first of them is asked for.
#include "clients/c/client.h"
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
    s = navd_decompressor_set_dictionary(c->decompressor, answer.data.data, answer.data.size, c->dictionary_id);
    if (s != NAV_ERR_FORMAT) return s;
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
    if (navd_decompressor_takes() == NP_COMPRESSION_NONE) return NAV_OK;
    *out = NP_ENCODING_PACKED;
    if (navd_decompressor_dictionary(c->decompressor) == c->dictionary_id) return NAV_OK;
    *lacks = c->dictionary_id != NP_DICTIONARY_ID;
    if (*lacks) return NAV_OK;
    nav_status s =
        navd_decompressor_set_dictionary(c->decompressor, np_dictionary, np_dictionary_bytes, NP_DICTIONARY_ID);
    if (s != NAV_OK) navd_client_fail(c, s, "%s", nav_status_text(s));
    return s;
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

nav_status navd_client_unpack(navd_client *c, const np_tile *in)
{
    char why[96] = "it has another size than was said";
    if (in->size == 0 || in->size > MAX_TILE_BYTES) return refuse(c, in, "its size is out of range");
    nav_status s = navd_decompress(c->decompressor, in->data, in->encoding == NP_ENCODING_PACKED, (size_t)in->size,
                                   &c->unpacked, why, sizeof why);
    if (s == NAV_OK && c->unpacked.size != in->size) s = NAV_ERR_FORMAT;
    return s == NAV_ERR_FORMAT ? refuse(c, in, why) : s;
}
