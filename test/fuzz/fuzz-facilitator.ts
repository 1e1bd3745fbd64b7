import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage } from '@tollbook/testing/payments/settlement-stage'
import fc from 'fast-check'
import { startFacilitator, toBody, toBodyV1 } from '../facilitator/facilitator-stage.ts'

const PAYEE = `0x${'5e'.repeat(20)}` as const
const AMOUNT = 1500n

/** Statuses of answers and refusals. */
export const ALLOWED = new Set([200, 400, 413])
const WRONG: readonly unknown[] = [
  null,
  [],
  {},
  '',
  '0x',
  -1,
  1e300,
  true,
  '9'.repeat(78),
  '9'.repeat(400),
  '-1',
  `0x${'00'.repeat(20)}`,
  `0x${'6e'.repeat(20)}`,
  `0x${'ff'.repeat(65)}`,
  'batch-settlement',
  'upto',
  'eip155:84532',
  'x'.repeat(100_000),
  1,
  2,
  JSON.parse('{"__proto__":{"x":1}}'),
]

export type FacilitatorFuzz = {
  readonly requests: number
  readonly settled: number
  readonly violations: readonly string[]
}

/**
 * Sends the facilitator signed payments with one or two faults in their JSON, in both versions and of both endpoints.
 * Reports failures, and money that moved without an answer that says so.
 */
export async function fuzzFacilitator(cases: number, seed: number): Promise<FacilitatorFuzz> {
  const stage = await openSettlementStage()
  const facilitator = await startFacilitator(stage, null, {
    settings: { TOLLBOOK_UNPAID_PER_MINUTE: '1000000', TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '0' },
  })
  const violations: string[] = []
  const random = createRandom(seed)
  const wild = fc.sample(fc.jsonValue(), { numRuns: cases, seed })
  const settled = new Set<string>()
  try {
    const key = await stage.newPayer(BigInt(cases + 1) * AMOUNT)
    for (let at = 0; at < cases; at += 1) {
      const payment = await makeExact(key, exactTerms(`${AMOUNT}`, { payTo: PAYEE }))
      const body: object = random() < 0.5 ? toBody(payment) : toBodyV1(payment)
      const text = breakBody(body, random, wild[at])
      const path = random() < 0.3 ? '/verify' : '/settle'
      const { status, body: answer } = await facilitator.post(path, text)
      if (!ALLOWED.has(status)) violations.push(`${path} ${status}: ${text.slice(0, 2_000)}`)
      if (path === '/settle' && answer.success === true) settled.add(payment.nonce)
      if (status !== 200 && (answer.success === true || answer.isValid === true))
        violations.push(`${path} ${status} and a success: ${text.slice(0, 2_000)}`)
    }
    const earned = await stage.balanceOf(PAYEE)
    if (earned !== BigInt(settled.size) * AMOUNT)
      violations.push(`${settled.size} settlements of ${AMOUNT}, but ${earned} moved`)
  } finally {
    await facilitator.close()
    await stage.close()
  }
  return { requests: cases, settled: settled.size, violations }
}

/** A body with one or two faults, as JSON. */
export function breakBody(body: object, random: Random, wild: unknown): string {
  for (let fault = 0; fault < 1 + random() * 2; fault += 1) breakOne(body, random, wild)
  return breakText(JSON.stringify(body), random)
}

/** Replaces or removes one member somewhere. */
function breakOne(body: object, random: Random, wild: unknown): void {
  const places: [Record<string, unknown>, string][] = []
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, name])
      walk(member)
    }
  }
  walk(body)
  const [parent, name] = places[Math.floor(random() * places.length)] ?? []
  if (!parent || name === undefined) return
  const wrong = WRONG[Math.floor(random() * WRONG.length)]
  const kind = random()
  if (kind < 0.15) delete parent[name]
  else if (kind < 0.25) parent[`${name}s`] = parent[name]
  else parent[name] = structuredClone(kind < 0.5 ? wild : wrong)
}

/** Some bodies are cut, nested deeply, or have a member twice. */
function breakText(text: string, random: Random): string {
  const kind = random()
  if (kind < 0.03) return text.slice(0, Math.floor(random() * text.length))
  if (kind < 0.06) return text.replace('{', `{"more":${'['.repeat(3_000)}${']'.repeat(3_000)},`)
  if (kind < 0.09) return text.replace('{', '{"paymentPayload":{},"x402Version":1,')
  return text
}
