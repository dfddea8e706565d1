import Foundation

/// The encoding of a value in a file: data as it is, an array as JSON, any other value as a JSON array of one element.
enum StoredFile<T: Codable> {
    /// The bytes of a value, or nil if it is not a `T` or cannot be encoded.
    static func encode(_ value: Any) -> Data? {
        guard let value = value as? T else { return nil }
        if let data = value as? Data { return data }
        return T.self is any StoredList.Type ? try? JSONEncoder().encode(value) : try? JSONEncoder().encode([value])
    }

    /// The value in these bytes, or nil if they are damaged.
    static func decode(_ data: Data) -> T? {
        if let data = data as? T { return data }
        guard !(T.self is any StoredList.Type) else { return try? JSONDecoder().decode(T.self, from: data) }
        return (try? JSONDecoder().decode([T].self, from: data))?.first
    }
}

private protocol StoredList {}
extension Array: StoredList {}
