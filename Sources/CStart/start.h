#ifndef FOYER_START_H
#define FOYER_START_H

// Gives back the environment that the process was started with, so that programs started from here inherit it. Call once,
// first in main, before anything changes the environment.
void foyer_restore_environment(void);

#endif
