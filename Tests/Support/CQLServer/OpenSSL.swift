import LibC

/// The functions of OpenSSL that a server needs, looked up when the first server with TLS starts.
struct OpenSSL: Sendable {
    typealias Create = @convention(c) (OpaquePointer?) -> OpaquePointer?
    typealias Make = @convention(c) () -> OpaquePointer?
    typealias Change = @convention(c) (OpaquePointer?) -> Void
    typealias File = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, Int32) -> Int32
    typealias Chain = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> Int32
    typealias Authorities = @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> Int32
    typealias Verify = @convention(c) (OpaquePointer?, Int32, OpaquePointer?) -> Void
    typealias Buffers = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
    typealias Take = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int32) -> Int32
    typealias Give = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
    typealias Failure = @convention(c) (OpaquePointer?, Int32) -> Int32

    static let pem: Int32 = 1
    static let wantsRead: Int32 = 2
    /// A client must show a certificate, which is verified.
    static let verifiesClients: Int32 = 3

    let method: Make
    let newContext: Create
    let freeContext: Change
    let useCertificates: Chain
    let useKey: File
    let loadAuthorities: Authorities
    let setVerification: Verify
    let newConnection: Create
    let freeConnection: Change
    let setAccepting: Change
    let setBuffers: Buffers
    let read: Take
    let write: Give
    let error: Failure
    let memory: Make
    let newBuffer: Create
    let readBuffer: Take
    let writeBuffer: Give
    let clearErrors: @convention(c) () -> Void

    /// Loads the library.
    ///
    /// - Throws: `CQLServer.Failure` if there is none.
    init() throws {
        let names = ["libssl.so.3", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib", "libssl.so.1.1"]
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first else {
            throw CQLServer.Failure(description: "TLS needs \(names[0]): run Scripts/setup")
        }
        func found<Function>(_ name: String) throws -> Function {
            guard let symbol = dlsym(library, name) else {
                throw CQLServer.Failure(description: "OpenSSL has no function \(name)")
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
        method = try found("TLS_server_method")
        newContext = try found("SSL_CTX_new")
        freeContext = try found("SSL_CTX_free")
        useCertificates = try found("SSL_CTX_use_certificate_chain_file")
        useKey = try found("SSL_CTX_use_PrivateKey_file")
        loadAuthorities = try found("SSL_CTX_load_verify_locations")
        setVerification = try found("SSL_CTX_set_verify")
        newConnection = try found("SSL_new")
        freeConnection = try found("SSL_free")
        setAccepting = try found("SSL_set_accept_state")
        setBuffers = try found("SSL_set_bio")
        read = try found("SSL_read")
        write = try found("SSL_write")
        error = try found("SSL_get_error")
        memory = try found("BIO_s_mem")
        newBuffer = try found("BIO_new")
        readBuffer = try found("BIO_read")
        writeBuffer = try found("BIO_write")
        clearErrors = try found("ERR_clear_error")
    }
}
