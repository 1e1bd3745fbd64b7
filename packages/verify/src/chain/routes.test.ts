import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from '@tollbook/chain/hex'
import fc from 'fast-check'
import { BASE_CONTRACTS } from './contracts.ts'
import { NO_TERMS } from './escrow-terms.ts'
import { joinPayments } from './join.ts'
import type { Log } from './log.ts'
import { EVIDENCE } from './payment.ts'

const FACILITATOR = `0x${'f'.repeat(40)}` as const
const PAYER = '0x1cec447d00000000000000000000000000000001'
const ROUTER = '0x00000000000000000000000000000000000a0001'
const SECOND = '0x00000000000000000000000000000000000a0002'
const THIRD = '0x00000000000000000000000000000000000a0003'
const FOURTH = '0x00000000000000000000000000000000000a0004'
const SELLER = '0xfe8f511d00000000000000000000000000000001'
const OTHER = '0xfe8f511d00000000000000000000000000000002'

test('a payment through an unknown router belongs to the seller, with what the seller received', () => {
  // Transaction 0x9e073fc0e27ff29851e277f980c9512dcf82711f4584d16ab2378cadb9a00532 of Base: 9.160406 in,
  // 9.068802 to the seller, 99.0 %.
  const paid = join([used(PAYER), transfer(PAYER, ROUTER, 9_160_406n), transfer(ROUTER, SELLER, 9_068_802n)])
  // 9.160406 - 9.068802 = 0.091604.
  assert.deepEqual(paid, ['payer pays seller 9068802 at 2 (routed, fee 91604)'])
})

test('a recipient that keeps more than a tenth is a merchant that spends, not a router', () => {
  const logs = (share: bigint) => [
    used(PAYER),
    transfer(PAYER, ROUTER, 1_000n),
    transfer(ROUTER, SELLER, share),
  ]
  assert.deepEqual(join(logs(899n)), ['payer pays router 1000 at 1'])
  assert.deepEqual(join(logs(900n)), ['payer pays seller 900 at 2 (routed, fee 100)'])
})

test('a known router passes on whatever share it likes', () => {
  const logs = [used(PAYER), transfer(PAYER, ROUTER, 1_000n), transfer(ROUTER, SELLER, 500n)]
  assert.deepEqual(join(logs, [ROUTER]), ['payer pays seller 500 at 2 (routed, fee 500)'])
})

test('a split pays each recipient, and change to the payer is paid to nobody', () => {
  const logs = [
    used(PAYER),
    transfer(PAYER, ROUTER, 1_000n),
    transfer(ROUTER, SELLER, 500n),
    transfer(ROUTER, PAYER, 100n),
    transfer(ROUTER, OTHER, 390n),
  ]
  // The router kept 10: floor(10 * 500 / 890) = 5, and the rest.
  assert.deepEqual(join(logs), [
    'payer pays seller 500 at 2 (routed, fee 5)',
    'payer pays other 390 at 4 (routed, fee 5)',
  ])
})

test('money that all returns to the payer stays a payment to its first recipient, for the screens', () => {
  const logs = [used(PAYER), transfer(PAYER, ROUTER, 1_000n), transfer(ROUTER, PAYER, 1_000n)]
  assert.deepEqual(join(logs), ['payer pays router 1000 at 1'])
})

test('up to three routers are followed', () => {
  const path = (...wallets: readonly Address[]) =>
    wallets.slice(1).map((to, at) => transfer(wallets[at] ?? PAYER, to, 100n))
  const three = [used(PAYER), ...path(PAYER, ROUTER, SECOND, THIRD, SELLER)]
  assert.deepEqual(join(three), ['payer pays seller 100 at 4 (routed)'])
  const four = [used(PAYER), ...path(PAYER, ROUTER, SECOND, THIRD, FOURTH, SELLER)]
  assert.deepEqual(join(four), ['payer pays fourth 100 at 4 (routed)'])
})

test('a batch of payments is no route: an authorized transfer passes nothing on', () => {
  const logs = [
    used(PAYER),
    transfer(PAYER, ROUTER, 100n),
    used(ROUTER),
    transfer(ROUTER, SELLER, 100n),
    used(OTHER),
    transfer(OTHER, SELLER, 100n),
  ]
  assert.deepEqual(join(logs), [
    'payer pays router 100 at 1',
    'router pays seller 100 at 3',
    'other pays seller 100 at 5',
  ])
})

test('two payments through one router keep their sellers', () => {
  const logs = [
    used(PAYER),
    transfer(PAYER, ROUTER, 100n),
    used(OTHER),
    transfer(OTHER, ROUTER, 200n),
    transfer(ROUTER, SELLER, 99n),
    transfer(ROUTER, THIRD, 198n),
  ]
  assert.deepEqual(join(logs), [
    'payer pays seller 99 at 4 (routed, fee 1)',
    'other pays third 198 at 5 (routed, fee 2)',
  ])
})

test('a deposit into an escrow is no payment, whether direct or over its collector', () => {
  for (const custodian of BASE_CONTRACTS.custodians) {
    assert.deepEqual(join([used(PAYER), transfer(PAYER, custodian, 100n)]), [])
    const routed = [used(PAYER), transfer(PAYER, ROUTER, 100n), transfer(ROUTER, custodian, 100n)]
    assert.deepEqual(join(routed), [])
  }
})

test('over any logs, no transfer is counted twice and nobody receives more than was authorized', () => {
  const wallet = fc.constantFrom<Address>(PAYER, ROUTER, SECOND, SELLER, OTHER)
  const entry = fc.record({
    from: wallet,
    to: wallet,
    amount: fc.bigInt(0n, 1_000n),
    isAuthorized: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 12 }),
      fc.subarray<Address>([ROUTER, SECOND]),
      (entries, routers) => {
        const logs = entries.flatMap(({ from, to, amount, isAuthorized }) =>
          isAuthorized ? [used(from), transfer(from, to, amount)] : [transfer(from, to, amount)],
        )
        const payments = pay(logs, routers)
        const places = payments.map(({ logIndex }) => logIndex)
        assert.equal(new Set(places).size, places.length)
        for (const buyer of [PAYER, ROUTER, SECOND, SELLER, OTHER] as const) {
          const authorized = entries.filter(({ from, isAuthorized }) => isAuthorized && from === buyer)
          const paid = payments.filter((payment) => payment.buyer === buyer)
          const fees = paid.reduce((total, { fee = 0n }) => total + fee, 0n)
          assert.ok(paid.every(({ fee = 0n }) => fee >= 0n))
          assert.ok(sum(paid) + fees <= sum(authorized))
        }
      },
    ),
  )
})

type BareLog = Log extends infer Each ? (Each extends Log ? Omit<Each, 'logIndex'> : never) : never

function sum(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n)
}

function pay(bare: readonly BareLog[], routers: readonly Address[]) {
  const logs = bare.map((log, logIndex) => ({ ...log, logIndex }) as Log)
  const receipt = {
    transaction: `0x${'1'.repeat(64)}`,
    blockHash: `0x${'2'.repeat(64)}`,
    blockNumber: 1,
    sender: FACILITATOR,
    toldTimestamp: 2,
    logs,
  } as const
  const { custodians } = BASE_CONTRACTS
  return joinPayments([receipt], { custodians, routers: new Set(routers), terms: NO_TERMS, timeOf: () => 2 })
    .payments
}

function join(bare: readonly BareLog[], routers: readonly Address[] = []): readonly string[] {
  const names = new Map<Address, string>([
    [PAYER, 'payer'],
    [ROUTER, 'router'],
    [THIRD, 'third'],
    [FOURTH, 'fourth'],
    [SELLER, 'seller'],
    [OTHER, 'other'],
  ])
  return pay(bare, routers).map(({ buyer, merchant, amount, fee, logIndex, evidence }) => {
    const how = (evidence & EVIDENCE.routed) === 0 ? '' : ` (routed${fee ? `, fee ${fee}` : ''})`
    return `${names.get(buyer)} pays ${names.get(merchant)} ${amount} at ${logIndex}${how}`
  })
}

function used(payer: Address): BareLog {
  return { kind: 'authorization used', payer: toTopic(payer) }
}

function transfer(from: Address, to: Address, amount: bigint): BareLog {
  return { kind: 'transfer', payer: toTopic(from), payee: toTopic(to), amount }
}

function toTopic(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}
