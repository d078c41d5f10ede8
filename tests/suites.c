#include "tests/suites/suites.h"

#include <stddef.h>

const struct suite *const suites[] = {
	&suite_events,
	NULL,
};
