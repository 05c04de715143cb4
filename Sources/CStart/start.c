// Before main, Swift's runtime searches for its backtrace program: it checks eight paths at each start, and aborts
// without our message if /proc is not mounted. It does not search if its path is set. Backtraces are also disabled
// because they print memory that may contain tokens.

#include "start.h"

#include <stddef.h>
#include <string.h>

extern char **environ;

static char setting[] = "SWIFT_BACKTRACE=enable=no,swift-backtrace=/nonexistent";
static char **place = NULL;
static char *before = NULL;

// Runs before the runtime's own constructor, which has no priority. The setting replaces an environment variable, its
// own if set, which main restores. The environment must stay at its original address, where the runtime finds the
// arguments.
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
