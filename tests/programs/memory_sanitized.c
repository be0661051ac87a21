// The same, for another compiler option: the two binaries lie side by side.
#include "memory_checked.c"
