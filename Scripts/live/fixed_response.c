// Answers each request with a fixed text, as fast as libmicrohttpd can. Listens on the port that is its only argument, until
// its input ends.
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct MHD_Response *response;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *body, size_t *size, void **request) {
    static int begun;
    if (*request == NULL) {
        *request = &begun;
        return MHD_YES;
    }
    if (*size > 0) {
        *size = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(int count, char **arguments) {
    char text[] = "{\"flagKey\":\"flag_42\",\"enabled\":true}";
    if (count != 2) return 2;
    response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)atoi(arguments[1]), NULL, NULL,
                                                 answer, NULL, MHD_OPTION_CONNECTION_LIMIT, 1000, MHD_OPTION_END);
    if (daemon == NULL) return 1;
    while (getchar() != EOF) {}
    MHD_stop_daemon(daemon);
    return 0;
}
