import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { MAX_WALLETS, selectNext, selectWallets } from './select-wallets.ts'

/** Wallets in descending order. */
const listWallets = (shop: number, count: number) =>
  Array.from({ length: count }, (_, at): Address => {
    const number = shop * 1_000_000 + count - at
    return `0x${number.toString(16).padStart(40, '0')}`
  })
const [SMALL, LARGE] = listWallets(9, 2) as [Address, Address]
const ofSmall = listWallets(1, 200)

test('the wallets of all merchants together are as many as are read, and each is read', () => {
  for (const merchants of [1, 2, 7]) {
    const found = Array.from({ length: merchants }, (_, at) => {
      return [listWallets(100 + at, 1)[0] as Address, new Set(listWallets(at, MAX_WALLETS + at))] as const
    })
    const followed = selectWallets(new Map(found))
    assert.equal(new Set([...followed.values()].flat()).size, MAX_WALLETS)
    for (const [merchant, own] of found)
      for (const wallet of followed.get(merchant) ?? []) assert(own.has(wallet))
  }
})

test('a merchant with many wallets does not have those of another left out', () => {
  const ofLarge = listWallets(2, 2 * MAX_WALLETS)
  const followed = selectWallets(
    new Map([
      [LARGE, new Set(ofLarge)],
      [SMALL, new Set(ofSmall)],
    ]),
  )
  assert.deepEqual(followed.get(SMALL), ofSmall.toSorted())
  assert.deepEqual(followed.get(LARGE), ofLarge.slice(0, MAX_WALLETS - ofSmall.length).toSorted())
})

test('a wallet on the ways of several merchants is followed for each, and counts once', () => {
  const shared = new Set(ofSmall)
  const followed = selectWallets(
    new Map([
      [LARGE, shared],
      [SMALL, shared],
    ]),
  )
  assert.deepEqual([...followed.values()], [ofSmall.toSorted(), ofSmall.toSorted()])
})

test('a merchant that moves large sums through many wallets does not have the steps of another left out', () => {
  const crowd = listWallets(3, 1_000)
  const [relay = '0x'] = listWallets(4, 1)
  const edges = [
    ...crowd.map((recipient) => ({ sender: LARGE, recipient, amount: 9_000_000n })),
    { sender: SMALL, recipient: relay, amount: 1n },
  ]
  for (const direction of ['out', 'in'] as const) {
    const turned = edges.map(({ sender, recipient, amount }) =>
      direction === 'out' ? { sender, recipient, amount } : { sender: recipient, recipient: sender, amount },
    )
    const frontier = new Map([LARGE, SMALL].map((merchant) => [merchant, merchant]))
    const next = selectNext(turned, { frontier, direction, isKnown: () => false })
    assert.equal(next.size, 1_000)
    assert.equal(next.get(relay), SMALL)
  }
})

test('the largest sums of a merchant come first, and known wallets are left out', () => {
  const wallets = listWallets(5, 1_002)
  const [first = '0x', second = '0x'] = wallets
  const edges = wallets.flatMap((recipient, at) => [
    { sender: LARGE, recipient, amount: BigInt(wallets.length - at) },
    { sender: SMALL, recipient, amount: at === 1 ? 5_000n : 0n },
  ])
  // Both senders stand for one merchant.
  const frontier = new Map([LARGE, SMALL].map((wallet) => [wallet, LARGE]))
  const next = selectNext(edges, { frontier, direction: 'out', isKnown: (wallet) => wallet === first })
  assert.deepEqual([...next.keys()], [second, ...wallets.slice(2, 1_001)])
})
