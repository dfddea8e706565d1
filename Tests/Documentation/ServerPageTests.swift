#if Curl && os(Linux)
    import TurnoutCurl

    @Suite("Start a server")
    struct ServerPageTests {
        @Test func aClientIsMadeForTheServer() {
            func makeClient() -> FlagClient {
                var datafiles = HTTPDatafileOptions()
                datafiles.address = "http://localhost:8080/datafiles/{sdkKey}.json"
                var configuration = ClientConfiguration()
                configuration.datafiles = .streaming(sdkKey: "ShopDemoSdkKey", transport: .curl, options: datafiles)
                configuration.pollingInterval = .seconds(30)
                return FlagClient(configuration)
            }

            #expect(makeClient().project == nil)
        }

        @Test func aClientAsksForPredictions() {
            func predict(_ configuration: inout ClientConfiguration) {
                var options = HTTPPredictionOptions()
                options.address = "http://localhost:8080/predict/{ruleID}"
                configuration.predictions = .http(transport: .curl, options: options)
            }

            var configuration = ClientConfiguration()
            predict(&configuration)
            #expect(configuration.predictions != nil)
        }
    }
#endif
