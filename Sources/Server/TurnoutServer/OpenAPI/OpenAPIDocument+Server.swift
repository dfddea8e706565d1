extension OpenAPIDocument {
    /// The routes that the vendor's Agent does not have, up to those for events.
    static let serverPaths = """
          /:
            get:
              operationId: root
              summary: Names the server, and where its routes are described.
              security: []
              responses:
                "200": {description: A line of text.}
                default: {$ref: "#/components/responses/Error"}
          /health:
            get:
              operationId: health
              summary: Tells whether the process is alive.
              security: []
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /ready:
            get:
              operationId: ready
              summary: Tells whether load balancers shall send requests, and what does not work.
              security: []
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "503": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /status:
            get:
              operationId: status
              summary: Tells what the server is doing.
              security: [{management: [read]}]
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /metrics:
            get:
              operationId: metrics
              summary: Metrics in the text format of Prometheus.
              security: [{management: [read]}]
              responses:
                "200": {description: The metrics., content: {text/plain: {schema: {type: string}}}}
                default: {$ref: "#/components/responses/Error"}
          /config:
            get:
              operationId: configuration
              summary: The configuration with the names of the Agent, without secrets.
              security: [{management: [read]}]
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /info:
            get:
              operationId: info
              summary: The version, and the time since the start.
              security: [{management: [read]}]
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /webhooks/optimizely:
            post:
              operationId: webhook
              summary: Announces a changed datafile. Signed with X-Hub-Signature.
              security: []
              requestBody:
                content:
                  application/json: {schema: {type: object}}
              responses:
                "204": {description: "The datafile is downloaded again, or the project is unknown."}
                default: {$ref: "#/components/responses/Error"}
          /datafiles/{sdkKey}.json:
            get:
              operationId: publicDatafile
              summary: The datafile of an SDK key.
              security: []
              parameters:
                - {name: sdkKey, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The datafile is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /datafiles/auth/{sdkKey}.json:
            get:
              operationId: protectedDatafile
              summary: The datafile of an SDK key, for its access token.
              security: [{access: []}]
              parameters:
                - {name: sdkKey, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The datafile is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /datafiles/{sdkKey}/changes:
            get:
              operationId: datafileChanges
              summary: A stream of the changes of a datafile.
              security: []
              parameters:
                - {name: sdkKey, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Events"}
                default: {$ref: "#/components/responses/Error"}
          /datafiles/auth/{sdkKey}/changes:
            get:
              operationId: protectedDatafileChanges
              summary: A stream of the changes of a datafile, for its access token.
              security: [{access: []}]
              parameters:
                - {name: sdkKey, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Events"}
                default: {$ref: "#/components/responses/Error"}
          /json/{projectID}.json:
            get:
              operationId: projectDatafile
              summary: The datafile of a project, for older clients.
              security: []
              parameters:
                - {name: projectID, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The datafile is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /ofrep/v1/evaluate/flags:
            post:
              operationId: evaluateFlags
              summary: Evaluates all flags, over OFREP. Has an entity tag.
              security: [{apiKey: []}, {sdkKey: []}]
              requestBody: {$ref: "#/components/requestBodies/Evaluation"}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The result is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /ofrep/v1/evaluate/flags/{key}:
            post:
              operationId: evaluateFlag
              summary: Evaluates a flag or a variable, over OFREP.
              security: [{apiKey: []}, {sdkKey: []}]
              parameters:
                - {name: key, in: path, required: true, description: The flag or flag.variable., schema: {type: string}}
              requestBody: {$ref: "#/components/requestBodies/Evaluation"}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /ofrep/v1/configuration:
            get:
              operationId: ofrepConfiguration
              summary: Tells what the server can do, over OFREP 0.2.
              security: []
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /ofrep/v1/stream/{sdkKey}:
            get:
              operationId: ofrepChanges
              summary: Tells when flags may have changed, over OFREP. The address is a secret.
              security: []
              parameters:
                - {name: sdkKey, in: path, required: true, description: "KEY, or KEY:TOKEN.", schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Events"}
                default: {$ref: "#/components/responses/Error"}

        """

    /// The routes for events, segments, bandits and configurations.
    static let dataPaths = """
          /v1/events:
            post:
              operationId: receiveEvents
              summary: Receives impressions and conversions. Without room for them, the connection is closed.
              security: []
              requestBody:
                content:
                  application/json: {schema: {type: object}}
              responses:
                "204": {description: The events are in the log.}
                default: {$ref: "#/components/responses/Error"}
          /v3/graphql:
            post:
              operationId: segments
              summary: The segments of a user.
              security: [{platform: []}]
              requestBody:
                content:
                  application/json: {schema: {type: object}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /v3/events:
            post:
              operationId: receivePlatformEvents
              summary: Receives events of the data platform.
              security: [{platform: []}]
              requestBody:
                content:
                  application/json: {schema: {type: array, maxItems: 500, items: {type: object}}}
              responses:
                "202": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /segments:
            get:
              operationId: segmentLists
              summary: The segments, and the sizes of lists.
              security: [{management: [read]}]
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /segments/{segment}:
            delete:
              operationId: deleteSegmentList
              summary: Deletes a list of users.
              security: [{management: [flags]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
              responses:
                "204": {description: The list is deleted.}
                default: {$ref: "#/components/responses/Error"}
          /segments/{segment}/users:
            get:
              operationId: segmentUsers
              summary: The users of a list, in the order of their bytes.
              security: [{management: [events]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
                - {name: after, in: query, description: The last user of the page before., schema: {type: string}}
                - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 10000, default: 1000}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            put:
              operationId: replaceSegmentUsers
              summary: Replaces the users of a list.
              security: [{management: [flags]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
                - name: allow_empty
                  in: query
                  description: With true, a list without users removes all users.
                  schema: {type: boolean}
              requestBody:
                content:
                  text/csv: {schema: {type: string}}
                  application/x-ndjson: {schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "409":
                  description: >-
                    There is no room (code limit), or the list has no users and allow_empty is not true (code empty).
                  content:
                    application/json:
                      schema:
                        type: object
                        properties: {error: {type: string}, code: {type: string, enum: [limit, empty]}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: addSegmentUsers
              summary: Adds users to a list.
              security: [{management: [flags]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
                - {name: replace, in: query, description: With true the users are replaced., schema: {type: boolean}}
                - name: upload
                  in: query
                  description: >-
                    The id of an upload in parts, which replaces the users when the last part has arrived. The client
                    chooses it, such as a random number.
                  schema: {type: string, minLength: 1, maxLength: 128}
                - {name: part, in: query, description: The number of the part., schema: {type: integer, minimum: 1}}
                - {name: last, in: query, description: With true it is the last part., schema: {type: boolean}}
                - name: allow_empty
                  in: query
                  description: With true, a list without users that replaces the users removes all of them.
                  schema: {type: boolean}
              requestBody:
                content:
                  text/csv: {schema: {type: string}}
                  application/x-ndjson: {schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "409":
                  description: >-
                    There is no room (code limit), the part does not follow the one before (code upload), or the users
                    are replaced by a list without users and allow_empty is not true (code empty).
                  content:
                    application/json:
                      schema:
                        type: object
                        properties: {error: {type: string}, code: {type: string, enum: [limit, upload, empty]}}
                default: {$ref: "#/components/responses/Error"}
          /segments/{segment}/users/{user}:
            put:
              operationId: addSegmentUser
              summary: Adds a user to a list.
              security: [{management: [flags]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
                - {name: user, in: path, required: true, schema: {type: string, maxLength: 1024}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: removeSegmentUser
              summary: Removes a user from a list.
              security: [{management: [flags]}]
              parameters:
                - {name: segment, in: path, required: true, schema: {type: string, maxLength: 1024}}
                - {name: user, in: path, required: true, schema: {type: string, maxLength: 1024}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /users/forget:
            post:
              operationId: forgetUser
              summary: >-
                Deletes the events, the assignments, the places in lists and the devices of a user, and what is known of
                the devices.
              security: [{management: [users]}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      required: [user_id]
                      properties: {user_id: {type: string, minLength: 1, maxLength: 1024}}
              responses:
                "200":
                  description: What this server deleted. Send the request to each server; each has data of its own.
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          ids: {type: array, items: {type: string}}
                          events: {type: integer}
                          requests: {type: integer}
                          scope: {type: string, enum: [this node]}
                "501": {description: "A profile store cannot erase assignments. Events, lists and devices are kept."}
                "503": {description: Only a part was deleted. Repeat the request.}
                default: {$ref: "#/components/responses/Error"}
          /users/{user}/segments:
            get:
              operationId: userSegments
              summary: The segments and the devices of a user.
              security: [{management: [events]}]
              parameters:
                - {name: user, in: path, required: true, schema: {type: string, maxLength: 1024}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: removeUserFromLists
              summary: Removes a user from all lists, and the user's devices.
              security: [{management: [flags]}]
              parameters:
                - {name: user, in: path, required: true, schema: {type: string, maxLength: 1024}}
              responses:
                "204": {description: The user is in no list and has no device.}
                default: {$ref: "#/components/responses/Error"}
          /predict/{ruleID}:
            post:
              operationId: predict
              summary: Predicts the variation of a bandit for users.
              security: []
              parameters:
                - {name: ruleID, in: path, required: true, schema: {type: string}}
              requestBody:
                content:
                  application/json: {schema: {type: object}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            get:
              operationId: banditWeights
              summary: The weights of a bandit, and what they are based on.
              security: [{management: [read]}]
              parameters:
                - {name: ruleID, in: path, required: true, schema: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /rollouts:
            get:
              operationId: rollouts
              summary: The names of configurations for RolloutManager.
              security: [{management: [read]}]
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /rollouts/{name}.plist:
            get:
              operationId: rollout
              summary: A configuration for RolloutManager. Has an entity tag.
              security: []
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              responses:
                "200": {description: The configuration., content: {application/x-plist: {schema: {type: string}}}}
                "304": {description: The configuration is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
            put:
              operationId: replaceRollout
              summary: Replaces a configuration for RolloutManager.
              security: [{management: [flags]}]
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              requestBody:
                content:
                  application/x-plist: {schema: {type: string}}
                  application/json: {schema: {type: object}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: deleteRollout
              summary: Deletes a configuration for RolloutManager.
              security: [{management: [flags]}]
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              responses:
                "204": {description: The configuration is deleted.}
                default: {$ref: "#/components/responses/Error"}
          /rollouts/{name}/{version}.plist:
            get:
              operationId: rolloutVersion
              summary: A configuration for RolloutManager. Has an entity tag.
              security: []
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
                - {name: version, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              responses:
                "200": {description: The configuration., content: {application/x-plist: {schema: {type: string}}}}
                "304": {description: The configuration is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
            put:
              operationId: replaceRolloutVersion
              summary: Replaces a configuration for RolloutManager.
              security: [{management: [flags]}]
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
                - {name: version, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              requestBody:
                content:
                  application/x-plist: {schema: {type: string}}
                  application/json: {schema: {type: object}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: deleteRolloutVersion
              summary: Deletes a configuration for RolloutManager.
              security: [{management: [flags]}]
              parameters:
                - {name: name, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
                - {name: version, in: path, required: true, schema: {$ref: "#/components/schemas/RolloutName"}}
              responses:
                "204": {description: The configuration is deleted.}
                default: {$ref: "#/components/responses/Error"}

        """
}
