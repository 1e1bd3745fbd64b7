import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address } from '@tollbook/chain/hex'
import { BASE } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { fc } from '@tollbook/testing/property'
import { placeCaptureEscrow, toCapturable } from '@tollbook/testing/report/captures'
import {
  type Call,
  clientAccount,
  sendCall,
  toAuthorizedTransfer,
  toBatch,
  toPermit2Approval,
  toPermit2Settlement,
  toPlainTransfer,
} from '@tollbook/testing/report/chain-payments'
import { toChannel, toEscrowCall } from '@tollbook/testing/report/channel-week'
import { readChain } from '@tollbook/testing/report/read-chain'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { readMerchant } from '@tollbook/verify/recompute/read-merchant'

const FACILITATOR: Address = `0x${'fa'.repeat(20)}`
const SHOPS: readonly Address[] = [`0x${'5a'.repeat(20)}`, `0x${'5b'.repeat(20)}`]
/** Everything is sent through this contract, which is also the router and the channels' authorizer. */
const BATCHER = CONTRACTS.multicall3
const TRANSACTIONS = 80

/** Payer, merchant and amount of a payment. */
type Expected = readonly [Address, Address, bigint]
type Done = { readonly calls: readonly Call[]; readonly paid: readonly Expected[] }

const SIGNED = ['exact', 'self', 'permit', 'upto'] as const
const CHANNEL = ['topUp', 'claim', 'settle', 'refund'] as const
const CAPTURE = ['authorize', 'capture', 'void', 'charge'] as const
/** What operators keep of captures and charges. */
const [FEE_BPS, FEE_RECEIVER] = [300, walletOf(7)]

type Operation = {
  readonly kind: (typeof SIGNED | typeof CHANNEL | typeof CAPTURE)[number]
  readonly payer: number
  readonly shop: number
  readonly amount: bigint
}
const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom(...SIGNED, ...CHANNEL, ...CAPTURE),
  payer: fc.nat({ max: 2 }),
  shop: fc.nat({ max: 1 }),
  amount: fc.bigInt(1n, 50_000n),
})
const transaction = fc.record({
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
  /** The percentages that a router keeps and that the second shop gets; null: nothing is routed. */
  route: fc.option(fc.tuple(fc.bigInt(0n, 10n), fc.bigInt(0n, 40n)), { freq: 2 }),
})

let chain: DevChain
before(async () => {
  chain = await startDevChain({ port: 0 })
  await chain.fundGas(FACILITATOR)
  await placeCaptureEscrow(chain)
  for (const payer of [0, 1, 2]) await sendCall(chain, walletOf(payer), toPermit2Approval())
})
after(() => chain.close())

test('any mix of ways to pay gives exactly its payments, also in one transaction', async () => {
  const channels = [0, 1, 2].map((payer) => openChannel(payer))
  const claimed = new Map(SHOPS.map((shop) => [shop, { total: 0n, settled: 0n }]))
  const expected: Expected[] = []
  const held = new Map<number, { left: bigint; to: Address; of: Awaited<ReturnType<typeof toCapturable>> }>()
  let salt = 0
  let fees = 0n

  function openChannel(payer: number) {
    const shop = SHOPS[payer % 2] ?? '0x'
    return { shop, balance: 0n, total: 0n, ...toChannel(payer, shop, BATCHER) }
  }

  async function play({ kind, payer, shop: at, amount }: Operation): Promise<Done> {
    const to = SHOPS[at] ?? '0x'
    const signed = { payer, to, amount, salt: `mixed ${salt++}` }
    const pays = (calls: readonly Call[], paid = amount): Done => ({
      calls,
      paid: [[walletOf(payer), to, paid]],
    })
    const channel = channels[payer]
    const account = claimed.get(channel?.shop ?? '0x')
    assert(channel && account)
    switch (kind) {
      case 'exact':
        return pays([await toAuthorizedTransfer(signed)])
      case 'self': {
        const own = walletOf(payer)
        return { calls: [await toAuthorizedTransfer({ ...signed, to: own })], paid: [[own, own, amount]] }
      }
      case 'permit':
        return pays([await toPermit2Settlement(signed)])
      case 'upto': {
        const settled = (amount + 1n) / 2n
        return pays([await toPermit2Settlement(signed, { facilitator: BATCHER, settled })], settled)
      }
      case 'topUp':
        channel.balance += amount
        return { calls: [toEscrowCall('deposit', await channel.deposit(amount))], paid: [] }
      case 'claim': {
        const free = channel.balance - channel.total
        const part = amount < free ? amount : free
        if (part === 0n) return NOTHING
        channel.total += part
        account.total += part
        const calls = [toEscrowCall('claim', [[await channel.claim(channel.total)]])]
        return { calls, paid: [[walletOf(payer), channel.shop, part]] }
      }
      case 'settle':
        if (account.total === account.settled) return NOTHING
        account.settled = account.total
        return { calls: [toEscrowCall('settle', [channel.shop, BASE.usdc])], paid: [] }
      case 'refund': {
        const free = channel.balance - channel.total
        if (free === 0n) return NOTHING
        channel.balance -= amount < free ? amount : free
        return { calls: [toEscrowCall('refund', [channel.config, amount])], paid: [] }
      }
      case 'authorize': {
        if (held.has(payer)) return NOTHING
        const of = await toCapturable({
          payer,
          receiver: to,
          operator: BATCHER,
          max: 2n * amount,
          salt: BigInt(salt),
        })
        held.set(payer, { left: amount, to, of })
        return { calls: [of.authorize(amount)], paid: [] }
      }
      case 'capture': {
        const own = held.get(payer)
        if (!own?.left) return NOTHING
        const part = amount < own.left ? amount : own.left
        own.left -= part
        const calls = [own.of.capture(part, FEE_BPS, FEE_RECEIVER)]
        return { calls, paid: [[walletOf(payer), own.to, lessFee(part)]] }
      }
      case 'void': {
        const own = held.get(payer)
        held.delete(payer)
        return own ? { calls: [own.of.void()], paid: [] } : NOTHING
      }
      case 'charge': {
        const of = await toCapturable({
          payer,
          receiver: to,
          operator: BATCHER,
          max: amount,
          salt: BigInt(salt),
        })
        return pays([of.charge(amount, FEE_BPS, FEE_RECEIVER)], lessFee(amount))
      }
    }
  }

  function lessFee(amount: bigint): bigint {
    const fee = (amount * BigInt(FEE_BPS)) / 10_000n
    fees += fee
    return amount - fee
  }

  /** A payment to the router, which passes it on to one shop or two. */
  async function playRoute([kept, other]: readonly [bigint, bigint]): Promise<Done> {
    const amount = 100_000n
    const payer = 2
    fees += (amount * kept) / 100n
    const parts = [100n - kept - other, other].map((percent) => (amount * percent) / 100n)
    const signed = { payer, to: BATCHER, amount, salt: `mixed ${salt++}` }
    const provided = parts.flatMap((part, at) => (part > 0n ? [[SHOPS[at] ?? '0x', part] as const] : []))
    return {
      calls: [
        await toAuthorizedTransfer(signed),
        ...provided.map(([shop, part]) => toPlainTransfer(shop, part)),
      ],
      paid: provided.map(([shop, part]) => [walletOf(payer), shop, part]),
    }
  }

  for (const { operations, route } of fc.sample(transaction, TRANSACTIONS)) {
    const done: Done[] = []
    for (const each of operations) done.push(await play(each))
    if (route) done.splice(done.length >> 1, 0, await playRoute(route))
    const calls = done.flatMap((each) => each.calls)
    if (calls.length === 0) continue
    await sendCall(chain, FACILITATOR, toBatch(calls))
    expected.push(...done.flatMap(({ paid }) => paid))
  }

  const { payments, misses } = await readChain(chain.rpcUrl)
  assert.equal(misses, 0)
  assert.deepEqual(
    payments.map(({ buyer, merchant, amount }) => [buyer, merchant, amount]),
    expected,
  )
  assert.equal(
    payments.reduce((sum, { fee = 0n }) => sum + fee, 0n),
    fees,
  )
  assert(expected.length > 2 * TRANSACTIONS)

  const head = Number(await chain.rpc.call('eth_blockNumber'))
  for (const shop of SHOPS) {
    const { received } = await readMerchant(
      {
        rpc: createReadRpc({ url: chain.rpcUrl }),
        contracts: BASE_CONTRACTS,
        facilitators: new Set(),
        wallets: [shop],
        firstBlock: 0,
        endBlock: head + 1,
      },
      new AbortController().signal,
    )
    assert.deepEqual(
      received,
      payments.filter(({ merchant }) => merchant === shop),
    )
  }
})

const NOTHING: Done = { calls: [], paid: [] }

function walletOf(account: number): Address {
  return clientAccount(account).address.toLowerCase() as Address
}
