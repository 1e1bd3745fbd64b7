import { formatUsd } from '@tollbook/chain/usdc'
import { readEventData } from '@tollbook/flow/event-stream'
import { chargeOf, type Offer, readSettlement } from '../src/offer.ts'
import { readWhole } from '../src/pay.ts'
import { lost, toError } from './tollbook-error.ts'
import type { Events, Receipt, Result } from './types.ts'

/** What was signed, and by which account. */
type Paid = { readonly offer: Offer; readonly payer: string }

/** @throws TollbookError for an error, and for an answer that does not arrive. */
export async function toResult(
  response: Response,
  paid: Paid | null,
  again?: () => Promise<Response>,
): Promise<Result<unknown>> {
  const { body, headers, ok } = response
  const contentType = headers.get('content-type') ?? ''
  if (ok && body && /^text\/event-stream|^application\/x-ndjson/.test(contentType)) {
    const result = { data: undefined as unknown, contentType, receipt: toReceipt(headers, paid) }
    // A metered stream ends with its receipt.
    const onComment = (text: string) => {
      const [name, value = ''] = text.split(' ')
      if (name === 'payment-response')
        result.receipt = toReceipt(new Headers({ 'payment-response': value }), paid)
    }
    const texts = contentType.startsWith('text/') ? readEventData(body, onComment) : readLines(body)
    result.data = readEvents(texts, () => result.receipt)
    return result
  }
  const whole = await readWhole(response, again).catch((error: unknown) => {
    throw lost(error, again !== undefined)
  })
  const type = whole.headers.get('content-type') ?? ''
  const { bytes } = whole
  const data = /[/+]json\b/.test(type) ? parse(bytes) : /^text\//.test(type) ? toText(bytes) : bytes
  const receipt = toReceipt(whole.headers, paid)
  if (!whole.ok) throw toError(whole.status, data, receipt)
  return { data, contentType: type, receipt }
}

/** The receipt of a settled payment; null without one. */
function toReceipt(headers: Headers, paid: Paid | null): Receipt | null {
  const settlement = readSettlement({ headers })
  if (!paid || !settlement?.success) return null
  const { transaction, payer = paid.payer } = settlement
  return { transaction, payer, amountUsd: formatUsd(chargeOf(paid.offer, settlement)) }
}

async function* readEvents(texts: AsyncIterable<string>, receipt: () => Receipt | null): Events {
  try {
    for await (const text of texts) if (text !== '[DONE]') yield JSON.parse(text)
  } catch (error) {
    throw lost(error, true, receipt())
  }
}

async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function parse(bytes: Uint8Array): unknown {
  const text = toText(bytes)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
