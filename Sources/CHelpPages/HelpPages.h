// The reference pages of `foyer help` in the binary. Embedding them in C is much faster to build than a Swift literal
// of 100 kB.
#ifndef FOYER_CHELPPAGES_H
#define FOYER_CHELPPAGES_H

#include <stddef.h>

// The UTF-8 bytes of the page with this file name, without a final zero byte; NULL if there is none.
const unsigned char *foyer_help_page(const char *name, size_t *length);

#endif
