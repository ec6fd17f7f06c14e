// The end of every test program: runs a suite as check's environment variables say and tells main() what to return.
#ifndef NAV_TESTS_RUN_SUITE_H
#define NAV_TESTS_RUN_SUITE_H

#include <check.h>

// Takes the suite over. The program's exit status: 0 where every test passed.
static inline int run_suite(Suite *s)
{
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}

#endif
