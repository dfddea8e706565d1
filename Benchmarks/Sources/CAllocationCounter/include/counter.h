#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The number of blocks that the calling thread has allocated so far, by any caller of `malloc`, `calloc`, `realloc`,
/// `posix_memalign`, `aligned_alloc` or `memalign`.
int64_t allocation_count(void);

/// Whether allocations are counted, which requires a C library that allows a program to define `malloc`.
bool allocations_are_counted(void);

/// The CPU time of the calling thread, in nanoseconds. Unlike wall time, it hardly depends on other programs.
int64_t thread_cpu_nanoseconds(void);

/// Consumes an unused result, so that the compiler does not remove the computation.
void keep_result(int64_t value);
