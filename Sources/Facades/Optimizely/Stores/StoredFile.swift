import Foundation

/// A value in a file: bytes as they are, a list as JSON, any other value as a JSON list of one element.
enum StoredFile<T: Codable> {
    /// The bytes of a value, or nil: it is no `T`, or has no JSON.
    static func encode(_ value: Any) -> Data? {
        guard let value = value as? T else { return nil }
        if let data = value as? Data { return data }
        return T.self is any StoredList.Type ? try? JSONEncoder().encode(value) : try? JSONEncoder().encode([value])
    }

    /// The value of these bytes, or nil: they are damaged.
    static func decode(_ data: Data) -> T? {
        if let data = data as? T { return data }
        guard !(T.self is any StoredList.Type) else { return try? JSONDecoder().decode(T.self, from: data) }
        return (try? JSONDecoder().decode([T].self, from: data))?.first
    }
}

private protocol StoredList {}
extension Array: StoredList {}
