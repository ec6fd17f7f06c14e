#include "daemon/access/tokens.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = "navd_", cert_prefix[] = "cert:";
enum { PREFIX = 5, MAX_WORDS = 6 };

// SHA-256 over the salt and the secret's digits.
static bool hash_secret(const uint8_t salt[ND_TOKEN_SALT_BYTES], const char *secret, uint8_t out[ND_TOKEN_HASH_BYTES])
{
    uint8_t input[ND_TOKEN_SALT_BYTES + ND_TOKEN_SECRET_CHARS];
    unsigned size = 0;
    memcpy(input, salt, ND_TOKEN_SALT_BYTES);
    memcpy(input + ND_TOKEN_SALT_BYTES, secret, ND_TOKEN_SECRET_CHARS);
    bool good = EVP_Digest(input, sizeof input, out, &size, EVP_sha256(), NULL) == 1 && size == ND_TOKEN_HASH_BYTES;
    OPENSSL_cleanse(input, sizeof input);
    return good;
}

static bool is_hex(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]) && !(text[i] >= 'a' && text[i] <= 'f')) return false;
    return true;
}

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void from_hex(const char *text, uint8_t *out, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
}

static void to_hex(const uint8_t *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    out[2 * count] = 0;
}

// --- reading ---

typedef struct word {
    const char *text;
    size_t length;
} word;

static bool copy_word(char *out, size_t room, word w)
{
    if (w.length >= room) return false;
    memcpy(out, w.text, w.length);
    out[w.length] = 0;
    return true;
}

// NULL, or what is wrong.
static const char *read_id(nd_credential *c, word w, bool *is_certificate)
{
    *is_certificate = w.length > PREFIX && !memcmp(w.text, cert_prefix, PREFIX);
    for (size_t i = 0; i < w.length; i++)
        if ((unsigned char)w.text[i] <= ' ' || (unsigned char)w.text[i] >= 0x7f)
            return "the first word has a character that is not plain ASCII";
    if (!*is_certificate && (w.length != ND_TOKEN_ID_CHARS || !is_hex(w.text, w.length)))
        return "the first word is neither a token's 16 hexadecimal digits nor cert:NAME";
    return copy_word(c->id, sizeof c->id, w) ? NULL : "the certificate's name is longer than 66 characters";
}

static const char *read_line(nd_credential *c, const word *words, size_t count)
{
    bool is_certificate;
    char role[16];
    const char *wrong = read_id(c, words[0], &is_certificate);
    if (wrong) return wrong;
    if (count != (is_certificate ? 4u : 6u))
        return is_certificate ? "expected cert:CN NAME ROLE NAMESPACE" : "expected ID NAME ROLE NAMESPACE SALT HASH";
    if (!nd_namespace_name_is_valid(words[1].text, words[1].length) ||
        !copy_word(c->principal.name, sizeof c->principal.name, words[1]))
        return "the name must be at most 63 letters, digits, '-', '_' and '.'";
    if (!copy_word(role, sizeof role, words[2]) || np_role_parse(role, &c->principal.role) != NAV_OK)
        return "the role must be reader, editor or admin";
    if (!nd_namespace_name_is_valid(words[3].text, words[3].length) || !copy_word(c->space, sizeof c->space, words[3]))
        return "the namespace must be at most 63 letters, digits, '-', '_' and '.'";
    if (is_certificate) return NULL;
    if (words[4].length != 2 * ND_TOKEN_SALT_BYTES || !is_hex(words[4].text, words[4].length))
        return "the salt is not 32 hexadecimal digits";
    if (words[5].length != 2 * ND_TOKEN_HASH_BYTES || !is_hex(words[5].text, words[5].length))
        return "the hash is not 64 hexadecimal digits";
    from_hex(words[4].text, c->salt, ND_TOKEN_SALT_BYTES);
    from_hex(words[5].text, c->hash, ND_TOKEN_HASH_BYTES);
    return NULL;
}

// How many words the line has; at most one more than are kept.
static size_t split(const char *line, const char *end, word words[MAX_WORDS])
{
    size_t count = 0;
    while (line < end && count <= MAX_WORDS) {
        if (*line == ' ' || *line == '\t' || *line == '\r') {
            line++;
            continue;
        }
        if (*line == '#') break;
        const char *from = line;
        while (line < end && *line != ' ' && *line != '\t' && *line != '\r') line++;
        if (count < MAX_WORDS) words[count] = (word){from, (size_t)(line - from)};
        count++;
    }
    return count;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const nd_credential *)a)->id, ((const nd_credential *)b)->id);
}

nav_status nd_tokens_parse(const char *text, size_t size, nd_tokens *out, char *why, size_t why_bytes)
{
    nd_tokens t = {0};
    size_t capacity = 0, line = 0;
    const char *wrong = NULL;
    for (const char *at = text, *end = text + size; at < end && !wrong; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        word words[MAX_WORDS];
        size_t count = split(at, stop ? stop : end, words);
        at = stop ? stop + 1 : end;
        if (!count) continue;
        if (t.count == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            nd_credential *grown = realloc(t.list, capacity * sizeof *grown);
            if (!grown) {
                nd_tokens_deinit(&t);
                snprintf(why, why_bytes, "no memory for the tokens");
                return NAV_ERR_MEMORY;
            }
            t.list = grown;
        }
        t.list[t.count] = (nd_credential){0};
        wrong = read_line(&t.list[t.count++], words, count);
    }
    if (wrong) {
        snprintf(why, why_bytes, "line %zu: %s", line, wrong);
    } else {
        if (t.count) qsort(t.list, t.count, sizeof *t.list, compare_ids);
        for (size_t i = 1; i < t.count && !wrong; i++)
            if (!compare_ids(&t.list[i - 1], &t.list[i])) {
                snprintf(why, why_bytes, "%s appears twice", t.list[i].id);
                wrong = why;
            }
    }
    if (wrong) {
        nd_tokens_deinit(&t);
        return NAV_ERR_ARGUMENT;
    }
    *out = t;
    return NAV_OK;
}

static nav_status read_file(const char *path, struct stat *st, char **text, size_t *size, char *why, size_t why_bytes)
{
    nav_status s = NAV_ERR_IO;
    const char *wrong = NULL;
    *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe of that name does not stop us
    if (fd < 0 || fstat(fd, st)) {
        wrong = strerror(errno);
        goto done;
    }
    s = NAV_ERR_ARGUMENT;
    if (!S_ISREG(st->st_mode)) {
        wrong = "it is not a file";
    } else if (st->st_mode & (S_IRWXO | S_IWGRP)) {
        wrong =
            "users other than its owner may change it, or every user may read it; restrict it with chmod 0600 or 0640";
    } else if (st->st_size > ND_TOKENS_FILE_BYTES) {
        wrong = "it is larger than 4 MiB";
        s = NAV_ERR_LIMIT;
    } else if (!(*text = malloc((size_t)st->st_size + 1))) {
        wrong = "no memory";
        s = NAV_ERR_MEMORY;
    }
    if (wrong) goto done;
    size_t have = 0;
    for (ssize_t n = 1; n > 0 && have<(size_t)st->st_size; have += n> 0 ? (size_t)n : 0) {
        n = read(fd, *text + have, (size_t)st->st_size - have);
        if (n < 0) wrong = strerror(errno);
    }
    *size = have;
    s = wrong ? NAV_ERR_IO : NAV_OK;

done:
    if (fd >= 0) close(fd);
    if (wrong) {
        snprintf(why, why_bytes, "tokens %s: %s", path, wrong);
        free(*text);
        *text = NULL;
    }
    return s;
}

nav_status nd_tokens_load(const char *path, nd_tokens *out, char *why, size_t why_bytes)
{
    struct stat st;
    char *text, words[256];
    size_t size = 0;
    nav_status s = read_file(path, &st, &text, &size, why, why_bytes);
    if (s != NAV_OK) return s;
    s = nd_tokens_parse(text, size, out, words, sizeof words);
    OPENSSL_cleanse(text, size);
    free(text);
    if (s != NAV_OK) {
        snprintf(why, why_bytes, "tokens %s: %s", path, words);
        return s;
    }
    out->changed = st.st_mtim;
    out->inode = st.st_ino;
    return NAV_OK;
}

bool nd_tokens_is_outdated(const nd_tokens *t, const char *path)
{
    struct stat st;
    return !stat(path, &st) && (st.st_ino != t->inode || st.st_mtim.tv_sec != t->changed.tv_sec ||
                                st.st_mtim.tv_nsec != t->changed.tv_nsec);
}

void nd_tokens_deinit(nd_tokens *t)
{
    if (t->list) OPENSSL_cleanse(t->list, t->count * sizeof *t->list);
    free(t->list);
    *t = (nd_tokens){0};
}

// --- checking ---

const nd_credential *nd_tokens_find(const nd_tokens *t, const char *id)
{
    nd_credential key;
    if (!t->count || strlen(id) >= sizeof key.id) return NULL;
    strcpy(key.id, id);
    return bsearch(&key, t->list, t->count, sizeof *t->list, compare_ids);
}

// Its form is no secret.
bool nd_token_take_id(np_str token, char id[ND_TOKEN_ID_CHARS + 1])
{
    if (token.size != ND_TOKEN_BYTES - 1 || memcmp(token.data, prefix, PREFIX) ||
        token.data[PREFIX + ND_TOKEN_ID_CHARS] != '_')
        return false;
    memcpy(id, token.data + PREFIX, ND_TOKEN_ID_CHARS);
    id[ND_TOKEN_ID_CHARS] = 0;
    return is_hex(id, ND_TOKEN_ID_CHARS);
}

const nd_credential *nd_tokens_named(const nd_tokens *t, np_str token)
{
    char id[ND_TOKEN_ID_CHARS + 1];
    return nd_token_take_id(token, id) ? nd_tokens_find(t, id) : NULL;
}

bool nd_credential_matches(const nd_credential *c, np_str token)
{
    static const nd_credential nobody = {.salt = {1}}; // no secret has a hash of zeros
    char id[ND_TOKEN_ID_CHARS + 1];
    uint8_t hash[ND_TOKEN_HASH_BYTES];
    if (!nd_token_take_id(token, id)) return false;
    const nd_credential *held = c ? c : &nobody;
    bool good = hash_secret(held->salt, token.data + PREFIX + ND_TOKEN_ID_CHARS + 1, hash);
    good &= CRYPTO_memcmp(hash, held->hash, sizeof hash) == 0;
    OPENSSL_cleanse(hash, sizeof hash);
    return good && c;
}

const nd_credential *nd_tokens_verify(const nd_tokens *t, np_str token)
{
    const nd_credential *c = nd_tokens_named(t, token);
    return nd_credential_matches(c, token) ? c : NULL;
}

// --- making ---

static bool random_bytes(void *out, size_t size)
{
    return getrandom(out, size, 0) == (ssize_t)size; // up to 256 bytes come whole
}

nav_status nd_credential_create(char token[ND_TOKEN_BYTES], nd_credential *out)
{
    uint8_t id[ND_TOKEN_ID_CHARS / 2], secret[ND_TOKEN_SECRET_CHARS / 2];
    *out = (nd_credential){0};
    if (!random_bytes(id, sizeof id) || !random_bytes(secret, sizeof secret) ||
        !random_bytes(out->salt, sizeof out->salt))
        return NAV_ERR_IO;
    to_hex(id, sizeof id, out->id);
    snprintf(token, ND_TOKEN_BYTES, "%s%s_", prefix, out->id);
    char *digits = token + PREFIX + ND_TOKEN_ID_CHARS + 1;
    to_hex(secret, sizeof secret, digits);
    OPENSSL_cleanse(secret, sizeof secret);
    return hash_secret(out->salt, digits, out->hash) ? NAV_OK : NAV_ERR_IO;
}

nav_status nd_token_create(const char *name, np_role role, const char *space, char token[ND_TOKEN_BYTES],
                           char line[ND_TOKEN_LINE_BYTES])
{
    nd_credential c;
    char salt_text[2 * ND_TOKEN_SALT_BYTES + 1], hash_text[2 * ND_TOKEN_HASH_BYTES + 1];
    if (!nd_namespace_name_is_valid(name, strlen(name)) || !nd_namespace_name_is_valid(space, strlen(space)))
        return NAV_ERR_ARGUMENT;
    nav_status s = nd_credential_create(token, &c);
    if (s != NAV_OK) return s;
    to_hex(c.salt, sizeof c.salt, salt_text);
    to_hex(c.hash, sizeof c.hash, hash_text);
    snprintf(line, ND_TOKEN_LINE_BYTES, "%s %s %s %s %s %s", c.id, name, np_role_name(role), space, salt_text,
             hash_text);
    return NAV_OK;
}
