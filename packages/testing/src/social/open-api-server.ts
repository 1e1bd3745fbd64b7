import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type Context, type Document, OpenAPIBackend } from 'openapi-backend'

type Answer = readonly [status: number, body: unknown]
type Operation = { readonly responses: Readonly<Record<number, { readonly content: Content } | undefined>> }
type Content = { readonly 'application/json': { readonly example: unknown } }

/**
 * Starts a server that validates requests against an OpenAPI document and answers with its examples, those of 422 or
 * 400 for a request that does not fit, and of 401 without a bearer token where one is required.
 * @returns its URL on loopback, and the function that stops it.
 */
export async function startOpenApiServer(document: unknown) {
  const api = new OpenAPIBackend({
    definition: withIds(document),
    strict: true,
    // Parameters are text, and the document names the formats of dates.
    ajvOpts: { coerceTypes: 'array', formats: { 'date-time': isDate, binary: true } },
  })
  api.register({
    notFound: (): Answer => [404, 'no such path'],
    methodNotAllowed: (): Answer => [405, 'no such method'],
    unauthorizedHandler: (context: Context): Answer => exampleOf(context, 401) ?? [401, 'no token'],
    validationFail: (context: Context): Answer =>
      exampleOf(context, 422) ?? exampleOf(context, 400) ?? [422, context.validation.errors],
    notImplemented: (context: Context): Answer => exampleOf(context, 200) ?? [501, 'no example'],
  })
  for (const scheme of Object.keys(securitySchemesOf(document)))
    api.registerSecurityHandler(scheme, ({ request }: Context) =>
      /^Bearer ./.test(String(request.headers.authorization)),
    )
  await api.init()
  const server = createServer((incoming, outgoing) => {
    answer(api, incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

function exampleOf({ operation }: Context, status: number): Answer | undefined {
  const response = (operation as unknown as Operation).responses[status]
  return response && [status, response.content['application/json'].example]
}

async function answer(
  api: OpenAPIBackend,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers } = incoming
  const [path = '', text = ''] = url.split('?')
  // The library's own parser makes an object of more than 20 values.
  const values = new URLSearchParams(text)
  const query = Object.fromEntries(
    [...new Set(values.keys())].map((name) => {
      const all = values.getAll(name)
      return [name, all.length === 1 ? (all[0] ?? '') : all]
    }),
  )
  const body = await readBody(incoming)
  const request = { method, path, query, headers: headers as Record<string, string>, body }
  const [status, content]: Answer = await api.handleRequest(request)
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
}

/** The fields of a form, with the names of files in the place of their bytes; other bodies as text. */
async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const bytes = await buffer(incoming)
  const type = incoming.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return bytes.length === 0 ? undefined : bytes.toString()
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
  )
}

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>

/** Operations are found by an id. */
function withIds(document: unknown): Document {
  const { paths, ...rest } = document as { readonly paths: Paths }
  const named = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        { ...operation, operationId: `${method} ${path}` },
      ]),
    ),
  ])
  return { ...rest, paths: Object.fromEntries(named) } as unknown as Document
}

function securitySchemesOf(document: unknown): object {
  return (
    (document as { readonly components?: { readonly securitySchemes?: object } }).components
      ?.securitySchemes ?? {}
  )
}

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}
