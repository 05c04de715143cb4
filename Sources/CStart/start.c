// Swift's run-time looks for its backtrace program before main: eight paths on each start, and an abort without a word of
// ours where /proc is not mounted. It does not look when it is told where that is. No backtraces are wanted either: they
// print memory, and there are tokens in it.

#include "start.h"

#include <stddef.h>
#include <string.h>

extern char **environ;

static char setting[] = "SWIFT_BACKTRACE=enable=no,swift-backtrace=/nonexistent";
static char **place = NULL;
static char *before = NULL;

// Before the run-time's own constructor, which has no priority. The setting takes the place of one variable, its own where
// it is there, and gives it back in main: the environment must stay where the kernel has put it, since the run-time finds
// the arguments from there.
__attribute__((constructor(101))) static void foyer_set_backtrace(void) {
    if (!environ || !environ[0]) return;
    size_t length = (size_t)(strchr(setting, '=') - setting) + 1;
    place = environ;
    for (char **variable = environ; *variable; variable++) {
        if (strncmp(*variable, setting, length) == 0) place = variable;
    }
    before = *place;
    *place = setting;
}

static char **arguments = NULL;

#ifdef __GLIBC__
__attribute__((constructor(101))) static void foyer_keep_arguments(int count, char **words) {
    if (count > 0) arguments = words;
}
#endif

char **foyer_arguments(void) { return arguments; }

void foyer_restore_environment(void) {
    if (!place) return;
    *place = before;
    place = NULL;
}
