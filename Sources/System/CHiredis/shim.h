#include <errno.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>

// Sends without a signal if the other side has gone: SIGPIPE would end the process.
static inline ssize_t redis_send(redisContext *context, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(context->fd, bytes, count, MSG_NOSIGNAL);
#else
    return send(context->fd, bytes, count, 0);
#endif
}

// The number of elements in an array, as this hiredis has it.
#if HIREDIS_MAJOR >= 1
typedef size_t redis_count;
#else
typedef int redis_count;
#endif

// Arrays are made before their elements come: one that claims to be huge would take memory and time for nothing.
static inline void *redis_create_array(const redisReadTask *task, redis_count count) {
    const redisReplyObjectFunctions *standard = task->privdata;
    return count <= 1 << 20 ? standard->createArray(task, count) : NULL;
}

// Where there is no such flag, the socket itself can be told.
static inline void redis_silence(redisContext *context) {
#ifdef SO_NOSIGPIPE
    int on = 1;
    setsockopt(context->fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
    (void)context;
#endif
}
