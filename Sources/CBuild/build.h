// Facts about the build.
#ifndef FOYER_CBUILD_H
#define FOYER_CBUILD_H

#include <stddef.h>

// The commit; NULL if not set by the build.
const char *foyer_build_commit(void);
// The compiler's --version; NULL if not set by the build.
const char *foyer_build_compiler(void);
// The contents of Package.resolved: names and versions of the packages. JSON without a final zero byte; empty if
// unknown.
const unsigned char *foyer_build_packages(size_t *length);

// The version of the running glibc; NULL with another C library.
const char *foyer_libc_version(void);

#endif
