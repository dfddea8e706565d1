#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The functions of OpenSSL 1.1.1 and 3 in use. They are declared here, so building needs no headers, and looked up in a
// library that the first connection loads, so programs without TLS need no OpenSSL. These functions and constants are
// part of its stable interface.
typedef struct openssl_context OpenSSLContext; // SSL_CTX
typedef struct openssl_connection OpenSSLConnection; // SSL
typedef struct openssl_buffer OpenSSLBuffer; // BIO

// Written once; may be used from any thread.
#define ANY_THREAD __attribute__((swift_attr("@Sendable")))
typedef struct ANY_THREAD {
    OpenSSLContext *pointer;
} OpenSSLContextReference;
typedef struct ANY_THREAD {
    OpenSSLConnection *pointer;
    OpenSSLBuffer *input;
    OpenSSLBuffer *output;
} OpenSSLConnectionReference;

typedef struct ANY_THREAD {
    int (*initialize)(uint64_t options, const void *settings);
    const void *(*client_method)(void);
    OpenSSLContext *(*context_new)(const void *method);
    void (*context_free)(OpenSSLContext *);
    long (*context_control)(OpenSSLContext *, int command, long number, void *pointer);
    void (*context_set_verify)(OpenSSLContext *, int mode, void *callback);
    int (*context_set_default_authorities)(OpenSSLContext *);
    int (*context_load_authorities)(OpenSSLContext *, const char *file, const char *directory);
    int (*context_use_certificates)(OpenSSLContext *, const char *file);
    int (*context_use_key)(OpenSSLContext *, const char *file, int type);
    int (*context_check_key)(const OpenSSLContext *);
    OpenSSLConnection *(*connection_new)(OpenSSLContext *);
    void (*connection_free)(OpenSSLConnection *);
    long (*connection_control)(OpenSSLConnection *, int command, long number, void *pointer);
    int (*connection_set_host)(OpenSSLConnection *, const char *name);
    void *(*connection_parameters)(OpenSSLConnection *);
    int (*parameters_set_address)(void *parameters, const char *address);
    void (*connection_set_buffers)(OpenSSLConnection *, OpenSSLBuffer *input, OpenSSLBuffer *output);
    int (*connection_connect)(OpenSSLConnection *);
    int (*connection_read)(OpenSSLConnection *, void *bytes, int count);
    int (*connection_write)(OpenSSLConnection *, const void *bytes, int count);
    int (*connection_error)(const OpenSSLConnection *, int result);
    long (*connection_verification)(const OpenSSLConnection *);
    const void *(*memory_method)(void);
    OpenSSLBuffer *(*buffer_new)(const void *method);
    int (*buffer_free)(OpenSSLBuffer *);
    int (*buffer_read)(OpenSSLBuffer *, void *bytes, int count);
    int (*buffer_write)(OpenSSLBuffer *, const void *bytes, int count);
    long (*buffer_control)(OpenSSLBuffer *, int command, long number, void *pointer);
    unsigned long (*error_next)(void);
    void (*error_clear)(void);
    const char *(*error_reason)(unsigned long);
    const char *(*verification_text)(long);
} OpenSSLFunctions;

enum {
    OPENSSL_NO_ATEXIT = 0x00080000,
    OPENSSL_VERIFY_PEER = 1,
    OPENSSL_FILE_PEM = 1,
    OPENSSL_SET_MODE = 33,
    OPENSSL_PARTIAL_AND_MOVING_WRITES = 3,
    OPENSSL_SET_SERVER_NAME = 55,
    OPENSSL_SET_LOWEST_VERSION = 123,
    OPENSSL_TLS_1_2 = 0x0303,
    OPENSSL_WANT_READ = 2,
    OPENSSL_WANT_WRITE = 3,
    OPENSSL_END = 6,
    OPENSSL_BUFFER_PENDING = 10,
    OPENSSL_VERIFICATION_OK = 0,
    OPENSSL_VERIFICATION_HOST_MISMATCH = 62,
    OPENSSL_VERIFICATION_ADDRESS_MISMATCH = 64,
};

// Returns false if the library is too old to have all of them. libcrypto is found through libssl, which links to it.
static inline bool openssl_find(void *library, OpenSSLFunctions *functions) {
#define FOUND(member, name) (functions->member = (__typeof__(functions->member))dlsym(library, name))
    return FOUND(initialize, "OPENSSL_init_ssl") && FOUND(client_method, "TLS_client_method")
        && FOUND(context_new, "SSL_CTX_new") && FOUND(context_free, "SSL_CTX_free")
        && FOUND(context_control, "SSL_CTX_ctrl") && FOUND(context_set_verify, "SSL_CTX_set_verify")
        && FOUND(context_set_default_authorities, "SSL_CTX_set_default_verify_paths")
        && FOUND(context_load_authorities, "SSL_CTX_load_verify_locations")
        && FOUND(context_use_certificates, "SSL_CTX_use_certificate_chain_file")
        && FOUND(context_use_key, "SSL_CTX_use_PrivateKey_file")
        && FOUND(context_check_key, "SSL_CTX_check_private_key") && FOUND(connection_new, "SSL_new")
        && FOUND(connection_free, "SSL_free") && FOUND(connection_control, "SSL_ctrl")
        && FOUND(connection_set_host, "SSL_set1_host") && FOUND(connection_parameters, "SSL_get0_param")
        && FOUND(parameters_set_address, "X509_VERIFY_PARAM_set1_ip_asc")
        && FOUND(connection_set_buffers, "SSL_set_bio") && FOUND(connection_connect, "SSL_connect")
        && FOUND(connection_read, "SSL_read") && FOUND(connection_write, "SSL_write")
        && FOUND(connection_error, "SSL_get_error") && FOUND(connection_verification, "SSL_get_verify_result")
        && FOUND(memory_method, "BIO_s_mem") && FOUND(buffer_new, "BIO_new") && FOUND(buffer_free, "BIO_free")
        && FOUND(buffer_read, "BIO_read") && FOUND(buffer_write, "BIO_write")
        && FOUND(buffer_control, "BIO_ctrl") && FOUND(error_next, "ERR_get_error")
        && FOUND(error_clear, "ERR_clear_error") && FOUND(error_reason, "ERR_reason_error_string")
        && FOUND(verification_text, "X509_verify_cert_error_string");
#undef FOUND
}
