// Swift cannot call variadic functions, such as curl_easy_setopt.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// The functions of libcurl in use. They are looked up in a library that is loaded on demand, so programs do not wait
// for it at launch; no code may refer to a libcurl function in any other way.
typedef struct {
    __typeof__(curl_easy_cleanup) *easy_cleanup;
    __typeof__(curl_easy_getinfo) *easy_getinfo;
    __typeof__(curl_easy_init) *easy_init;
    __typeof__(curl_easy_setopt) *easy_setopt;
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_multi_add_handle) *multi_add_handle;
    __typeof__(curl_multi_cleanup) *multi_cleanup;
    __typeof__(curl_multi_info_read) *multi_info_read;
    __typeof__(curl_multi_init) *multi_init;
    __typeof__(curl_multi_perform) *multi_perform;
    __typeof__(curl_multi_poll) *multi_poll;
    __typeof__(curl_multi_remove_handle) *multi_remove_handle;
    __typeof__(curl_multi_setopt) *multi_setopt;
    __typeof__(curl_multi_wakeup) *multi_wakeup;
    __typeof__(curl_slist_append) *slist_append;
    __typeof__(curl_slist_free_all) *slist_free_all;
} CurlFunctions;

// Returns false if the library is too old to have all of them.
static inline bool curl_find(void *library, CurlFunctions *curl) {
#define FOUND(name) (curl->name = (__typeof__(curl->name))dlsym(library, "curl_" #name))
    return FOUND(easy_cleanup) && FOUND(easy_getinfo) && FOUND(easy_init) && FOUND(easy_setopt) && FOUND(global_init)
        && FOUND(multi_add_handle) && FOUND(multi_cleanup) && FOUND(multi_info_read) && FOUND(multi_init)
        && FOUND(multi_perform) && FOUND(multi_poll) && FOUND(multi_remove_handle) && FOUND(multi_setopt)
        && FOUND(multi_wakeup) && FOUND(slist_append) && FOUND(slist_free_all);
#undef FOUND
}

// Keeps OpenSSL from cleaning up at exit while other threads still use it.
static inline void curl_spare_openssl(void *library) {
    const uint64_t without_cleanup = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    int (*init)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    if (init) init(without_cleanup, NULL);
}

static inline CURLcode curl_set_number(const CurlFunctions *curl, CURL *easy, CURLoption option, long value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_size(const CurlFunctions *curl, CURL *easy, CURLoption option, curl_off_t value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_text(const CurlFunctions *curl, CURL *easy, CURLoption option, const char *value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_pointer(const CurlFunctions *curl, CURL *easy, CURLoption option, const void *value) {
    return curl->easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_function(
    const CurlFunctions *curl, CURL *easy, CURLoption option, curl_write_callback value
) {
    return curl->easy_setopt(easy, option, value);
}

// The library may be older than the header and support only the older option.
static inline void curl_set_protocols(const CurlFunctions *curl, CURL *easy, int allows_http) {
#if LIBCURL_VERSION_NUM >= 0x075500
    if (curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, allows_http ? "https,http" : "https") == CURLE_OK) return;
#endif
    curl->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTPS | (allows_http ? CURLPROTO_HTTP : 0)));
}

static inline void curl_set_quick_exit(const CurlFunctions *curl, CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static inline long curl_status(const CurlFunctions *curl, CURL *easy) {
    long status = 0;
    curl->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// The status with which a proxy refused to connect to the server, or 0.
static inline long curl_proxy_status(const CurlFunctions *curl, CURL *easy) {
    long status = 0;
    curl->easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status < 300 ? 0 : status;
}

// Why the certificate was refused: a code of X509_verify_cert, or 0 if it was not refused or the reason is unknown.
static inline long curl_certificate_problem(const CurlFunctions *curl, CURL *easy) {
    long problem = 0;
    curl->easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &problem);
    return problem;
}

// The errno of the connection attempt, or 0.
static inline long curl_connect_errno(const CurlFunctions *curl, CURL *easy) {
    long number = 0;
    curl->easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    return number;
}

static inline CURLMcode curl_set_limit(const CurlFunctions *curl, CURLM *multi, CURLMoption option, long value) {
    return curl->multi_setopt(multi, option, value);
}

// The next transfer that ended, or NULL. Its outcome is stored in `result`.
static inline CURL *curl_next_ended(const CurlFunctions *curl, CURLM *multi, CURLcode *result) {
    int count = 0;
    CURLMsg *message;
    while ((message = curl->multi_info_read(multi, &count))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
