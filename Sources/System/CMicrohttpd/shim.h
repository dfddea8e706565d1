#include <microhttpd.h>
#include <stdbool.h>
#include <sys/eventfd.h>

// Swift cannot call variadic functions, such as MHD_start_daemon.

// Whether the library leaves headers where they were received, and reads some that it should refuse. Newer versions
// refuse them themselves.
static inline bool needs_layout_check(void) {
    unsigned int major = 0;
    for (const char *version = MHD_get_version(); *version >= '0' && *version <= '9'; version++)
        major = major * 10 + (unsigned int)(*version - '0');
    return major == 0;
}

typedef struct {
    unsigned int connections; // the most
    size_t memory; // of a connection, for the request's head and parts of the response
    unsigned int idle_seconds;
    const char *key; // PEM, or NULL without TLS
    const char *certificate;
} DaemonSettings;

typedef struct {
    void *context;
    MHD_NotifyConnectionCallback connection_changed;
    void *(*request_began)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request_received;
    MHD_RequestCompletedCallback request_ended;
    MHD_LogCallback log;
} DaemonCallbacks;

static inline struct MHD_Daemon *daemon_start(DaemonSettings settings, DaemonCallbacks callbacks) {
    unsigned int flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC
        | MHD_USE_ERROR_LOG;
    if (settings.key) flags |= MHD_USE_TLS;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings.key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings.certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks.request_received, callbacks.context, // first, so that it sees all that follows
        MHD_OPTION_EXTERNAL_LOGGER, callbacks.log, callbacks.context, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_CONNECTION_LIMIT, settings.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings.memory,
        MHD_OPTION_CONNECTION_TIMEOUT, settings.idle_seconds,
        // Older versions have their own errors after the head; some are sent twice.
        MHD_OPTION_STRICT_FOR_CLIENT, needs_layout_check() ? 0 : 1,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.request_began, callbacks.context, MHD_OPTION_NOTIFY_COMPLETED,
        callbacks.request_ended, callbacks.context, MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection_changed,
        callbacks.context, MHD_OPTION_ARRAY, settings.key ? tls : none, MHD_OPTION_END);
}

// Becomes readable when the daemon has something to do.
static inline int daemon_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// The number of open connections.
static inline unsigned int daemon_connections(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}

static inline int connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// The bytes from the method up to and with the empty line.
static inline size_t connection_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
