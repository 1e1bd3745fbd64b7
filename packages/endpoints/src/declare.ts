/** What a module of a service needs: `@tollbook/endpoints`. */
// biome-ignore-all lint/performance/noBarrelFile: the public entry of the package
export { ProblemError } from '@tollbook/http/problem'
export { bytes, eventStream, json, lineStream } from './answer.ts'
export { defineService, type ServiceContext, type ServiceDeclaration } from './define-service.ts'
export { type Call, defineEndpoint, type Endpoint, type EndpointDeclaration } from './endpoint.ts'
export { loadEndpoints } from './load.ts'
