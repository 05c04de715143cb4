#include "build.h"

#if defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

// #embed is C23, supported by every clang that ships with Swift 6.
#pragma clang diagnostic ignored "-Wc23-extensions"

#ifndef FOYER_COMMIT
#define FOYER_COMMIT NULL
#endif
#ifndef FOYER_COMPILER
#define FOYER_COMPILER NULL
#endif

// The file exists only when building this repository; a dependent package has its own elsewhere.
#if __has_embed("../../Package.resolved")
static const unsigned char packages[] = {
#embed "../../Package.resolved"
};
static const size_t packages_length = sizeof packages;
#else
static const unsigned char packages[1];
static const size_t packages_length = 0;
#endif

const char *foyer_build_commit(void) { return FOYER_COMMIT; }
const char *foyer_build_compiler(void) { return FOYER_COMPILER; }

const unsigned char *foyer_build_packages(size_t *length) {
    *length = packages_length;
    return packages;
}

const char *foyer_libc_version(void) {
#if defined(__GLIBC__)
    return gnu_get_libc_version();
#else
    return NULL;
#endif
}
