import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findFirstBlockSince, readBlock } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
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
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import { isPayment } from '@tollbook/verify/chain/payment-rule'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { type Chain, type Position, readStep } from './follow.ts'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const STRANGER = `0x${'57'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
const BAR = `0x${'5b'.repeat(20)}` as const
const signal = new AbortController().signal
const fromStart: Position = { firstBlock: 0, nextBlock: 0, checkpoints: [] }
let chain: DevChain
let rpc: Rpc

before(async () => {
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  rpc = createReadRpc({ url: chain.rpcUrl })
  for (const wallet of [FACILITATOR, STRANGER]) await chain.fundGas(wallet)
})
after(() => chain.close())

test('every way of paying is found on a chain, and nothing else', async () => {
  const start = (await readBlock(rpc, 'latest', signal))?.number ?? 0
  const seven = clientAccount(7).address
  const send = (from: Address, call: Call) => sendCall(chain, from, call)
  const pay = (payer: number, to: Address, amount: bigint, salt: string) =>
    toAuthorizedTransfer({ payer, to, amount, salt })

  await send(FACILITATOR, await pay(0, SHOP, 10n, 'single'))
  await send(
    FACILITATOR,
    toBatch([
      await pay(0, SHOP, 11n, 'batch 1'),
      await pay(1, BAR, 12n, 'batch 2'),
      await pay(0, BAR, 13n, 'batch 3'),
      await pay(0, BAR, 0n, 'nothing'),
    ]),
  )
  await send(STRANGER, await pay(2, SHOP, 14n, 'by a stranger'))
  await send(seven, await toAuthorizedTransfer({ payer: 3, to: seven, amount: 15n, salt: 'r' }, 'receive'))
  await send(clientAccount(4).address, toPlainTransfer(SHOP, 1_000n))
  await send(clientAccount(5).address, toPermit2Approval())
  const permit = { payer: 5, to: BAR, amount: 16n }
  await send(STRANGER, await toPermit2Settlement({ ...permit, salt: 'exact' }))
  const upto = { facilitator: FACILITATOR, settled: 9n }
  await send(FACILITATOR, await toPermit2Settlement({ ...permit, salt: 'upto' }, upto))
  await send(FACILITATOR, await pay(6, FACILITATOR, 17n, 'to a facilitator'))
  // A transfer inside the batch, by Multicall3 itself, from what it was given before.
  await send(clientAccount(4).address, toPlainTransfer('0xca11bde05977b3631167028862be2a173976ca11', 50n))
  await send(FACILITATOR, toBatch([await pay(1, SHOP, 18n, 'beside'), toPlainTransfer(BAR, 50n)]))

  const step = await readStep(
    toChain(),
    { ...fromStart, nextBlock: start + 1, firstBlock: start + 1 },
    signal,
  )
  assert(step.kind === 'blocks')
  const { authorizationUsed, knownFacilitator, permit2Proxy } = EVIDENCE
  assert.deepEqual(
    step.payments.map(({ buyer, merchant, amount, evidence }) => [buyer, merchant, amount, evidence]),
    [
      [payer(0), SHOP, 10n, authorizationUsed + knownFacilitator],
      [payer(0), SHOP, 11n, authorizationUsed + knownFacilitator],
      [payer(1), BAR, 12n, authorizationUsed + knownFacilitator],
      [payer(0), BAR, 13n, authorizationUsed + knownFacilitator],
      [payer(2), SHOP, 14n, authorizationUsed],
      [payer(3), payer(7), 15n, authorizationUsed],
      [payer(5), BAR, 16n, permit2Proxy],
      [payer(5), BAR, 9n, permit2Proxy + knownFacilitator],
      [payer(1), SHOP, 18n, authorizationUsed + knownFacilitator],
    ],
  )
  assert.equal(step.misses, 0)
  // What a stranger submitted counts when the payee is listed.
  const counted = (listed: readonly Address[]) =>
    step.payments.filter((payment) => isPayment(payment, new Set(listed))).length
  assert.deepEqual([counted([]), counted([SHOP]), counted([SHOP, payer(7)])], [7, 8, 9])
  for (const payment of step.payments) {
    const block = await readBlock(rpc, payment.blockNumber, signal)
    assert.equal(payment.timestamp, block?.timestamp)
  }
})

test('a position at the head has nothing to read, and one that left the chain says from where to read again', async () => {
  await chain.mine()
  const head = await readBlock(rpc, 'latest', signal)
  const parent = await readBlock(rpc, (head?.number ?? 0) - 1, signal)
  assert(head && parent)
  const source = toChain()
  const position = { firstBlock: 0, nextBlock: head.number + 1 }
  assert.deepEqual(await readStep(source, { ...position, checkpoints: [head, parent] }, signal), {
    kind: 'at-head',
    head: head.number,
  })
  const undone = { number: head.number, hash: `0x${'0'.repeat(64)}` } as const
  assert.deepEqual(await readStep(source, { ...position, checkpoints: [undone, parent] }, signal), {
    kind: 'reorganised',
    nextBlock: head.number,
  })
  assert.deepEqual(await readStep(source, { ...position, checkpoints: [undone] }, signal), {
    kind: 'reorganised',
    nextBlock: 0,
  })
})

test('the first block at or after a time is found', async () => {
  await chain.skipTime(100)
  const head = await readBlock(rpc, 'latest', signal)
  assert(head)
  const find = async (time: number) => (await findFirstBlockSince(rpc, { time, head }, signal))?.number
  assert.equal(await find(head.timestamp), head.number)
  assert.equal(await find(head.timestamp - 1), head.number)
  assert.equal(await find(head.timestamp + 1), undefined)
  assert.equal(await find(0), 0)
})

test('what a node refuses is a refusal, without a second try', async () => {
  await assert.rejects(rpc.call('eth_noSuchMethod', [], signal), RpcRefusal)
})

function toChain(): Chain {
  return {
    rpc,
    range: createRangeSize(),
    contracts: BASE_CONTRACTS,
    clock: null,
    isCrossChecked: false,
    facilitators: knownFacilitators([FACILITATOR]),
    head: 'latest',
    now: () => new Date(),
    findWitness: () => Promise.resolve(null),
  }
}

function payer(index: number): Address {
  return clientAccount(index).address.toLowerCase() as Address
}
