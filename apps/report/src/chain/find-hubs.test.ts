import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, Hex } from '@tollbook/chain/hex'
import { createTransferNode, NO_LIMITS } from '@tollbook/testing/report/transfer-node'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { findHubs } from './find-hubs.ts'

const signal = new AbortController().signal
const walletOf = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const [EXCHANGE, TREASURY, SHOP] = [walletOf(1), walletOf(2), walletOf(3)] as const
const WINDOW = { firstBlock: 1_000, endBlock: 11_000 }

/** Transfers of one wallet and different partners, half of them in each direction. */
function trade(wallet: Address, partners: number, block: number): readonly Transfer[] {
  return Array.from({ length: partners }, (_, at) => {
    const partner = walletOf(1_000 + at)
    const [sender, recipient] = at % 2 === 0 ? [wallet, partner] : [partner, wallet]
    return {
      blockNumber: block,
      logIndex: at,
      timestamp: NO_LIMITS.timeOf(block),
      transaction: `0x${at.toString(16).padStart(64, '0')}`,
      sender,
      recipient,
      amount: 1_000_000n,
    }
  })
}

/** @param place of the sample: the hash of the last block modulo its 9,701 places. */
async function find(transfers: readonly Transfer[], place: number): Promise<readonly Address[]> {
  const node = createTransferNode(NO_LIMITS)
  node.transfers = transfers
  const hash: Hex = `0x${place.toString(16).padStart(64, '0')}`
  const wallets = [EXCHANGE, TREASURY, SHOP]
  const search = { rpc: node.rpc, range: createRangeSize(), usdc: BASE_CONTRACTS.usdc, wallets, hash }
  return [...(await findHubs({ ...search, window: WINDOW }, signal))]
}

test('a wallet with thirty partners in the sample is a hub, one with many transfers to one partner is not', async () => {
  const many = Array.from({ length: 100 }, (_, at) =>
    trade(SHOP, 1, 3_100).map((each) => ({ ...each, logIndex: 500 + at })),
  )
  const transfers = [...trade(EXCHANGE, 30, 3_100), ...trade(TREASURY, 29, 3_101), ...many.flat()]
  assert.deepEqual(await find(transfers, 2_000), [EXCHANGE])
})

test('the hash of the last block decides which blocks are the sample', async () => {
  const transfers = trade(EXCHANGE, 40, 3_100)
  // 300 blocks from block 1,000 + place on: 2,801 to 3,100 and 3,100 to 3,399 contain it.
  assert.deepEqual(await find(transfers, 1_800), [])
  assert.deepEqual(await find(transfers, 1_801), [EXCHANGE])
  assert.deepEqual(await find(transfers, 2_100), [EXCHANGE])
  assert.deepEqual(await find(transfers, 2_101), [])
  // 11,000 - 1,000 - 300 + 1 places; the next one is the first again.
  assert.deepEqual(await find(transfers, 2_100 + 9_701), [EXCHANGE])
})
