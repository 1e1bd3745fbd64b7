import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import { WORK_ROUTES, type WorkName } from '@tollbook/testing/frameworks/work'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

/** A payment, and what its buyer got for it. */
export type GatePurchase = {
  readonly route: WorkName
  readonly nonce: string
  readonly amount: bigint
  /** Each different whole answer with status 200 or 201. */
  readonly answers: ReadonlySet<string>
  /** Why it ended without an answer; absent with one. */
  readonly refusal?: string
}

const BOUGHT: readonly WorkName[] = ['word', 'echo', 'stream', 'large', 'missing', 'throws']
/** After the answer, a payment is sent again as often. */
const REPEATS = 1
const PAUSE_MS = 60
/** Longer than the lifetime of a payment. */
const MAX_MS = 150_000

/**
 * Buys one answer with the client of the x402 SDK, and sends its payment until it gets an answer or is refused for good.
 * @param urlOf the address of the server that runs now
 */
export async function buyFromGate(
  key: `0x${string}`,
  urlOf: () => string,
  random: Random,
): Promise<GatePurchase | null> {
  const route = BOUGHT[Math.floor(random() * BOUGHT.length)] ?? 'word'
  const { method, path } = WORK_ROUTES[route]
  const target = path.replace(':name', `w${Math.floor(random() * 1e9)}`)
  const body = method === 'POST' ? JSON.stringify({ text: 'x'.repeat(random() * 50_000) }) : undefined
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(`${urlOf()}${target}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    })
    return { response, text: await response.text() }
  }
  const unpaid = await patiently(() => ask({}))
  const header = unpaid?.response.headers.get('payment-required')
  if (!header) return null
  const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(key)))
  const payload = await client.createPaymentPayload(decodePaymentRequiredHeader(header))
  const { nonce, value } = (payload.payload as { authorization: { nonce: string; value: string } })
    .authorization
  const paid = { 'payment-signature': encodePaymentSignatureHeader(payload) }
  const answers = new Set<string>()
  const purchase = { route, nonce: nonce.toLowerCase(), amount: BigInt(value), answers }
  const startedMs = performance.now()
  for (let left = REPEATS; performance.now() - startedMs < MAX_MS; ) {
    const asked = await ask(paid).catch(() => null)
    const status = asked?.response.status
    if (asked && (status === 200 || status === 201)) {
      answers.add(asked.text)
      left -= 1
      if (left < 0) return purchase
    } else if (asked && isFinal(status ?? 0, asked.text, route))
      return { ...purchase, refusal: `${status} ${asked.text.slice(0, 200)}` }
    await delay(PAUSE_MS)
  }
  return { ...purchase, refusal: 'no end' }
}

/** Whether the same payment can get nothing more. */
function isFinal(status: number, text: string, route: WorkName): boolean {
  if (route === 'missing' && status === 404) return true
  if (route === 'throws' && status === 500) return true
  return (status === 402 || status === 409 || status === 403) && !text.includes('payment_in_flight')
}

async function patiently<Result>(act: () => Promise<Result>): Promise<Result | null> {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      return await act()
    } catch {
      await delay(PAUSE_MS)
    }
  }
  return null
}
