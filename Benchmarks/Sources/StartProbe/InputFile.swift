#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file read completely, without Foundation, whose start time is not measured.
struct InputFile {
    let bytes: [UInt8]

    init?(_ path: String) {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file)
        rewind(file)
        bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
        }
    }
}
