// Tokens that the daemon makes for the view: how long they are worth something, and what they are never worth.
#include "daemon/access/passes.h"
#include "daemon/base/thread.h"
#include "tests/check.h"

#include <string.h>

enum { VALID_MS = ND_PASS_VALID_S * 1000 };

static nd_passes passes;
static const nd_principal mia = {.name = "mia", .role = NP_ROLE_READER}, bo = {.name = "bo", .role = NP_ROLE_EDITOR};

static void begin(void)
{
    nd_thread_set_loop(true);
    passes = (nd_passes){0};
}

static void end(void)
{
    nd_passes_deinit(&passes);
}

static void make(const nd_principal *who, const char *origin, uint64_t now_ms, char token[ND_TOKEN_BYTES])
{
    ck_assert_int_eq(nd_pass_create(&passes, who, "red", origin, now_ms, token), NAV_OK);
}

START_TEST(a_pass_is_whoever_asked_for_it)
{
    char token[ND_TOKEN_BYTES];
    make(&mia, "", 5, token);
    const nd_credential *c = nd_passes_verify(&passes, np_str_of(token), 6);
    ck_assert_ptr_nonnull(c);
    ck_assert_str_eq(c->principal.name, "mia");
    ck_assert_int_eq(c->principal.role, NP_ROLE_READER);
    ck_assert_str_eq(c->space, "red");
    token[ND_TOKEN_BYTES - 2] ^= 1;
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(token), 6));
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of("navd_no"), 6));
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(""), 6));
}
END_TEST

START_TEST(a_pass_that_nobody_uses_ends)
{
    char token[ND_TOKEN_BYTES];
    make(&mia, "", 100, token);
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(token), 100 + VALID_MS - 1));
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(token), 100 + VALID_MS));
    ck_assert_uint_eq(passes.count, 0);
}
END_TEST

START_TEST(a_session_keeps_its_pass_and_so_does_the_time_after_it)
{
    char token[ND_TOKEN_BYTES], id[ND_CREDENTIAL_BYTES];
    make(&mia, "", 0, token);
    strcpy(id, nd_passes_verify(&passes, np_str_of(token), 1)->id);
    nd_passes_enter(&passes, id);
    const uint64_t evening = UINT64_C(36000000);
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(token), evening));
    nd_passes_enter(&passes, id); // another page
    nd_passes_leave(&passes, id, evening);
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(token), evening + 2 * VALID_MS));
    nd_passes_leave(&passes, id, evening + 2 * VALID_MS);
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(token), evening + 3 * VALID_MS - 1));
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(token), evening + 3 * VALID_MS));
    nd_passes_leave(&passes, id, evening); // of one that is gone: nothing
}
END_TEST

START_TEST(of_one_name_the_oldest_unused_pass_gives_way_and_never_that_of_another)
{
    char first[ND_TOKEN_BYTES], second[ND_TOKEN_BYTES], other[ND_TOKEN_BYTES], token[ND_TOKEN_BYTES];
    make(&bo, "", 0, other);
    make(&mia, "", 1, first);
    make(&mia, "", 2, second);
    nd_passes_enter(&passes, nd_passes_verify(&passes, np_str_of(first), 3)->id);
    for (int i = 2; i < ND_MAX_PASSES_OF_ONE; i++) make(&mia, "", 3, token);
    make(&mia, "", 4, token); // one too many
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(first), 5));
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(second), 5));
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(other), 5));
    for (size_t i = 0; i < passes.count; i++) passes.list[i].sessions = 1;
    ck_assert_int_eq(nd_pass_create(&passes, &mia, "red", "", 6, token), NAV_ERR_LIMIT);
    make(&bo, "", 6, token);
}
END_TEST

START_TEST(a_pass_ends_with_the_token_of_who_asked)
{
    char token[ND_TOKEN_BYTES], line[ND_TOKEN_LINE_BYTES], of_bo[ND_TOKEN_BYTES], of_socket[ND_TOKEN_BYTES], why[200];
    nd_tokens tokens;
    ck_assert_int_eq(nd_token_create("bo", NP_ROLE_EDITOR, "red", token, line), NAV_OK);
    ck_assert_int_eq(nd_tokens_parse(line, strlen(line), &tokens, why, sizeof why), NAV_OK);
    make(&bo, tokens.list[0].id, 0, of_bo);
    make(&mia, "", 0, of_socket);
    nd_passes_drop_revoked(&passes, &tokens);
    ck_assert_uint_eq(passes.count, 2);
    tokens.list[0].principal.role = NP_ROLE_READER; // less than the pass
    nd_passes_drop_revoked(&passes, &tokens);
    ck_assert_ptr_null(nd_passes_verify(&passes, np_str_of(of_bo), 1));
    ck_assert_ptr_nonnull(nd_passes_verify(&passes, np_str_of(of_socket), 1));
    nd_tokens_deinit(&tokens);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("passes");
    TCase *t = tcase_create("passes");
    tcase_add_checked_fixture(t, begin, end);
    tcase_add_test(t, a_pass_is_whoever_asked_for_it);
    tcase_add_test(t, a_pass_that_nobody_uses_ends);
    tcase_add_test(t, a_session_keeps_its_pass_and_so_does_the_time_after_it);
    tcase_add_test(t, of_one_name_the_oldest_unused_pass_gives_way_and_never_that_of_another);
    tcase_add_test(t, a_pass_ends_with_the_token_of_who_asked);
    suite_add_tcase(s, t);
    return run_suite(s);
}
