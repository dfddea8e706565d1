#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <string.h>

// The functions return 0, or a negative code.

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
