#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The functions in use of DataStax's C/C++ driver 2, libcassandra. They are declared here, so building needs no headers,
// and looked up in a library that the first store loads, so programs without Cassandra need no driver. These functions
// and numbers are part of its stable interface, which ScyllaDB's builds share.
typedef struct cassandra_cluster CassandraCluster; // CassCluster
typedef struct cassandra_session CassandraSession; // CassSession
typedef struct cassandra_future CassandraFuture; // CassFuture
typedef struct cassandra_statement CassandraStatement; // CassStatement
typedef struct cassandra_prepared CassandraPrepared; // CassPrepared
typedef struct cassandra_batch CassandraBatch; // CassBatch
typedef struct cassandra_result CassandraResult; // CassResult
typedef struct cassandra_row CassandraRow; // CassRow
typedef struct cassandra_value CassandraValue; // CassValue
typedef struct cassandra_iterator CassandraIterator; // CassIterator
typedef struct cassandra_ssl CassandraSSL; // CassSsl

// May be used from any thread.
#define ANY_THREAD __attribute__((swift_attr("@Sendable")))
typedef struct ANY_THREAD {
    CassandraCluster *pointer;
} CassandraClusterReference;
typedef struct ANY_THREAD {
    CassandraSession *pointer;
} CassandraSessionReference;
typedef struct ANY_THREAD {
    const CassandraPrepared *pointer;
} CassandraPreparedReference;
typedef struct ANY_THREAD {
    const CassandraResult *pointer;
} CassandraResultReference;

// CassError: 0 without one. The driver's enumerations and Booleans have the size of an int.
typedef uint32_t CassandraCode;

typedef struct {
    uint64_t milliseconds;
    uint32_t severity;
    const char *file;
    int line;
    const char *function;
    char message[1024];
} CassandraLogMessage; // CassLogMessage

typedef void (*CassandraCallback)(CassandraFuture *, void *data);
typedef void (*CassandraLogCallback)(const CassandraLogMessage *, void *data);

typedef struct ANY_THREAD {
    CassandraCluster *(*cluster_new)(void);
    void (*cluster_free)(CassandraCluster *);
    CassandraCode (*cluster_set_contact_points_n)(CassandraCluster *, const char *names, size_t length);
    CassandraCode (*cluster_set_port)(CassandraCluster *, int port);
    CassandraCode (*cluster_set_use_hostname_resolution)(CassandraCluster *, uint32_t is_on);
    void (*cluster_set_ssl)(CassandraCluster *, CassandraSSL *);
    void (*cluster_set_credentials_n)(
        CassandraCluster *, const char *user, size_t user_length, const char *password, size_t password_length);
    void (*cluster_set_connect_timeout)(CassandraCluster *, unsigned milliseconds);
    void (*cluster_set_request_timeout)(CassandraCluster *, unsigned milliseconds);
    void (*cluster_set_resolve_timeout)(CassandraCluster *, unsigned milliseconds);
    CassandraCode (*cluster_set_load_balance_dc_aware_n)(
        CassandraCluster *, const char *name, size_t length, unsigned hosts_per_other, uint32_t allows_others);
    void (*cluster_set_token_aware_routing)(CassandraCluster *, uint32_t is_on);
    CassandraCode (*cluster_set_consistency)(CassandraCluster *, uint32_t consistency);
    CassandraCode (*cluster_set_coalesce_delay)(CassandraCluster *, int64_t microseconds);
    CassandraCode (*cluster_set_exponential_reconnect)(CassandraCluster *, uint64_t first, uint64_t longest);
    CassandraCode (*cluster_set_constant_speculative_execution_policy)(
        CassandraCluster *, int64_t milliseconds, int attempts);
    void (*cluster_set_connection_heartbeat_interval)(CassandraCluster *, unsigned seconds);
    void (*cluster_set_connection_idle_timeout)(CassandraCluster *, unsigned seconds);
    CassandraSession *(*session_new)(void);
    void (*session_free)(CassandraSession *);
    CassandraFuture *(*session_connect)(CassandraSession *, const CassandraCluster *);
    CassandraFuture *(*session_prepare_n)(CassandraSession *, const char *text, size_t length);
    CassandraFuture *(*session_execute)(CassandraSession *, const CassandraStatement *);
    CassandraFuture *(*session_execute_batch)(CassandraSession *, const CassandraBatch *);
    void (*future_free)(CassandraFuture *);
    CassandraCode (*future_set_callback)(CassandraFuture *, CassandraCallback, void *data);
    CassandraCode (*future_error_code)(CassandraFuture *);
    const CassandraResult *(*future_get_result)(CassandraFuture *);
    const CassandraPrepared *(*future_get_prepared)(CassandraFuture *);
    void (*prepared_free)(const CassandraPrepared *);
    CassandraStatement *(*prepared_bind)(const CassandraPrepared *);
    void (*statement_free)(CassandraStatement *);
    CassandraCode (*statement_bind_string_n)(CassandraStatement *, size_t place, const char *text, size_t length);
    CassandraCode (*statement_bind_int32)(CassandraStatement *, size_t place, int32_t number);
    CassandraCode (*statement_set_is_idempotent)(CassandraStatement *, uint32_t is_idempotent);
    CassandraCode (*statement_set_timestamp)(CassandraStatement *, int64_t microseconds);
    CassandraCode (*statement_set_request_timeout)(CassandraStatement *, uint64_t milliseconds);
    CassandraCode (*statement_set_paging_size)(CassandraStatement *, int rows);
    CassandraCode (*statement_set_paging_state)(CassandraStatement *, const CassandraResult *);
    CassandraBatch *(*batch_new)(uint32_t type);
    void (*batch_free)(CassandraBatch *);
    CassandraCode (*batch_add_statement)(CassandraBatch *, CassandraStatement *);
    CassandraCode (*batch_set_is_idempotent)(CassandraBatch *, uint32_t is_idempotent);
    CassandraCode (*batch_set_timestamp)(CassandraBatch *, int64_t microseconds);
    CassandraCode (*batch_set_request_timeout)(CassandraBatch *, uint64_t milliseconds);
    void (*result_free)(const CassandraResult *);
    size_t (*result_row_count)(const CassandraResult *);
    uint32_t (*result_has_more_pages)(const CassandraResult *);
    CassandraIterator *(*iterator_from_result)(const CassandraResult *);
    void (*iterator_free)(CassandraIterator *);
    uint32_t (*iterator_next)(CassandraIterator *);
    const CassandraRow *(*iterator_get_row)(const CassandraIterator *);
    const CassandraValue *(*row_get_column)(const CassandraRow *, size_t place);
    CassandraCode (*value_get_string)(const CassandraValue *, const char **text, size_t *length);
    CassandraSSL *(*ssl_new)(void);
    void (*ssl_free)(CassandraSSL *);
    CassandraCode (*ssl_add_trusted_cert_n)(CassandraSSL *, const char *text, size_t length);
    CassandraCode (*ssl_set_cert_n)(CassandraSSL *, const char *text, size_t length);
    CassandraCode (*ssl_set_private_key_n)(
        CassandraSSL *, const char *text, size_t length, const char *password, size_t password_length);
    void (*ssl_set_verify_flags)(CassandraSSL *, int flags);
    void (*log_set_level)(uint32_t severity);
    void (*log_set_callback)(CassandraLogCallback, void *data);
} CassandraFunctions;

enum {
    CASSANDRA_NO_STREAMS = 0x01000002,
    CASSANDRA_HOST_RESOLUTION = 0x01000005,
    CASSANDRA_UNEXPECTED_RESPONSE = 0x01000006,
    CASSANDRA_QUEUE_FULL = 0x01000007,
    CASSANDRA_WRITE_ERROR = 0x01000009,
    CASSANDRA_NO_HOSTS = 0x0100000A,
    CASSANDRA_REQUEST_TIMED_OUT = 0x0100000E,
    CASSANDRA_NO_PROTOCOL = 0x01000013,
    CASSANDRA_UNABLE_TO_CONNECT = 0x01000016,
    CASSANDRA_SERVER_ERROR = 0x02000000,
    CASSANDRA_PROTOCOL_ERROR = 0x0200000A,
    CASSANDRA_BAD_CREDENTIALS = 0x02000100,
    CASSANDRA_UNAVAILABLE = 0x02001000,
    CASSANDRA_OVERLOADED = 0x02001001,
    CASSANDRA_BOOTSTRAPPING = 0x02001002,
    CASSANDRA_WRITE_TIMEOUT = 0x02001100,
    CASSANDRA_READ_TIMEOUT = 0x02001200,
    CASSANDRA_READ_FAILURE = 0x02001300,
    CASSANDRA_WRITE_FAILURE = 0x02001500,
    CASSANDRA_UNAUTHORIZED = 0x02002100,
    CASSANDRA_INVALID_QUERY = 0x02002200,
    CASSANDRA_SSL_INVALID_CERTIFICATE = 0x03000001,
    CASSANDRA_SSL_CLOSED = 0x03000007,
    CASSANDRA_UNLOGGED_BATCH = 1,
    CASSANDRA_VERIFY_CERTIFICATE = 1,
    CASSANDRA_VERIFY_ADDRESS = 2,
    CASSANDRA_VERIFY_NAME = 4,
    CASSANDRA_LOG_ERROR = 2,
    CASSANDRA_LOG_WARNING = 3,
};

// Returns false if the library is not the driver, or too old to have all of them.
static inline bool cassandra_find(void *library, CassandraFunctions *functions) {
#define FOUND(name) (functions->name = (__typeof__(functions->name))dlsym(library, "cass_" #name))
    return FOUND(cluster_new) && FOUND(cluster_free) && FOUND(cluster_set_contact_points_n) && FOUND(cluster_set_port)
        && FOUND(cluster_set_use_hostname_resolution) && FOUND(cluster_set_ssl)
        && FOUND(cluster_set_credentials_n) && FOUND(cluster_set_connect_timeout)
        && FOUND(cluster_set_request_timeout) && FOUND(cluster_set_resolve_timeout)
        && FOUND(cluster_set_load_balance_dc_aware_n) && FOUND(cluster_set_token_aware_routing)
        && FOUND(cluster_set_consistency) && FOUND(cluster_set_coalesce_delay)
        && FOUND(cluster_set_exponential_reconnect) && FOUND(cluster_set_constant_speculative_execution_policy)
        && FOUND(cluster_set_connection_heartbeat_interval) && FOUND(cluster_set_connection_idle_timeout)
        && FOUND(session_new) && FOUND(session_free) && FOUND(session_connect) && FOUND(session_prepare_n) && FOUND(session_execute)
        && FOUND(session_execute_batch) && FOUND(future_free) && FOUND(future_set_callback)
        && FOUND(future_error_code) && FOUND(future_get_result) && FOUND(future_get_prepared)
        && FOUND(prepared_free) && FOUND(prepared_bind) && FOUND(statement_free)
        && FOUND(statement_bind_string_n) && FOUND(statement_bind_int32) && FOUND(statement_set_is_idempotent)
        && FOUND(statement_set_timestamp) && FOUND(statement_set_request_timeout)
        && FOUND(statement_set_paging_size) && FOUND(statement_set_paging_state) && FOUND(batch_new)
        && FOUND(batch_free) && FOUND(batch_add_statement) && FOUND(batch_set_is_idempotent)
        && FOUND(batch_set_timestamp) && FOUND(batch_set_request_timeout)
        && FOUND(result_free) && FOUND(result_row_count) && FOUND(result_has_more_pages)
        && FOUND(iterator_from_result) && FOUND(iterator_free) && FOUND(iterator_next) && FOUND(iterator_get_row)
        && FOUND(row_get_column) && FOUND(value_get_string) && FOUND(ssl_new) && FOUND(ssl_free)
        && FOUND(ssl_add_trusted_cert_n) && FOUND(ssl_set_cert_n) && FOUND(ssl_set_private_key_n)
        && FOUND(ssl_set_verify_flags) && FOUND(log_set_level) && FOUND(log_set_callback);
#undef FOUND
}

// Keeps OpenSSL from cleaning up at exit while the driver's threads still use it.
static inline void cassandra_spare_openssl(void *library) {
    const uint64_t without_cleanup = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    int (*initialize)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_ssl");
    if (initialize) initialize(without_cleanup, NULL);
}
