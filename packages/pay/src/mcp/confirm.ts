import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { formatUsd } from '@tollbook/chain/usdc'
import type { ToolResult } from '@tollbook/endpoints/mcp/tool-result'
import type { Quoted, Quotes } from './quotes.ts'

/** Whether the client can ask its person. */
export function canAsk({ server }: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities>> | undefined
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  return capabilities?.elicitation !== undefined
}

/**
 * Buys what the client's person confirms. The person is asked with the price; the same tool call then comes again,
 * with the answer.
 * @throws Error if the person does not confirm.
 */
export async function askPerson(
  { mcpReq }: ServerContext,
  quotes: Quotes,
  find: () => Promise<Quoted | ToolResult>,
): Promise<ToolResult | InputRequiredResult> {
  const reply = inputResponse(mcpReq.inputResponses, 'pay')
  const quoteId = mcpReq.requestState<string>() ?? ''
  if (reply.kind === 'elicit' && reply.action === 'accept') return quotes.buy(quoteId, mcpReq.signal)
  if (reply.kind !== 'missing') {
    quotes.remove(quoteId)
    throw new Error('not paid: the payment was not confirmed')
  }
  const quoted = await find()
  if ('content' in quoted) return quoted
  const { id, request, offer } = quoted
  const price = `${offer.scheme === 'upto' ? 'at most ' : ''}$${formatUsd(offer.amount)}`
  const message = `Pay ${price} to ${offer.payTo} for ${request.method} ${request.url}?`
  const pay = inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } })
  return inputRequired({ inputRequests: { pay }, requestState: id })
}
