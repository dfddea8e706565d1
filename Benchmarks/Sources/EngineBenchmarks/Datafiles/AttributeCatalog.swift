import TurnoutEngine

/// The attributes and values in the conditions of generated audiences.
struct AttributeCatalog {
    enum Values {
        case texts([String])
        case numbers([JSONValue])
        case versions([String])
        case truth
    }

    struct Entry {
        let name: String
        let values: Values
    }

    static let entries: [Entry] =
        [
            Entry(name: "country", values: .texts(["BR", "CN", "DE", "FR", "GB", "IN", "JP", "US"])),
            Entry(name: "browser", values: .texts(["chrome", "edge", "firefox", "safari"])),
            Entry(name: "plan", values: .texts(["enterprise", "free", "pro", "team"])),
            Entry(name: "language", values: .texts(["de-DE", "en-GB", "en-US", "fr-FR", "ja-JP", "pt-BR"])),
            Entry(
                name: "city", values: .texts(["berlin", "mumbai", "new york", "paris", "sao paulo", "tokyo"])),
            Entry(
                name: "device_model",
                values: .texts(["Pixel 8", "SM-S918B", "iPad13,1", "iPhone14,5", "iPhone15,2"])),
            Entry(
                name: "email_domain",
                values: .texts(["corp.internal", "example.com", "gmail.com", "optimizely.com"])),
            Entry(
                name: "user_agent",
                values: .texts([
                    "Mozilla/5.0 (Linux; Android 14)", "Mozilla/5.0 (Macintosh)",
                    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1)",
                ])),
            Entry(
                name: "app_version",
                values: .versions(["1.0.0", "2.3.1", "2.10.0", "3.0.0-beta.1", "3.1.4", "4.0.0"])),
            Entry(name: "os_version", values: .versions(["13.0", "14.2.1", "15.7", "16.0.0", "17.1.2", "18.0"])),
            Entry(name: "age", values: .numbers(integers(12, 18, 21, 30, 45, 60, 75))),
            Entry(name: "purchases", values: .numbers(integers(0, 1, 2, 5, 10, 50, 100))),
            Entry(name: "cart_value", values: .numbers(doubles(0, 9.99, 19.5, 49.95, 100, 250.75))),
            Entry(name: "session_count", values: .numbers(integers(1, 2, 3, 10, 20, 100))),
            Entry(name: "latency_ms", values: .numbers(doubles(10.5, 50.25, 100, 250.5))),
            Entry(name: "score", values: .numbers(doubles(-1.5, 0, 0.5, 1, 2.75))),
            Entry(name: "is_beta", values: .truth),
            Entry(name: "is_employee", values: .truth),
            Entry(name: "has_subscription", values: .truth),
            Entry(name: "tablet", values: .truth),
        ] + (20..<30).map { Entry(name: "custom_\($0)", values: .texts(["a", "b", "c", "d"])) }

    private static func integers(_ values: Int64...) -> [JSONValue] { values.map { .integer($0) } }
    private static func doubles(_ values: Double...) -> [JSONValue] { values.map { .double($0) } }
}
