import { formatUsd } from '@tollbook/chain/usdc'
import { jsonResult, MAX_ANSWER_BYTES, type ToolResult, toContent } from '@tollbook/endpoints/mcp/tool-result'
import type { Problem } from '@tollbook/http/problem'
import { readBounded } from '@tollbook/http/reply/bounded-body'
import type { Purchase } from '../purchase.ts'

/** A refusal as the model reads it. */
function toError({ code, detail, members }: Partial<Problem>): ToolResult {
  return jsonResult({ ...(code && { code }), detail, ...members }, true)
}

/** The answer of a service, and what it cost. */
export async function toAnswer(purchase: Purchase, signal: AbortSignal): Promise<ToolResult> {
  if (purchase.kind === 'refused') return toError(purchase.problem)
  const { response } = purchase
  const { bytes, end } = await readBounded(response.body, MAX_ANSWER_BYTES)
  const paid = await purchase.close(end === 'whole', signal)
  const payment = paid && {
    charged_usd: paid.state === 'sent' ? null : formatUsd(paid.counted),
    max_usd: formatUsd(paid.amount),
    state: paid.state,
    transaction: paid.transaction,
  }
  const mimeType = response.headers.get('content-type')?.split(';', 1)[0] ?? 'text/plain'
  return {
    ...(!(response.ok && end !== 'failed') && { isError: true }),
    content: [toContent(bytes, mimeType, response.url)],
    structuredContent: { status: response.status, end, payment },
  }
}

/** The result of a tool, or what it throws as an error for the model. */
export async function orError<Result>(work: () => Promise<Result>): Promise<Result | ToolResult> {
  try {
    return await work()
  } catch (error) {
    return toError({ detail: error instanceof Error ? error.message : 'failed' })
  }
}
