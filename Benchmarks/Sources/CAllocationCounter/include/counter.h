#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The number of blocks that the calling thread has allocated so far: every call of `malloc`, `calloc`, `realloc`,
/// `posix_memalign`, `aligned_alloc` and `memalign`, whoever made it.
int64_t allocation_count(void);

/// Whether allocations are counted at all. They are where the C library lets a program replace `malloc` by defining it.
bool allocations_are_counted(void);

/// The time that the calling thread has spent on a processor, in nanoseconds. Other programs do not slow it down the
/// way they slow down the clock on the wall.
int64_t thread_cpu_nanoseconds(void);

/// Takes a result that nobody needs, so that the compiler cannot leave out the work it came from.
void keep_result(int64_t value);
