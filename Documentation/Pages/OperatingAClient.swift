let client = FlagClient()
let (us, eu) = (client, client)
var configuration: ClientConfiguration {
    get { ClientConfiguration() }
    set {}
}
let directory = ""
