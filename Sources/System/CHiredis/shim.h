#include <hiredis/hiredis.h>

// The type of array lengths in this version of hiredis.
#if HIREDIS_MAJOR >= 1
typedef size_t redis_count;
#else
typedef int redis_count;
#endif

// Arrays are allocated before their elements arrive, so the claimed length has to be limited.
static inline void *redis_create_array(const redisReadTask *task, redis_count count) {
    const redisReplyObjectFunctions *standard = task->privdata;
    return count <= 1 << 20 ? standard->createArray(task, count) : NULL;
}
