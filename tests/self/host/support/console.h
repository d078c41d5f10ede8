/* A console for host tests: keeps both streams for the test to look at. */
#ifndef TESTS_SELF_HOST_SUPPORT_CONSOLE_H
#define TESTS_SELF_HOST_SUPPORT_CONSOLE_H

/** Everything written to a stream since the last fake_console_reset(). */
const char *fake_console_text(void);
const char *fake_console_tap(void);
void fake_console_reset(void);

#endif
