import type { Reply } from '@tollbook/http/reply/reply'
import { type Payment, paymentOf, setPayment } from '../routes/payment.ts'
import type { Route } from '../routes/route.ts'
import type { SellerGate } from '../seller/seller-gate.ts'

/** What a tool answers (MCP specification, CallToolResult). */
type ToolResult = {
  content: readonly unknown[]
  structuredContent?: Record<string, unknown> | undefined
  isError?: boolean | undefined
  _meta?: Record<string, unknown> | undefined
}

/** The context of a tool call, in versions 1 and 2 of the official SDK. */
type ToolContext = {
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly mcpReq?:
    | {
        readonly _meta?: Readonly<Record<string, unknown>> | undefined
        readonly signal?: AbortSignal | undefined
      }
    | undefined
}

/** A paid tool, which has a name, since its handler does not know it. */
export type PaidTool = Route & { readonly name: string }

/** The keys of x402 in `_meta` (x402 specs/transports-v2/mcp.md). */
const PAYMENT = 'x402/payment'
const PAYMENT_RESPONSE = 'x402/payment-response'
/** Origin of the URLs of tools, as that transport names them: `mcp://tool/<name>`. */
const TOOLS = 'mcp://tool'

/**
 * Wraps the handler of a tool of an MCP server that is built with the official SDK; it then runs for paid calls only.
 * `payment(context)` is their payment. A result with `isError` is not charged.
 * @throws TypeError for a wrong route, or one without a name
 * @example server.registerTool('sum', { inputSchema }, paid(gate, { name: 'sum', price: '0.01', description: 'Adds' })(handler))
 */
export function paid(gate: SellerGate, tool: PaidTool) {
  if (typeof tool.name !== 'string' || !/^[\w.-]{1,128}$/.test(tool.name))
    throw new TypeError('tool.name: the name under which the tool is registered')
  const sold = gate.open(tool)
  return <Words extends unknown[], Result extends ToolResult>(
    handler: (...words: Words) => Result | Promise<Result>,
  ): ((...words: Words) => Promise<Result>) =>
    async (...words) => {
      // A tool without arguments gets its context alone.
      const context = (words.at(-1) ?? {}) as ToolContext
      const input = words.length > 1 ? words[0] : {}
      const meta = context._meta ?? context.mcpReq?._meta
      const signal = context.signal ?? context.mcpReq?.signal ?? new AbortController().signal
      const reply = await sold.serve({
        origin: TOOLS,
        request: toHead(`${TOOLS}/${tool.name}`, meta?.[PAYMENT], signal),
        pattern: `/${tool.name}`,
        clientAddress: 'unknown',
        readContent: async () => ({ value: input }),
        isCollected: true,
        async run(payment) {
          setPayment([context], payment)
          const result = await handler(...words)
          return {
            status: result.isError ? NOT_CHARGED : 200,
            headers: { 'content-type': 'application/json' },
            body: Buffer.from(JSON.stringify(result)),
          }
        },
      })
      return (await toResult(reply)) as Result
    }
}

/** The payment of the call that a paid tool serves. @throws TypeError outside of a paid tool */
export function payment(context: object): Payment {
  return paymentOf(context)
}

/** The status of results with `isError`: none that the gate gives itself. */
const NOT_CHARGED = 422

function toHead(url: string, payment: unknown, signal: AbortSignal) {
  const header = payment === undefined ? null : Buffer.from(JSON.stringify(payment)).toString('base64')
  const get = (name: string) => (name === 'payment-signature' ? header : null)
  return { method: 'POST', url, signal, headers: { get, has: (name: string) => get(name) !== null } }
}

/** A reply of the gate as the result of the tool: what the handler returned, the terms, or a problem. */
async function toResult({ status, headers, body }: Reply): Promise<ToolResult> {
  const value = JSON.parse(await new Response(body as ReadableStream<Uint8Array> | string).text())
  const settled = headers['payment-response']
  if (status === 200 || status === NOT_CHARGED)
    return settled === undefined
      ? value
      : { ...value, _meta: { ...value._meta, [PAYMENT_RESPONSE]: decode(settled) } }
  const required = headers['payment-required']
  const shown = required === undefined ? value : { error: value.detail, ...decode(required) }
  return { content: [{ type: 'text', text: JSON.stringify(shown) }], structuredContent: shown, isError: true }
}

function decode(header: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(header, 'base64').toString())
}
