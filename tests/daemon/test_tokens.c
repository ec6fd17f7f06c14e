// Files of credentials and quotas, and the table of sources: single parts, without a daemon.
#include "daemon/access/quota.h"
#include "daemon/access/sources.h"
#include "daemon/access/tokens.h"
#include "daemon/base/thread.h"
#include "tests/check.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char why[512];

static nav_status parse(const char *text, nd_tokens *out)
{
    return nd_tokens_parse(text, strlen(text), out, why, sizeof why);
}

START_TEST(a_token_that_was_made_is_known_by_its_line)
{
    char token[ND_TOKEN_BYTES], line[ND_TOKEN_LINE_BYTES], text[2 * ND_TOKEN_LINE_BYTES];
    nd_tokens t;
    ck_assert_int_eq(nd_token_create("ada", NP_ROLE_READER, "film", token, line), NAV_OK);
    ck_assert_uint_eq(strlen(token), ND_TOKEN_BYTES - 1);
    ck_assert_msg(!strstr(line, token + 5 + ND_TOKEN_ID_CHARS + 1), "the line has the secret");
    snprintf(text, sizeof text, "# people\n\n  %s  # until May\r\ncert:farm-3 farm editor game\n", line);
    ck_assert_msg(parse(text, &t) == NAV_OK, "%s", why);
    ck_assert_uint_eq(t.count, 2);
    const nd_credential *c = nd_tokens_verify(&t, np_str_of(token));
    ck_assert_ptr_nonnull(c);
    ck_assert_str_eq(c->principal.name, "ada");
    ck_assert_int_eq(c->principal.role, NP_ROLE_READER);
    ck_assert_str_eq(c->space, "film");
    const nd_credential *farm = nd_tokens_find(&t, "cert:farm-3");
    ck_assert_ptr_nonnull(farm);
    ck_assert_int_eq(farm->principal.role, NP_ROLE_EDITOR);
    ck_assert_ptr_null(nd_tokens_verify(&t, np_str_of("cert:farm-3"))); // it is not a secret
    nd_tokens_deinit(&t);
}
END_TEST

START_TEST(no_other_token_is_known)
{
    char token[ND_TOKEN_BYTES], other[ND_TOKEN_BYTES + 1], line[ND_TOKEN_LINE_BYTES];
    nd_tokens t, none = {0};
    ck_assert_int_eq(nd_token_create("ada", NP_ROLE_READER, "film", token, line), NAV_OK);
    ck_assert_int_eq(parse(line, &t), NAV_OK);
    for (size_t n = 0; n < ND_TOKEN_BYTES - 1; n++) {
        ck_assert_ptr_null(nd_tokens_verify(&t, (np_str){token, (uint32_t)n})); // every prefix
        strcpy(other, token);
        other[n] = other[n] == '0' ? '1' : '0'; // every character
        ck_assert_msg(!nd_tokens_verify(&t, np_str_of(other)), "%zu", n);
    }
    snprintf(other, sizeof other, "%s0", token);
    ck_assert_ptr_null(nd_tokens_verify(&t, np_str_of(other)));
    ck_assert_ptr_null(nd_tokens_verify(&none, np_str_of(token)));
    ck_assert_int_eq(parse("", &none), NAV_OK); // a file without lines knows nobody
    ck_assert_ptr_null(nd_tokens_verify(&none, np_str_of(token)));
    ck_assert_ptr_nonnull(nd_tokens_verify(&t, np_str_of(token)));
    nd_tokens_deinit(&t);
}
END_TEST

START_TEST(every_token_is_another)
{
    char a[ND_TOKEN_BYTES], b[ND_TOKEN_BYTES], one[ND_TOKEN_LINE_BYTES], two[ND_TOKEN_LINE_BYTES];
    ck_assert_int_eq(nd_token_create("ada", NP_ROLE_READER, "film", a, one), NAV_OK);
    ck_assert_int_eq(nd_token_create("ada", NP_ROLE_READER, "film", b, two), NAV_OK);
    ck_assert_str_ne(a, b);
    ck_assert_str_ne(a + 5 + ND_TOKEN_ID_CHARS, b + 5 + ND_TOKEN_ID_CHARS); // the secrets, too
    ck_assert_int_eq(nd_token_create("a b", NP_ROLE_READER, "film", a, one), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nd_token_create("ada", NP_ROLE_READER, "../film", a, one), NAV_ERR_ARGUMENT);
}
END_TEST

#define SALT "00112233445566778899aabbccddeeff"
#define HASH SALT SALT

static const struct {
    const char *text, *says;
} bad_tokens[] = {
    {"0123456789abcdef ada reader film " SALT, "line 1: expected ID NAME"},
    {"\n0123456789abcdef ada reader film " SALT " " HASH " x", "line 2: expected ID NAME"},
    {"0123456789abcdef ada king film " SALT " " HASH, "the role must be"},
    {"0123456789abcdef ada nobody film " SALT " " HASH, "the role must be"},
    {"0123456789abcdef a/a reader film " SALT " " HASH, "the name must be"},
    {"0123456789abcdef ada reader ../x " SALT " " HASH, "the namespace must be"},
    {"0123456789abcdeg ada reader film " SALT " " HASH, "the first word is neither"},
    {"0123456789abcde ada reader film " SALT " " HASH, "the first word is neither"},
    {"0123456789ABCDEF ada reader film " SALT " " HASH, "the first word is neither"},
    {"0123456789abcdef ada reader film 00 " HASH, "the salt is not"},
    {"0123456789abcdef ada reader film " SALT " " SALT, "the hash is not"},
    {"cert: farm editor game", "the first word is neither"},
    {"cert:farm farm editor game " SALT, "expected cert:CN"},
    {"cert:f\001rm farm editor game", "not plain ASCII"},
    {"cert:farm a editor x\ncert:farm b editor y", "cert:farm appears twice"},
    {"cert:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa a editor x", "longer than"},
};

START_TEST(a_faulty_tokens_file_is_refused_with_words)
{
    for (size_t i = 0; i < sizeof bad_tokens / sizeof *bad_tokens; i++) {
        nd_tokens t = {.count = 77};
        ck_assert_msg(parse(bad_tokens[i].text, &t) == NAV_ERR_ARGUMENT, "%s", bad_tokens[i].text);
        ck_assert_msg(strstr(why, bad_tokens[i].says), "%s: %s", bad_tokens[i].text, why);
        ck_assert_msg(!strstr(why, SALT), "%s", why); // no hash in an error
        ck_assert_uint_eq(t.count, 77);
    }
}
END_TEST

START_TEST(a_tokens_file_is_its_owners)
{
    char path[] = "/tmp/navd-tokens-XXXXXX";
    nd_tokens t;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "cert:a b editor c\n", 18), 18);
    static const struct {
        mode_t mode;
        nav_status status;
    } modes[] = {{0600, NAV_OK},           {0640, NAV_OK},           {0644, NAV_ERR_ARGUMENT},
                 {0604, NAV_ERR_ARGUMENT}, {0660, NAV_ERR_ARGUMENT}, {0602, NAV_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        ck_assert_int_eq(fchmod(fd, modes[i].mode), 0);
        ck_assert_msg(nd_tokens_load(path, &t, why, sizeof why) == modes[i].status, "%o", (unsigned)modes[i].mode);
        if (modes[i].status == NAV_OK)
            nd_tokens_deinit(&t);
        else
            ck_assert_msg(strstr(why, "chmod") && strstr(why, path), "%s", why);
    }
    ck_assert_int_eq(fchmod(fd, 0600), 0);
    ck_assert_int_eq(nd_tokens_load(path, &t, why, sizeof why), NAV_OK);
    ck_assert(!nd_tokens_is_outdated(&t, path));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert(!nd_tokens_is_outdated(&t, path)); // there is nothing newer
    ck_assert_int_eq(nd_tokens_load(path, &t, why, sizeof why), NAV_ERR_IO);
    ck_assert_int_eq(nd_tokens_load("/tmp", &t, why, sizeof why), NAV_ERR_ARGUMENT);
    nd_tokens_deinit(&t);
    close(fd);
}
END_TEST

// --- quotas ---

START_TEST(quotas_are_of_a_namespace_or_of_the_others)
{
    const char *text = "# teams\nfilm max_worlds=3 max_mesh_bytes=2G # small\n*   max_worlds=1\n\ngame\n";
    nd_quotas q;
    ck_assert_msg(nd_quotas_parse(text, strlen(text), &q, why, sizeof why) == NAV_OK, "%s", why);
    ck_assert_uint_eq(nd_quotas_of(&q, "film").max[ND_QUOTA_max_worlds], 3);
    ck_assert_uint_eq(nd_quotas_of(&q, "film").max[ND_QUOTA_max_mesh_bytes], UINT64_C(2) << 30);
    ck_assert_uint_eq(nd_quotas_of(&q, "film").max[ND_QUOTA_max_tiles], UINT64_MAX);
    ck_assert_uint_eq(nd_quotas_of(&q, "game").max[ND_QUOTA_max_worlds], UINT64_MAX);
    ck_assert_uint_eq(nd_quotas_of(&q, "else").max[ND_QUOTA_max_worlds], 1);
    nd_quotas_deinit(&q);
    ck_assert_uint_eq(nd_quotas_of(&q, "else").max[ND_QUOTA_max_worlds], UINT64_MAX);
}
END_TEST

static const struct {
    const char *text, *says;
} bad_quotas[] = {
    {"film max_worlds", "line 1: max_worlds: a quota is NAME=VALUE"},
    {"\nfilm max_world=3", "line 2: max_world=3: unknown quota"},
    {"film max_worlds=", "the value must be a number"},
    {"film max_worlds=-3", "the value must be a number"},
    {"film max_worlds=3X", "the value must be a number"},
    {"film max_worlds=3KK", "the value must be a number"},
    {"film max_worlds=99999999999999999999", "the value must be a number"},
    {"film max_worlds=9007199254740992G", "the value must be a number"},
    {"film max_worlds=3 max_worlds=4", "appears twice"},
    {"../film max_worlds=3", "a namespace is at most"},
    {"film\nfilm", "already has a line"},
    {"*\n*", "already has a line"},
};

START_TEST(a_faulty_quota_file_is_refused_with_words)
{
    for (size_t i = 0; i < sizeof bad_quotas / sizeof *bad_quotas; i++) {
        nd_quotas q;
        nav_status s = nd_quotas_parse(bad_quotas[i].text, strlen(bad_quotas[i].text), &q, why, sizeof why);
        ck_assert_msg(s == NAV_ERR_ARGUMENT, "%s", bad_quotas[i].text);
        ck_assert_msg(strstr(why, bad_quotas[i].says), "%s: %s", bad_quotas[i].text, why);
    }
}
END_TEST

// --- sources ---

START_TEST(each_failure_makes_the_next_answer_wait_twice_as_long)
{
    nd_sources s = {0};
    nd_source *a, *b;
    nd_thread_set_loop(true);
    ck_assert_int_eq(nd_sources_need(&s, "10.0.0.1", &a), NAV_OK);
    ck_assert_int_eq(nd_sources_need(&s, "10.0.0.2", &b), NAV_OK);
    static const uint64_t delays[] = {250, 500, 1000, 2000, 4000, 8000, 10000, 10000};
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++)
        ck_assert_uint_eq(nd_source_fail(&s, a, 250, 1000 + i), delays[i]);
    for (int i = 0; i < 1000; i++) ck_assert_uint_eq(nd_source_fail(&s, a, 250, 2000), 10000);
    ck_assert_uint_eq(nd_source_fail(&s, b, 250, 2000), 250); // another source waits by itself
    ck_assert_uint_eq(nd_source_fail(&s, a, 250, 2000 + ND_SOURCE_FORGET_MS + 1), 250);
    ck_assert_uint_eq(nd_source_fail(&s, b, 0, 2000), 0);
    nd_sources_deinit(&s);
}
END_TEST

START_TEST(the_table_of_sources_is_bounded)
{
    nd_sources s = {0};
    nd_source *first, *e, *again;
    char name[ND_SOURCE_BYTES];
    nd_thread_set_loop(true);
    ck_assert_int_eq(nd_sources_need(&s, "held", &first), NAV_OK);
    first->waiting = 1;
    for (int i = 0; i < 3 * ND_MAX_SOURCES; i++) {
        snprintf(name, sizeof name, "10.0.%d.%d", i / 256, i % 256);
        ck_assert_int_eq(nd_sources_need(&s, name, &e), NAV_OK);
        (void)nd_source_fail(&s, e, 250, (uint64_t)i);
    }
    ck_assert_uint_eq(s.table.count, ND_MAX_SOURCES);
    ck_assert_int_eq(nd_sources_need(&s, name, &again), NAV_OK);
    ck_assert_ptr_eq(again, e); // the newest are there
    ck_assert_int_eq(nd_sources_need(&s, "held", &again), NAV_OK);
    ck_assert_ptr_eq(again, first); // and those that are in use
    for (nd_source *one = s.oldest; one; one = one->newer) one->waiting = 1;
    ck_assert_int_eq(nd_sources_need(&s, "new", &again), NAV_ERR_LIMIT);
    nd_sources_deinit(&s);
}
END_TEST

START_TEST(a_source_is_an_address_of_ipv6_its_first_half)
{
    char name[ND_SOURCE_BYTES];
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a010203)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_addr.s6_addr = {0x20, 1, 0x0d, 0xb8, 0, 1, 0, 2, 9, 9, 9, 9, 9, 9, 9, 9}};
    struct sockaddr_in6 mapped = {.sin6_family = AF_INET6,
                                  .sin6_addr.s6_addr = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3}};
    nd_source_name((struct sockaddr *)&four, name);
    ck_assert_str_eq(name, "10.1.2.3");
    nd_source_name((struct sockaddr *)&mapped, name);
    ck_assert_str_eq(name, "10.1.2.3");
    nd_source_name((struct sockaddr *)&six, name);
    ck_assert_str_eq(name, "2001:db8:1:2::/64");
    memset(&six.sin6_addr, 0xff, sizeof six.sin6_addr);
    nd_source_name((struct sockaddr *)&six, name);
    ck_assert_str_eq(name, "ffff:ffff:ffff:ffff::/64");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tokens");
    TCase *t = tcase_create("tokens");
    tcase_add_test(t, a_token_that_was_made_is_known_by_its_line);
    tcase_add_test(t, no_other_token_is_known);
    tcase_add_test(t, every_token_is_another);
    tcase_add_test(t, a_faulty_tokens_file_is_refused_with_words);
    tcase_add_test(t, a_tokens_file_is_its_owners);
    tcase_add_test(t, quotas_are_of_a_namespace_or_of_the_others);
    tcase_add_test(t, a_faulty_quota_file_is_refused_with_words);
    tcase_add_test(t, each_failure_makes_the_next_answer_wait_twice_as_long);
    tcase_add_test(t, the_table_of_sources_is_bounded);
    tcase_add_test(t, a_source_is_an_address_of_ipv6_its_first_half);
    suite_add_tcase(s, t);
    return run_suite(s);
}
