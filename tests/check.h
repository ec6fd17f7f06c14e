// check, as all tests here use it: include this in place of <check.h>.
//
// check writes the place of every assertion that holds into a file, for the case that the next line crashes. In loops
// over spans and corners that is nine tenths of the time, so each place is told once.
#ifndef NAV_TESTS_CHECK_H
#define NAV_TESTS_CHECK_H

#include <check.h>
#include <stdbool.h>

#ifndef __cplusplus
#define _mark_point(file, line)                                                                                        \
    ({                                                                                                                 \
        static _Thread_local bool told;                                                                                \
        if (!told) (_mark_point)(file, line);                                                                          \
        told = true;                                                                                                   \
    })
#endif

// Runs a suite as check's environment variables say; takes it over. The program's exit status: 0 where every test
// passed.
static inline int run_suite(Suite *s)
{
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}

#endif
