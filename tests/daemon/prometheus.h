// Reads Prometheus' text format as strictly as its specification allows, so that a test can hold a page against it.
#ifndef TESTS_DAEMON_PROMETHEUS_H
#define TESTS_DAEMON_PROMETHEUS_H

#include <stdbool.h>
#include <stddef.h>

// Every line is a HELP, a TYPE or a sample; a family's lines stand together, HELP and TYPE before its samples, each
// once; names, labels and numbers are well formed; no sample comes twice; a histogram's buckets rise, end with +Inf and
// agree with its count. False: why says which line and what.
bool prometheus_check(const char *text, char *why, size_t why_bytes);

// The value of the sample of exactly that name and labels: `navd_jobs_total{result="built"}`. -1: there is none.
double prometheus_value(const char *text, const char *sample);

#endif
