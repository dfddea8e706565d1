#include <stdlib.h>

// Swift Testing starts all tests at once unless this variable limits them, and reads it when the process starts; that is
// too early for Swift code. With more than 16 tests at once, those with time limits wait too long for a thread. A value
// that is already set is kept.
__attribute__((constructor)) static void limitParallelTests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0);
}
