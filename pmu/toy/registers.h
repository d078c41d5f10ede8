/*
 * The toy PMU's registers (SPACE_SYSTEM), and the manual of it: docs/toy.md has it in words.
 *
 * Four counters of 20 bits. The last one ends below what its bits can hold: after TOY_HIGHEST comes 0. A
 * recorder notes taken branches in a queue; a message that finds it full takes the place of the oldest one,
 * and the queue says so. Or it writes them to memory: TOY_MESSAGE bytes each, where the branch was and where
 * it went, from NEXT on. At LIMIT it writes no more, or begins at BASE again. Reserved bits and numbers that
 * are not listed fault.
 */
#ifndef PMU_TOY_REGISTERS_H
#define PMU_TOY_REGISTERS_H

#define TOY_COUNTERS 4
#define TOY_WIDTH    20
#define TOY_ONES     0xfffffu
#define TOY_HIGHEST  999999u /* of the last counter */
#define TOY_QUEUE    64      /* messages */
#define TOY_MESSAGE  16      /* bytes of one in memory: two words, the lower byte first */

#define TOY_REG_ID       0  /* read only: TOY_ID */
#define TOY_REG_START    1  /* writes: start the counters of the mask; reads: those that run */
#define TOY_REG_STOP     2  /* writes: stop the counters of the mask; reads: as TOY_REG_START */
#define TOY_REG_OVERFLOW 3  /* counters that have overflowed; writing 1 to a bit clears it */
#define TOY_REG_ENABLE   4  /* counters whose overflow asks for an interrupt */
#define TOY_REG_TRACE    5  /* TOY_TRACE_ bits */
#define TOY_REG_QUEUED   6  /* reads: messages that are queued, and TOY_QUEUE_FULL; writes (0): empty it */
#define TOY_REG_FROM     7  /* reads: the oldest message: address of the branch */
#define TOY_REG_TO       8  /* reads: where it went; the message is taken out */
#define TOY_REG_BASE     9  /* memory for messages: from here ... */
#define TOY_REG_LIMIT    10 /* ... to here */
#define TOY_REG_NEXT     11 /* where the next one goes */
#define TOY_REG_LEVEL    12 /* when NEXT gets here, it asks for an interrupt; 0: never */
#define TOY_REG_CONFIG   16 /* one for each counter: TOY_CONFIG_ bits */
#define TOY_REG_COUNTER  32 /* one for each counter: its value */

#define TOY_ID 0x544f5901 /* "TOY", version 1 */

#define TOY_CONFIG_EVENT      0xff
#define TOY_CONFIG_SUPERVISOR 0x100 /* counts there */
#define TOY_CONFIG_USER       0x200
#define TOY_CONFIG_LEVELS     8 /* from this bit on as enum pmu_levels */

#define TOY_TRACE_SUPERVISOR 1 /* notes branches there */
#define TOY_TRACE_USER       2
#define TOY_TRACE_MEMORY     4     /* to memory, not to the queue */
#define TOY_TRACE_CIRCULAR   8     /* begins again at BASE */
#define TOY_QUEUE_FULL       0x100 /* a message was lost */

#endif
