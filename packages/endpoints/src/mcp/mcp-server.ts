import {
  type CallToolRequest,
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isRecord } from '@tollbook/flow/is-record'
import type { Logger } from '@tollbook/flow/logger'
import { type Problem, ProblemError } from '@tollbook/http/problem'
import { renderProblem, toProblem } from '@tollbook/http/reply/problem-document'
import { fromResponse, type Reply } from '@tollbook/http/reply/reply'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import { RequestBody } from '@tollbook/http/request/request-body'
import { type AdaptedRequest, findBody, type InnerRequest } from '@tollbook/http/request/served-request'
import { readJsonBody } from '../arguments/json-body.ts'
import { MAX_VALUES } from '../arguments/read-request.ts'
import { describeService } from '../documents/money-note.ts'
import { PRODUCT } from '../documents/product-version.ts'
import type { Service } from '../service.ts'
import { toRequest } from './tool-request.ts'
import { jsonResult, type ToolResult, toResult } from './tool-result.ts'
import { CALL_TOOL, createTools, FIND_TOOL, MAX_QUERY_LENGTH } from './tools.ts'

export type McpParts = {
  readonly service: Service
  readonly limiter: RateLimiter
  readonly logger: Logger
  /** The service's own HTTP application. */
  readonly fetch: (request: Request, env: { readonly inner: InnerRequest }) => Response | Promise<Response>
}

/** Answers a POST of a streamable HTTP client. */
export type McpServer = (request: AdaptedRequest, clientAddress: string) => Promise<Reply>

/** Max bytes of a message: longer inputs go to their endpoint, where nothing is read before the payment. */
const MAX_BODY_BYTES = 4_194_304
const PAYMENT = 'x402/payment'
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A service's MCP server (streamable HTTP, without sessions); calls go through the endpoints' own routes. */
export function createMcpServer({ service, limiter, logger, fetch }: McpParts): McpServer {
  const tools = createTools(service)
  const info = { name: `tollbook-${service.name}`, title: service.title, version: PRODUCT.version }
  const isPaid = service.endpoints.some(({ pricing }) => pricing.kind !== 'free')
  const instructions = `${describeService(service)}\n${isPaid ? HOW_TO_PAY : (service.guide ?? '')}`

  return async (request, clientAddress) => {
    checkOrigin(request.headers.get('origin'))
    const budget = limiter.openQuestion(clientAddress, declaredBytes(request))
    if (budget.waitSeconds > 0) throw new ProblemError(tooMany(budget.waitSeconds))
    try {
      const parsedBody = await readMessage(request, budget)
      const server = new Server(info, { capabilities: { tools: {} }, instructions })
      server.setRequestHandler('tools/list', () => ({ tools: [...tools.list()] }))
      server.setRequestHandler('tools/call', async ({ params }) => {
        const result = await callTool(params, request, clientAddress)
        // Its call has taken its own tokens.
        if (result._meta !== undefined && !result.isError) budget.giveBack()
        return { ...result }
      })
      return fromResponse(await answerMessage(server, request.adapted, parsedBody))
    } finally {
      budget.end()
    }
  }

  /** A browser's page may only call a server on its own machine, or that of its own site. */
  function checkOrigin(origin: string | null): void {
    if (origin === null || origin === new URL(service.baseUrl).origin) return
    if (URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)) return
    throw new ProblemError({ code: 'origin_refused', detail: 'Pages of this origin may not use /mcp.' })
  }

  async function callTool(
    { name, arguments: args = {}, _meta }: CallToolRequest['params'],
    carrier: AdaptedRequest,
    clientAddress: string,
  ): Promise<ToolResult> {
    if (name === FIND_TOOL) return jsonResult({ tools: tools.search(toText('query', args.query)) })
    const isIndirect = name === CALL_TOOL
    const wanted = isIndirect ? toText('name', args.name) : name
    const endpoint = tools.find(wanted)
    if (!endpoint) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(wanted))
    const input = isIndirect ? toArguments(args.arguments) : args
    try {
      const call = { endpoint, arguments: input, payment: _meta?.[PAYMENT] }
      const request = await toRequest(service, call, carrier)
      const inner: InnerRequest = { clientAddress, trailers: {} }
      return await toResult(await fetch(request, { inner }), request.url, inner.trailers)
    } catch (error) {
      if (!(error instanceof ProblemError)) logger.error({ err: error }, 'tool call failed')
      return jsonResult(JSON.parse(String(renderProblem(toProblem(error), service).body)), true)
    }
  }

  function unknownTool(name: string): string {
    const nearest = tools.nearest(name)
    const hint = nearest ? `did you mean ${nearest}?` : `${FIND_TOOL} finds one`
    return `There is no tool ${name.slice(0, 100)}; ${hint}`
  }
}

/** By the current revision of MCP, or by those before 2026-07-28; neither has a session here. */
async function answerMessage(server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  try {
    if (!(await isLegacyRequest(request, parsedBody))) {
      const handler = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 })
      const response = await handler.fetch(request, { parsedBody })
      return response.status === 200 ? (refuseSubscription(parsedBody) ?? response) : response
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await server.close()
  }
}

/** There are no changes to subscribe to: a method that is not supported, which the SDK calls an internal error. */
function refuseSubscription(message: unknown): Response | null {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return null
  const error = { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }
  return Response.json({ jsonrpc: '2.0', id: message.id, error }, { status: 404 })
}

function toText(name: string, value: unknown = ''): string {
  if (typeof value === 'string' && value.length <= MAX_QUERY_LENGTH) return value
  const issue = `${name} must be a string of at most ${MAX_QUERY_LENGTH} characters`
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, issue)
}

function toArguments(value: unknown = {}): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'arguments must be an object')
}

const HOW_TO_PAY =
  'Paid tools answer an unpaid call with x402 payment requirements; send the payment in _meta["x402/payment"]. A refused call is never charged.'

function declaredBytes({ headers }: AdaptedRequest): number {
  return Number(headers.get('content-length') ?? MAX_BODY_BYTES)
}

/** Reads a message within its bounds, and adds its size to what the request costs its client. */
async function readMessage(request: AdaptedRequest, budget: RequestBudget): Promise<unknown> {
  const source = findBody(request)
  const declared = declaredBytes(request)
  if (declared > MAX_BODY_BYTES) throw new ProblemError(TOO_LARGE)
  const problem = budget.addBody(declared)
  if (problem) throw new ProblemError(problem)
  // An error means that the connection has ended.
  const bytes = await new RequestBody(source).read(MAX_BODY_BYTES).catch(() => new Uint8Array())
  if (!bytes) throw new ProblemError(TOO_LARGE)
  budget.addBody(bytes.byteLength - declared)
  const json = await readJsonBody(bytes, { values: MAX_VALUES, isExact: true })
  if ('value' in json && !Array.isArray(json.value)) return json.value
  const [code, issue] =
    'issue' in json
      ? [ProtocolErrorCode.ParseError, json.issue]
      : [ProtocolErrorCode.InvalidRequest, 'must be one JSON-RPC message']
  const detail = `The body ${issue}.`
  // A problem that is also a JSON-RPC error: clients of the protocol read only that.
  const members = { jsonrpc: '2.0', id: null, error: { code, message: detail } }
  throw new ProblemError({ code: 'invalid_request', detail, members })
}

const TOO_LARGE: Problem = {
  code: 'too_large',
  detail: `A message may have at most ${MAX_BODY_BYTES} bytes; send longer inputs to the endpoint itself.`,
  members: { limit_bytes: MAX_BODY_BYTES },
}
