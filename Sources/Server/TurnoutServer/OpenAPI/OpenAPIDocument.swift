/// The description of all routes in OpenAPI 3.0, served at `/openapi.yaml`. A test compares it with the route table.
package enum OpenAPIDocument {
    /// The response with the document.
    static let response = ServerResponse(
        200, headers: ["Content-Type": "application/yaml; charset=utf-8"], body: .shared(SharedBody(Array(text.utf8))))

    /// The document.
    package static let text = agentPaths + serverPaths + dataPaths + components

    private static let agentPaths = """
        openapi: 3.0.3
        info:
          title: Turnout
          description: Flags, experiments, datafiles, events and segments; /v1 is the interface of the vendor's Agent.
          version: "1"
        security:
          - sdkKey: []
          - sdkKey: []
            token: []
        paths:
          /v1/config:
            get:
              operationId: config
              summary: The contents of the datafile. Has an entity tag.
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The contents are those that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /v1/datafile:
            get:
              operationId: datafile
              summary: The datafile. Has an entity tag.
              responses:
                "200": {$ref: "#/components/responses/Object"}
                "304": {description: The datafile is the one that the client has.}
                default: {$ref: "#/components/responses/Error"}
          /v1/decide:
            post:
              operationId: decide
              summary: Decides the flags of the query, or all flags.
              parameters:
                - name: keys
                  in: query
                  description: The flags. One gives an object; several, or none for all, give a list.
                  schema: {type: array, items: {type: string}}
              requestBody:
                content:
                  application/json: {schema: {$ref: "#/components/schemas/DecideRequest"}}
              responses:
                "200":
                  description: The decision, or a list of decisions.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - $ref: "#/components/schemas/Decision"
                          - {type: array, items: {$ref: "#/components/schemas/Decision"}}
                default: {$ref: "#/components/responses/Error"}
          /v1/activate:
            post:
              operationId: activate
              summary: Decides experiments and flags, as before decide.
              parameters:
                - {name: experimentKey, in: query, schema: {type: array, items: {type: string}}}
                - {name: featureKey, in: query, schema: {type: array, items: {type: string}}}
                - name: type
                  in: query
                  description: All experiments, or all flags.
                  schema: {type: array, items: {type: string, enum: [experiment, feature]}}
                - {name: disableTracking, in: query, schema: {type: boolean}}
                - {name: enabled, in: query, schema: {type: boolean}}
              requestBody:
                content:
                  application/json: {schema: {$ref: "#/components/schemas/User"}}
              responses:
                "200":
                  description: One row for each key.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Activation"}}
                default: {$ref: "#/components/responses/Error"}
          /v1/track:
            post:
              operationId: track
              summary: Records a conversion. An unknown event is reported in the response, with status 200.
              parameters:
                - {name: eventKey, in: query, required: true, schema: {type: string}}
              requestBody:
                content:
                  application/json:
                    schema:
                      allOf:
                        - $ref: "#/components/schemas/User"
                        - {type: object, properties: {eventTags: {type: object}}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /v1/override:
            post:
              operationId: override
              summary: Puts a user into a variation, in memory. An empty variation ends that.
              requestBody:
                content:
                  application/json:
                    schema:
                      type: object
                      required: [userId, experimentKey]
                      properties:
                        userId: {type: string}
                        experimentKey: {type: string}
                        variationKey: {type: string}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /v1/lookup:
            post:
              operationId: lookup
              summary: The stored assignments of a user.
              requestBody:
                content:
                  application/json: {schema: {type: object, properties: {userId: {type: string}}}}
              responses:
                "200":
                  description: The assignments by experiment.
                  content:
                    application/json: {schema: {$ref: "#/components/schemas/Profile"}}
                default: {$ref: "#/components/responses/Error"}
          /v1/save:
            post:
              operationId: save
              summary: Replaces the stored assignments of a user.
              requestBody:
                content:
                  application/json: {schema: {$ref: "#/components/schemas/Profile"}}
              responses:
                "200": {description: The assignments are stored. There is no content.}
                default: {$ref: "#/components/responses/Error"}
          /v1/send-odp-event:
            post:
              operationId: sendSegmentEvent
              summary: Reports an event about a user to the data platform.
              requestBody:
                content:
                  application/json:
                    schema:
                      type: object
                      required: [action, identifiers]
                      properties:
                        type: {type: string}
                        action: {type: string}
                        identifiers: {type: object, additionalProperties: {type: string}}
                        data: {type: object}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /v1/reset:
            post:
              operationId: reset
              summary: Forgets overrides and cached predictions of the SDK key.
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /v1/notifications/event-stream:
            get:
              operationId: notifications
              summary: Decisions, conversions and changes of the datafile, as server-sent events.
              parameters:
                - name: filter
                  in: query
                  description: Names separated by commas - decision, track, project_config_update.
                  schema: {type: string}
                - {name: raw, in: query, description: Sends lines of JSON., schema: {type: string}}
                - name: Last-Event-ID
                  in: header
                  description: The last event that the client has; later ones are sent again.
                  schema: {type: string}
              responses:
                "200":
                  description: The events.
                  content: {text/event-stream: {schema: {type: string}}}
                default: {$ref: "#/components/responses/Error"}
          /v1/batch:
            post:
              operationId: batch
              summary: Several requests in one, each with its own headers.
              security: []
              requestBody:
                content:
                  application/json:
                    schema:
                      type: object
                      properties:
                        operations:
                          type: array
                          items:
                            type: object
                            properties:
                              method: {type: string}
                              url: {type: string}
                              operationID: {type: string}
                              body: {type: object}
                              params: {type: object, additionalProperties: {type: string}}
                              headers: {type: object, additionalProperties: {type: string}}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /oauth/token:
            post:
              operationId: token
              summary: Issues a token for an id and a secret.
              security: []
              requestBody:
                content:
                  application/x-www-form-urlencoded:
                    schema:
                      type: object
                      required: [grant_type, client_id, client_secret]
                      properties:
                        grant_type: {type: string, enum: [client_credentials]}
                        client_id: {type: string}
                        client_secret: {type: string}
              responses:
                "200": {$ref: "#/components/responses/Object"}
                default: {$ref: "#/components/responses/Error"}
          /openapi.yaml:
            get:
              operationId: description
              summary: This document.
              security: []
              responses:
                "200": {description: The document.}

        """

    private static let components = """
        components:
          securitySchemes:
            sdkKey:
              type: apiKey
              in: header
              name: X-Optimizely-SDK-Key
              description: The SDK key, followed by a colon and an access token if the datafile requires one.
            token: {type: http, scheme: bearer}
            apiKey: {type: apiKey, in: header, name: X-API-Key, description: "The SDK key, or KEY:TOKEN, for OFREP."}
            access: {type: http, scheme: bearer, description: The access token of a protected datafile.}
            platform: {type: apiKey, in: header, name: x-api-key, description: The platform's key in the datafile.}
            management: {type: http, scheme: bearer, description: "A management token with the scope that is named."}
          requestBodies:
            Evaluation:
              content:
                application/json:
                  schema:
                    type: object
                    properties: {context: {type: object, properties: {targetingKey: {type: string}}}}
          responses:
            Events:
              description: The events.
              content: {text/event-stream: {schema: {type: string}}}
            Object:
              description: The result.
              content: {application/json: {schema: {type: object}}}
            Error:
              description: Why the request failed.
              content:
                application/json: {schema: {type: object, properties: {error: {type: string}}}}
          schemas:
            RolloutName: {type: string, maxLength: 100, pattern: "^[0-9A-Za-z_-][0-9A-Za-z._-]*$"}
            User:
              type: object
              properties:
                userId: {type: string}
                userAttributes: {type: object}
            DecideRequest:
              allOf:
                - $ref: "#/components/schemas/User"
                - type: object
                  properties:
                    decideOptions:
                      type: array
                      items:
                        type: string
                        enum:
                          - DISABLE_DECISION_EVENT
                          - ENABLED_FLAGS_ONLY
                          - IGNORE_USER_PROFILE_SERVICE
                          - INCLUDE_REASONS
                          - EXCLUDE_VARIABLES
                          - IGNORE_CMAB_CACHE
                          - RESET_CMAB_CACHE
                          - INVALIDATE_USER_CMAB_CACHE
                    forcedDecisions:
                      type: array
                      items:
                        type: object
                        properties:
                          flagKey: {type: string}
                          ruleKey: {type: string}
                          variationKey: {type: string}
                    fetchSegments: {type: boolean}
                    fetchSegmentsOptions:
                      type: array
                      items: {type: string, enum: [IGNORE_CACHE, RESET_CACHE]}
            Decision:
              type: object
              properties:
                variationKey: {type: string}
                enabled: {type: boolean}
                ruleKey: {type: string}
                flagKey: {type: string}
                userContext:
                  type: object
                  properties: {userId: {type: string}, attributes: {type: object}}
                reasons: {type: array, items: {type: string}}
                variables: {type: object}
                isEveryoneElseVariation: {type: boolean}
            Activation:
              type: object
              properties:
                userId: {type: string}
                experimentKey: {type: string}
                featureKey: {type: string}
                variationKey: {type: string}
                type: {type: string}
                variables: {type: object}
                enabled: {type: boolean}
                error: {type: string}
            Profile:
              type: object
              properties:
                userId: {type: string}
                experimentBucketMap:
                  type: object
                  additionalProperties:
                    type: object
                    properties: {variation_id: {type: string}}

        """
}
