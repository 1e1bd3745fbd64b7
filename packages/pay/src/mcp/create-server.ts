import { McpServer } from '@modelcontextprotocol/server'
import { formatUsd } from '@tollbook/chain/usdc'
import { jsonResult } from '@tollbook/endpoints/mcp/tool-result'
import * as z from 'zod'
import type { Buyer } from '../buyer.ts'
import { orError, toAnswer } from './answer.ts'
import { callShape, toRequest } from './call-request.ts'
import { askPerson, canAsk } from './confirm.ts'
import { addDescribe, addFind, addSpent, SELLERS_WORDS } from './free-tools.ts'
import { Quotes } from './quotes.ts'

export type McpOptions = {
  readonly buyer: Buyer
  readonly version: string
  /** Origins whose operations are listed. */
  readonly services: readonly string[]
  /** Origins that may be paid, besides the services. */
  readonly allowed: readonly string[]
  /** Whether a person confirms each payment. */
  readonly confirms: boolean
}

/** For a person to answer; also how long a quote holds. */
const CONFIRM_MS = 10 * 60_000

/** An MCP server that calls paid HTTP APIs within a budget. */
export function createMcpServer({ buyer, version, services, allowed, confirms }: McpOptions): McpServer {
  const limits = `Budget $${formatUsd(buyer.budget)}, at most $${formatUsd(buyer.max)} a call.`
  const server = new McpServer(
    { name: 'tollbook', version },
    {
      inputRequired: { roundTimeoutMs: CONFIRM_MS },
      instructions: `Calls paid HTTP APIs (x402) and pays for them. ${limits} Find an operation, describe it, then call it. A refused call is not charged.`,
    },
  )
  const quotes = new Quotes(buyer, CONFIRM_MS)
  const calling = { buyer, quotes, limits, origins: [...services, ...allowed], confirms }
  addFind(server, services)
  addDescribe(server, services)
  addQuote(server, calling)
  addCall(server, calling)
  if (confirms) addBuy(server, quotes)
  addSpent(server, buyer)
  return server
}

/** What the tools that call need. */
type Calling = {
  readonly buyer: Buyer
  readonly quotes: Quotes
  /** The budget, in words. */
  readonly limits: string
  /** Origins that may be called. */
  readonly origins: readonly string[]
  readonly confirms: boolean
}

function addQuote(server: McpServer, { quotes, limits, origins }: Calling): void {
  server.registerTool(
    'quote',
    {
      title: 'Quote a call',
      description: `The price of a call, not paid. ${limits}`,
      inputSchema: callShape,
      annotations: { readOnlyHint: true },
    },
    async (args, { mcpReq: { signal } }) =>
      orError(async () => {
        const quoted = await quotes.quote(toRequest(args, origins), signal)
        if ('content' in quoted) return quoted
        const { id, offer } = quoted
        const { scheme, amount, payTo, description } = offer
        return jsonResult({
          quote_id: id,
          price_usd: formatUsd(amount),
          scheme,
          pay_to: payTo,
          description,
          note: SELLERS_WORDS,
        })
      }),
  )
}

function addCall(server: McpServer, { buyer, quotes, limits, origins, confirms }: Calling): void {
  server.registerTool(
    'call',
    {
      title: 'Call and pay',
      description: `Calls an operation and pays for it. ${limits} The same call again, after its answer was lost, is not paid twice.`,
      inputSchema: callShape,
      annotations: { destructiveHint: true, openWorldHint: true },
    },
    async (args, context) =>
      orError(async () => {
        const request = toRequest(args, origins)
        const { signal } = context.mcpReq
        if (!confirms) return toAnswer(await buyer.buy(request, { signal }), signal)
        if (!canAsk(server, context))
          throw new Error('this client cannot ask its person: use quote, then buy')
        return askPerson(context, quotes, () => quotes.quote(request, signal))
      }),
  )
}

function addBuy(server: McpServer, quotes: Quotes): void {
  server.registerTool(
    'buy',
    {
      title: 'Buy a quoted call',
      description:
        'Pays for a quoted call and returns its answer. The client asks its person, or has the call of this tool approved.',
      inputSchema: z.object({ quote_id: z.string(), price_usd: z.string().describe('The quoted price.') }),
      annotations: { destructiveHint: true, openWorldHint: true },
    },
    async ({ quote_id, price_usd }, context) =>
      orError(async () => {
        const quoted = quotes.find(quote_id)
        if (price_usd !== formatUsd(quoted.offer.amount)) throw new Error('the quote has another price')
        if (canAsk(server, context)) return askPerson(context, quotes, async () => quoted)
        return quotes.buy(quote_id, context.mcpReq.signal)
      }),
  )
}
