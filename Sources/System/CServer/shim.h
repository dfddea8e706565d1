#include <gnutls/gnutls.h>
#include <nettle/blowfish.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <zlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// Functions of Linux and its C libraries that Swift's modules lack.

typedef struct {
    uint64_t number;
    bool is_readable;
    bool is_writable;
    bool is_half_closed; // The other end sends nothing more.
    bool is_broken;
} ReadySocket;

static inline int epoll_watch(
    int epoll, bool is_new, int descriptor, uint64_t number, bool reads, bool writes, bool half_closing) {
    struct epoll_event event = {0};
    event.data.u64 = number;
    event.events = (reads ? EPOLLIN : 0u) | (writes ? EPOLLOUT : 0u) | (half_closing ? EPOLLRDHUP : 0u);
    return epoll_ctl(epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

// Waits for at most 64. Returns their number, or -1.
static inline int epoll_next(int epoll, ReadySocket *ready, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, milliseconds);
    for (int index = 0; index < count; index++) {
        uint32_t event = events[index].events;
        ready[index].number = events[index].data.u64;
        ready[index].is_readable = event & EPOLLIN;
        ready[index].is_writable = event & EPOLLOUT;
        ready[index].is_half_closed = event & EPOLLRDHUP;
        ready[index].is_broken = event & (EPOLLERR | EPOLLHUP);
    }
    return count;
}

static inline void limit_memory_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#endif
}

static inline void trim_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// Functions of TLS return 0, or a negative code.

static inline int tls_use_certificate(
    gnutls_certificate_credentials_t credentials, const char *chain, const char *key) {
    const gnutls_datum_t certificates = {(unsigned char *)chain, (unsigned int)strlen(chain)};
    const gnutls_datum_t secret = {(unsigned char *)key, (unsigned int)strlen(key)};
    return gnutls_certificate_set_x509_key_mem(credentials, &certificates, &secret, GNUTLS_X509_FMT_PEM);
}

static inline int tls_start(
    gnutls_session_t *session, gnutls_certificate_credentials_t credentials, gnutls_priority_t priorities,
    int descriptor) {
    int code = gnutls_init(session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
    if (code < 0) return code;
    gnutls_transport_set_int2(*session, descriptor, descriptor);
    code = gnutls_priority_set(*session, priorities);
    return code < 0 ? code : gnutls_credentials_set(*session, GNUTLS_CRD_CERTIFICATE, credentials);
}

static inline bool tls_is_temporary(long code) { return code == GNUTLS_E_AGAIN || code == GNUTLS_E_INTERRUPTED; }
