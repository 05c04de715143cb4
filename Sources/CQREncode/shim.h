// libqrencode converts text to a matrix of modules.
#include <qrencode.h>
