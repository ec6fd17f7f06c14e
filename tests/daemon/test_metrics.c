#include "daemon/base/metrics.h"
#include "tests/check.h"
#include "tests/daemon/prometheus.h"

#include <string.h>

static nd_measures measures;
static nav_buffer page;

static void start(void)
{
    memset(&measures, 0, sizeof measures);
}

static void stop(void)
{
    nav_buffer_deinit(&page);
    memset(&page, 0, sizeof page);
}

static const char *print_page(void)
{
    page.size = 0;
    ck_assert_int_eq(nd_metrics_print(&measures, &page), NAV_OK);
    ck_assert_int_eq(nav_buffer_append(&page, "", 1), NAV_OK);
    return (const char *)page.data;
}

START_TEST(the_page_is_what_prometheus_reads)
{
    char why[1200];
    ck_assert_msg(prometheus_check(print_page(), why, sizeof why), "%s", why);
    for (unsigned i = 0; i < ND_METRIC_COUNT; i++) measures.values[i] = i * 1000003;
    for (unsigned i = 0; i < ND_HISTOGRAM_COUNT; i++) {
        for (uint64_t us = 1; us < 100000000; us = us * 3 + i) nd_histogram_add(&measures.histograms[i], us);
    }
    ck_assert_msg(prometheus_check(print_page(), why, sizeof why), "%s", why);
}
END_TEST

START_TEST(times_are_in_seconds_and_sizes_in_bytes)
{
    measures.values[ND_METRIC_UPTIME] = 61007;
    measures.values[ND_METRIC_CPU] = 2000015;
    measures.values[ND_METRIC_RSS] = UINT64_C(1) << 33;
    nd_histogram_add(&measures.histograms[ND_HISTOGRAM_TILE], 1500);
    const char *text = print_page();
    ck_assert_ptr_nonnull(strstr(text, "\nnavd_uptime_seconds 61.007\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nprocess_cpu_seconds_total 2.000015\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nprocess_resident_memory_bytes 8589934592\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nnavd_tile_seconds_bucket{le=\"0.001\"} 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nnavd_tile_seconds_bucket{le=\"0.0025\"} 1\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nnavd_tile_seconds_sum 0.001500\n"));
    ck_assert_double_eq(prometheus_value(text, "navd_stage_seconds_count{stage=\"gather\"}"), 0);
}
END_TEST

START_TEST(a_time_is_in_the_bucket_whose_bound_it_does_not_exceed)
{
    nd_histogram h = {0};
    for (unsigned i = 0; i < ND_BUCKETS; i++) {
        nd_histogram_add(&h, nd_bucket_us[i]);
        nd_histogram_add(&h, nd_bucket_us[i] + 1);
    }
    ck_assert_uint_eq(h.bucket[0], 1);
    for (unsigned i = 1; i < ND_BUCKETS; i++) ck_assert_uint_eq(h.bucket[i], 2);
    ck_assert_uint_eq(h.bucket[ND_BUCKETS], 1);
    ck_assert_uint_eq(h.count, 2 * ND_BUCKETS);
}
END_TEST

START_TEST(a_quantile_lies_in_its_bucket)
{
    nd_histogram h = {0};
    ck_assert_uint_eq(nd_histogram_quantile_us(&h, 990), 0);
    for (int i = 0; i < 98; i++) nd_histogram_add(&h, 700);
    nd_histogram_add(&h, 40000);
    nd_histogram_add(&h, UINT64_C(1) << 40);
    uint64_t middle = nd_histogram_quantile_us(&h, 500), late = nd_histogram_quantile_us(&h, 990);
    ck_assert(middle > 500 && middle <= 1000);
    ck_assert(late > 25000 && late <= 50000);
    ck_assert_uint_eq(nd_histogram_quantile_us(&h, 1000), nd_bucket_us[ND_BUCKETS - 1]);
    ck_assert(nd_histogram_quantile_us(&h, 0) <= 1000);
}
END_TEST

START_TEST(flat_names_are_there_and_unique)
{
    for (unsigned i = 0; i < ND_FLAT_COUNT; i++) {
        ck_assert_ptr_nonnull(nd_flat_name(i));
        for (unsigned k = 0; k < i; k++) ck_assert_str_ne(nd_flat_name(i), nd_flat_name(k));
    }
    nd_histogram_add(&measures.histograms[ND_HISTOGRAM_STAGES + NAV_STAGE_ENCODE], 300);
    measures.values[ND_METRIC_EDITS] = 17;
    unsigned found = 0;
    for (unsigned i = 0; i < ND_FLAT_COUNT; i++) {
        uint64_t v = nd_flat_value(&measures, i);
        if (!strcmp(nd_flat_name(i), "edits")) found += v == 17;
        if (!strcmp(nd_flat_name(i), "stage_encode_us")) found += v == 300;
        if (!strcmp(nd_flat_name(i), "stage_encode_count")) found += v == 1;
    }
    ck_assert_uint_eq(found, 3);
}
END_TEST

START_TEST(the_reader_of_these_tests_finds_faults)
{
    static const char *const faulty[] = {
        "",
        "a 1\n",
        "# HELP a x\n# TYPE a gauge\na 1",
        "# HELP a x\na 1\n",
        "# HELP a x\n# TYPE a gauge\na one\n",
        "# HELP a x\n# TYPE a gauge\na 1\na 1\n",
        "# HELP a x\n# TYPE a gauge\nb 1\n",
        "# HELP a x\n# TYPE a counter\na 1\n",
        "# HELP a_total x\n# TYPE a_total counter\na_total -1\n",
        "# HELP a x\n# TYPE a gauge\na{b=c} 1\n",
        "# HELP a x\n# TYPE a gauge\na{b=\"c\"d=\"e\"} 1\n",
        "# HELP a x\n# TYPE a gauge\na 1\n# HELP b x\n# TYPE b gauge\nb 1\n# HELP a x\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
    };
    char why[1200];
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        ck_assert_msg(!prometheus_check(faulty[i], why, sizeof why), "accepted: %s", faulty[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("metrics");
    TCase *t = tcase_create("metrics");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, the_page_is_what_prometheus_reads);
    tcase_add_test(t, times_are_in_seconds_and_sizes_in_bytes);
    tcase_add_test(t, a_time_is_in_the_bucket_whose_bound_it_does_not_exceed);
    tcase_add_test(t, a_quantile_lies_in_its_bucket);
    tcase_add_test(t, flat_names_are_there_and_unique);
    tcase_add_test(t, the_reader_of_these_tests_finds_faults);
    return run_suite(s);
}
