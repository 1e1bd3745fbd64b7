import { inspect } from 'node:util'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { openSettlementStage } from '@tollbook/testing/payments/settlement-stage'
import type { FacilitatorClient } from '@x402/core/server'
import fc from 'fast-check'
import { numberToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { CHANNEL_DEPOSIT, openChannelShop } from '../facilitator/channel-shop.ts'
import { startFacilitator } from '../facilitator/facilitator-stage.ts'
import { ALLOWED, breakBody, type FacilitatorFuzz } from './fuzz-facilitator.ts'

const PAYEE = `0x${'5d'.repeat(20)}` as const
/** Requests for each deposit that was signed and not sent. */
const CASES_PER_DEPOSIT = 20

/**
 * Sends the facilitator requests of a stock server about channels with one or two faults in their JSON: claims,
 * payouts and refunds that have been settled, and new deposits. Reports failures, and transactions other than one for
 * each deposit that was answered with success.
 */
export async function fuzzChannels(cases: number, seed: number): Promise<FacilitatorFuzz> {
  const stage = await openSettlementStage()
  const facilitator = await startFacilitator(stage, null, {
    settings: { TOLLBOOK_UNPAID_PER_MINUTE: '1000000', TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '0' },
  })
  const random = createRandom(seed)
  const wild = fc.sample(fc.jsonValue(), { numRuns: cases, seed })
  const violations: string[] = []
  const settled = new Set<object>()
  const countTransactions = async () =>
    Number(await stage.chain.rpc.call('eth_getTransactionCount', [devFacilitatorAddress, 'latest']))
  try {
    const bodies: object[] = []
    let isSending = true
    const recording: FacilitatorClient = {
      getSupported: () => facilitator.client.getSupported(),
      verify: (...request) => facilitator.client.verify(...request),
      settle: async (paymentPayload, paymentRequirements) => {
        bodies.push(structuredClone({ x402Version: 2, paymentPayload, paymentRequirements }))
        if (!isSending) throw new Error('recorded, not sent')
        return facilitator.client.settle(paymentPayload, paymentRequirements)
      },
    }
    const { manager, openClient } = openChannelShop(recording, PAYEE)
    const deposits = Math.ceil(cases / CASES_PER_DEPOSIT)
    const key = await stage.newPayer(BigInt(deposits + 1) * CHANNEL_DEPOSIT)
    const client = openClient(key, stage.chain.rpcUrl)
    await client.buy()
    await manager.claim()
    await manager.settle()
    await client.refund()
    const old = new Set(bodies)
    isSending = false
    for (let at = 1; at <= deposits; at += 1)
      await openClient(key, stage.chain.rpcUrl, numberToHex(at, { size: 32 })).buy()

    const read = async () => ({
      payer: await stage.balanceOf(privateKeyToAddress(key)),
      payee: await stage.balanceOf(PAYEE),
      sent: await countTransactions(),
    })
    const before = await read()
    for (let at = 0; at < cases; at += 1) {
      const body = bodies[Math.floor(random() * bodies.length)] ?? {}
      const text = breakBody(structuredClone(body), random, wild[at])
      const path = random() < 0.3 ? '/verify' : '/settle'
      const { status, body: answer } = await facilitator.post(path, text)
      if (!ALLOWED.has(status)) violations.push(`${path} ${status}: ${text.slice(0, 4_000)}`)
      if (path === '/settle' && answer.success === true && !old.has(body)) settled.add(body)
      if (status !== 200 && (answer.success === true || answer.isValid === true))
        violations.push(`${path} ${status} and a success: ${text.slice(0, 4_000)}`)
    }
    const after = await read()
    const moved = BigInt(settled.size) * CHANNEL_DEPOSIT
    if (
      after.sent - before.sent !== settled.size ||
      before.payer - after.payer !== moved ||
      after.payee !== before.payee
    )
      violations.push(`${settled.size} deposits, but ${inspect(before)} became ${inspect(after)}`)
  } finally {
    await facilitator.close()
    await stage.close()
  }
  return { requests: cases, settled: settled.size, violations }
}
