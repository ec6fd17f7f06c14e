// NATS knows who has a key by the public half of it, and a file holds the secret one, the seed: 32 bytes of Ed25519
// behind a prefix of two bytes that says what it is for, with a checksum, all in base 32.
#include "daemon/bus/bus_parts.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum { SEED_LETTERS = 58, SEED_BYTES = 36, KEY_BYTES = 32, PUBLIC_BYTES = 35, USER = 20 << 3, SEED = 18 << 3 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static uint16_t checksum(const uint8_t *bytes, size_t count)
{
    uint16_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1);
    }
    return sum;
}

// The first word of the text that is as long as a seed and begins as one.
static bool find_seed(const char *text, uint8_t out[SEED_BYTES])
{
    const char *at = text;
    size_t length;
    for (;; at += length) {
        at += strspn(at, " \t\r\n");
        length = strcspn(at, " \t\r\n");
        if (!length) return false;
        if (length == SEED_LETTERS && at[0] == 'S') break;
    }
    uint32_t bits = 0;
    int have = 0;
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        const char *letter = strchr(alphabet, at[i]);
        if (!letter) return false;
        bits = bits << 5 | (uint32_t)(letter - alphabet);
        have += 5;
        if (have < 8) continue;
        have -= 8;
        out[count++] = (uint8_t)(bits >> have);
        bits &= (1u << have) - 1;
    }
    const uint16_t sum = checksum(out, SEED_BYTES - 2);
    const int of = (out[0] & 7) << 5 | out[1] >> 3;
    return (out[0] & 0xf8) == SEED && of == USER && out[SEED_BYTES - 2] == (sum & 255) &&
           out[SEED_BYTES - 1] == sum >> 8;
}

static void write_base32(const uint8_t *bytes, size_t count, char *out)
{
    uint32_t bits = 0;
    int have = 0;
    for (size_t i = 0; i < count; i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 5; have -= 5) *out++ = alphabet[bits >> (have - 5) & 31];
        bits &= (1u << have) - 1;
    }
    if (have) *out++ = alphabet[bits << (5 - have) & 31];
    *out = 0;
}

static bool derive(const uint8_t seed[KEY_BYTES], uint8_t out[KEY_BYTES])
{
    size_t bytes = KEY_BYTES;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, KEY_BYTES);
    const bool derived = key && EVP_PKEY_get_raw_public_key(key, out, &bytes) == 1 && bytes == KEY_BYTES;
    EVP_PKEY_free(key);
    return derived;
}

nav_status nd_nkey_public(const char *file, char out[ND_NKEY_BYTES], char *why, size_t why_bytes)
{
    char text[1024] = "";
    uint8_t seed[SEED_BYTES], public_key[PUBLIC_BYTES] = {USER};
    FILE *in = fopen(file, "re");
    if (!in) {
        snprintf(why, why_bytes, "cannot read %s (--farm-nkey): %m", file);
        return NAV_ERR_ARGUMENT;
    }
    const size_t count = fread(text, 1, sizeof text - 1, in);
    text[count] = 0;
    (void)fclose(in);
    const bool found = find_seed(text, seed) && derive(seed + 2, public_key + 1);
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(seed, sizeof seed);
    if (!found) {
        snprintf(why, why_bytes,
                 "%s holds no seed of a NATS user (--farm-nkey): it is a word of 58 letters that begins "
                 "with SU, as \"nk -gen user\" prints it",
                 file);
        return NAV_ERR_ARGUMENT;
    }
    const uint16_t sum = checksum(public_key, PUBLIC_BYTES - 2);
    public_key[PUBLIC_BYTES - 2] = (uint8_t)sum;
    public_key[PUBLIC_BYTES - 1] = (uint8_t)(sum >> 8);
    write_base32(public_key, PUBLIC_BYTES, out);
    return NAV_OK;
}
