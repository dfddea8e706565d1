#include <microhttpd.h>
#include <string.h>
#include <strings.h>

// Swift cannot call variadic functions, such as MHD_start_daemon.
static inline struct MHD_Daemon *start_daemon(
    const struct sockaddr *address, MHD_AccessHandlerCallback receive, MHD_RequestCompletedCallback complete,
    void *context, unsigned int connections, unsigned int idle_seconds) {
    unsigned int flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
    if (address->sa_family == AF_INET6) flags |= MHD_USE_IPv6;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, receive, context, MHD_OPTION_NOTIFY_COMPLETED, complete, context,
        MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static inline uint16_t daemon_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

static inline unsigned int daemon_connections(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}

// The headers that give the size of a body, and names that other servers may take for one of them.
struct body_headers {
    unsigned int lengths, encodings, malformed;
};

static inline enum MHD_Result count_body_header(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    struct body_headers *headers = context;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) headers->lengths++;
    if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) headers->encodings++;
    if (strpbrk(name, " \t")) headers->malformed++;
    return MHD_YES;
}

static inline struct body_headers request_body_headers(struct MHD_Connection *connection) {
    struct body_headers headers = {0, 0, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_body_header, &headers);
    return headers;
}
