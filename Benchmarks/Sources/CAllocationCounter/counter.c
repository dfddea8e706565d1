// Counts allocations by interposing the C library's functions, and reads the clock for benchmarks.
#define _GNU_SOURCE
#include "counter.h"
#include <errno.h>
#include <stddef.h>
#include <time.h>

// Per thread: a shared counter would slow down concurrent allocations, and those of other threads are not measured.
static _Thread_local int64_t count;

int64_t allocation_count(void) { return count; }

int64_t thread_cpu_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static volatile int64_t kept;

void keep_result(int64_t value) { kept = value; }

#if defined(__GLIBC__)
// The names of glibc's allocator for programs that replace `malloc`.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

bool allocations_are_counted(void) { return true; }

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += 1;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count += 1;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count += 1;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count += 1;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count += 1;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *block = memory;
    return 0;
}
#else
bool allocations_are_counted(void) { return false; }
#endif
