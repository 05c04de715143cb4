// The reference pages of `foyer help`, inside the binary. Embedded by the C compiler: as a literal of Swift, a hundred
// kilobytes cost seconds of every build.
#ifndef FOYER_CHELPPAGES_H
#define FOYER_CHELPPAGES_H

#include <stddef.h>

// The bytes of the page with that file name, which are UTF-8 and have no zero at the end; NULL where there is none.
const unsigned char *foyer_help_page(const char *name, size_t *length);

#endif
