// What the build knows of itself.
#ifndef FOYER_CBUILD_H
#define FOYER_CBUILD_H

#include <stddef.h>

// The commit that was built; NULL where the builder named none.
const char *foyer_build_commit(void);
// The compiler as its --version says it; NULL where the builder named none.
const char *foyer_build_compiler(void);
// Package.resolved: which packages were built, in which versions. JSON, not ended by a zero; empty where
// that is not known.
const unsigned char *foyer_build_packages(size_t *length);

// The version of glibc that is running; NULL with another C library.
const char *foyer_libc_version(void);

#endif
