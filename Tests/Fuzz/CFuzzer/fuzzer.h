#ifndef FOYER_FUZZER_H
#define FOYER_FUZZER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// libFuzzer's own loop, for a program that has a main of its own. Ends with the process's exit status.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

// A file in memory; negative where there is none. The C library has it for those alone who ask for all its extensions.
static inline int foyer_fuzz_file(void) {
    return (int)syscall(SYS_memfd_create, "fuzz", 0u);
}

#endif
