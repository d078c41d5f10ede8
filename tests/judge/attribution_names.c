#include "tests/judge/attribution.h"

const char *trip_name(enum trip trip)
{
	return trip_ways.name[trip];
}

const char *trip_class_name(enum trip_class class)
{
	static const char *const names[TRIP_CLASSES] = {
		[TRIP_INSTRUCTIONS] = "instructions",
		[TRIP_INSTRUCTIONS_FIXED] = "instructions on the fixed counter",
		[TRIP_BRANCHES] = "branches",
		[TRIP_SYSTEM_BRANCHES] = "far branches",
		[TRIP_LOADING] = "instructions that load",
		[TRIP_LOADS] = "loads",
		[TRIP_STORING] = "instructions that store",
		[TRIP_STORES] = "stores",
	};

	return names[class];
}

const char *trip_state_name(enum trip_state state)
{
	static const char names[][24] = {
		[TRIP_UNKNOWN] = "unknown",        [TRIP_COUNTED] = "counted",
		[TRIP_NO_LINE] = "no line",        [TRIP_NO_SUM] = "levels do not add up",
		[TRIP_OUTSIDE] = "no attribution", [TRIP_DIFFERS] = "vectors disagree",
	};

	return state == TRIP_IN_USER ? trip_ways.user_alone : names[state];
}
