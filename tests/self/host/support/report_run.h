/*
 * Runs for the tests of the report, and the programs that read back what came out.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_REPORT_RUN_H
#define TESTS_SELF_HOST_SUPPORT_REPORT_RUN_H

#include "tests/self/host/support/console.h"
#include "tests/report/report.h"

extern const struct report_header fake_header;
extern const struct pmu fake_report_pmu;
extern const struct pmu_snapshot fake_snapshot;

/** What its processor tells: leaves of CPUID. */
identity_source fake_leaves;

/** Begin a report, with a note, a virtual PMU and a snapshot of its registers. */
void begin(bool verbose);

/** Report a matrix cell at two N; observed differs from expected by delta. */
void cell(const char *event, const char *counter, const char *kernel, enum verdict verdict, int64_t delta);

/** Report a check of the suite control. */
void plain(const char *name, enum verdict verdict, const char *text);

/** A run with many verdicts in it. */
void mixed_run(bool verbose);

/** A text_sink that keeps what it gets, up to `most` bytes. */
struct taken {
	char *text;
	size_t size, most;
};
bool take(void *taken, const char *text, size_t size);

/** The document as it stands, to be freed. */
char *json_of(size_t *size);

/** Exit status of a shell command in which each %s is a file that holds `text`. */
int judge_file(const char *command, const char *text);

#define VALIDATE "python3 scripts/validate-report %s"
/* TAP::Parser of Debian 12 knows versions up to 13; what we use of 14 it reads as comments. */
#define OLD_TAP "sed -i s/^TAP.version.14$/TAP\\ version\\ 13/ %s; "
#define SUMMARY "perl tests/self/host/tap-summary.pl %s"
#define PROVE   OLD_TAP "prove --merge --exec cat %s >/dev/null"

#endif
