var configuration: [AnyHashable: Any] { [:] }
let path = ""
let client = FlagClient()
