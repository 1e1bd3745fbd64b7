import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '../../chain/hex.ts'
import { MAX_WALLETS, selectWallets } from './prepare-flows.ts'

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
