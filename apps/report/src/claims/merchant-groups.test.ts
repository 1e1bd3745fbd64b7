import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import type { SourcedListing } from '../listings/listing.ts'
import { findMerchantGroups } from './merchant-groups.ts'

const [ANN, BEN, EVE, MAX] = ['a', 'b', 'e', 'f'].map((digit): Address => `0x${digit.repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
]
const SHOP = 'shop.example'

/** @param source `own` for the host's own document. */
function list(payTo: Address, host = SHOP, source = 'own'): SourcedListing {
  const common = { price: 1n, schemes: ['exact'], description: '', operation: '', lastSeen: new Date(0) }
  const origin = source === 'own' ? `https://${host}/openapi.json` : source
  return { ...common, resource: `https://${host}/`, host, payTo, source: origin }
}

function find(
  listings: readonly SourcedListing[],
  more: {
    readonly vouched?: readonly (readonly [Address, string])[]
    readonly disclosed?: readonly (readonly [Address, Address])[]
  } = {},
) {
  const vouched = new Map(more.vouched?.map(([wallet, host]) => [wallet, new Set([host])]))
  const proofs = [...Map.groupBy(listings, ({ payTo }) => payTo)].map(
    ([wallet, own]) => [wallet, { listings: own, vouchedNames: vouched.get(wallet) ?? new Set() }] as const,
  )
  const disclosed = [...Map.groupBy(more.disclosed ?? [], ([signer]) => signer)].map(
    ([signer, pairs]) => [signer, new Set(pairs.map(([, named]) => named))] as const,
  )
  return findMerchantGroups(new Map(proofs), new Map(disclosed)).map(({ host, wallets }) => [
    host,
    ...wallets,
  ])
}

const both = [
  [ANN, SHOP],
  [BEN, SHOP],
] as const

test('wallets that a host and two other parties name belong to the host', () => {
  assert.deepEqual(find([list(BEN), list(ANN)], { vouched: both }), [[SHOP, ANN, BEN]])
  // With `www.` it is the same host; a single wallet is no roll-up.
  assert.deepEqual(find([list(ANN, `www.${SHOP}`), list(BEN)], { vouched: both }), [[SHOP, ANN, BEN]])
  assert.deepEqual(find([list(ANN)], { vouched: both }), [])
})

test('a host cannot attach the wallet of a stranger', () => {
  const mine = [list(ANN), list(BEN)]
  // Its own document alone, and one catalogue that it paid for.
  assert.deepEqual(find([...mine, list(EVE)], { vouched: both }), [[SHOP, ANN, BEN]])
  // Two catalogues, for a wallet that its owner's host names, too, or that is listed under it more often.
  const vouched = [...both, [EVE, SHOP]] as const
  const named = [list(EVE), list(EVE, SHOP, 'https://c.example'), list(EVE, 'famous.example')]
  assert.deepEqual(find([...mine, ...named], { vouched }), [[SHOP, ANN, BEN]])
  const catalogues = ['https://c.example', 'https://d.example']
  const listed = [list(EVE), ...catalogues.map((source) => list(EVE, 'famous.example', source))]
  assert.deepEqual(find([...mine, ...listed], { vouched }), [[SHOP, ANN, BEN]])
})

test('a stranger cannot attach its wallet to a host', () => {
  const vouched = [...both, [EVE, SHOP]] as const
  // Two catalogues list it for the host, which does not name it.
  const listings = [list(ANN), list(BEN), list(EVE, SHOP, 'https://c.example')]
  assert.deepEqual(find(listings, { vouched }), [[SHOP, ANN, BEN]])
})

test('claims join wallets only if each names the other', () => {
  const listings = [list(ANN)]
  const vouched = [[ANN, SHOP]] as const
  assert.deepEqual(find(listings, { vouched, disclosed: [[ANN, EVE]] }), [])
  assert.deepEqual(find(listings, { vouched, disclosed: [[EVE, ANN]] }), [])
  const mutual = [
    [ANN, BEN],
    [BEN, ANN],
    [BEN, MAX],
    [MAX, BEN],
  ] as const
  assert.deepEqual(find(listings, { vouched, disclosed: mutual }), [[SHOP, ANN, BEN, MAX]])
  // Without a host that is proven for one of them, there is no group to name.
  assert.deepEqual(find(listings, { disclosed: mutual }), [])
})

test('a wallet with a host of its own stays there', () => {
  const vouched = [
    [ANN, SHOP],
    [BEN, 'other.example'],
  ] as const
  const disclosed = [
    [ANN, BEN],
    [BEN, ANN],
  ] as const
  assert.deepEqual(find([list(ANN), list(BEN, 'other.example')], { vouched, disclosed }), [])
})
