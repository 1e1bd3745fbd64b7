import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import { toResults } from '@tollbook/chain/rpc/json-rpc'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { createSimulatedChain, type RawReceipt } from '@tollbook/testing/simulated-chain/chain'
import { answerHonestly } from '@tollbook/testing/simulated-chain/node'
import { type SimulatedPortal, startSimulatedPortal } from '@tollbook/testing/simulated-chain/portal'
import { smallPlan } from '@tollbook/testing/simulated-chain/small-plan'
import { announcingEvents, BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { knownFacilitators } from '@tollbook/verify/chain/facilitators'
import { findAllTransactions } from '@tollbook/verify/chain/logs'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import { readPayments } from '@tollbook/verify/chain/read-payments'
import { createHyperSync } from './hypersync.ts'
import { createPortalReader, type PortalEvent } from './portal-reader.ts'
import { createSqd } from './sqd.ts'

const { signal } = new AbortController()
const FIRST = 100
const HEAD = 220
const SEED = `0x${'5'.repeat(64)}` as const
const STRANGER = `0x${'ee'.repeat(20)}` as Address
const KINDS = { HyperSync: createHyperSync, SQD: createSqd } as const

for (const [name, createPortal] of Object.entries(KINDS)) {
  const inWorld = async (
    work: (read: () => ReturnType<typeof readBoth>, portal: SimulatedPortal) => Promise<void>,
    options: { readonly blocksPerAnswer?: number } = {},
  ) => {
    const chain = createSimulatedChain(smallPlan, SEED, HEAD)
    const simulated = await startSimulatedPortal(chain, options)
    const portal = createPortal({ url: simulated.url, token: 'se.cret' })
    const events: PortalEvent[] = []
    const reader = createPortalReader({
      portals: [portal],
      contracts: BASE_CONTRACTS,
      onChunk: async (event) => void events.push(event),
    })
    try {
      await work(() => readBoth(chain, reader, events), simulated)
    } finally {
      await simulated.close()
    }
  }

  test(`${name} yields the payments of the receipts, with a single receipt of the node`, () =>
    inWorld(
      async (read, portal) => {
        const { expected, actual, events, receipts } = await read()
        assert.deepEqual(actual, expected)
        assert.ok(actual.payments.length > 200)
        assert.deepEqual([events.map(({ outcome }) => outcome), receipts], [['read'], 1])
        assert.deepEqual([...portal.authorizations], ['Bearer se.cret'])
        assert.ok(portal.requests > 10)
      },
      { blocksPerAnswer: 10 },
    ))

  test(`what ${name} does not have yet is read from the node`, () =>
    inWorld(async (read, portal) => {
      portal.behave({ change: (receipts, block) => (block < HEAD - 20 ? receipts : []) })
      const { expected, actual, events, receipts } = await read()
      assert.deepEqual(actual, expected)
      assert.deepEqual(
        events.map(({ outcome }) => outcome),
        ['read'],
      )
      assert.ok(receipts > 20 && receipts < expected.payments.length / 3)
    }))

  const LIES: Readonly<Record<string, (receipt: RawReceipt) => RawReceipt>> = {
    'another block hash': (one) => ({ ...one, logs: one.logs.map((log) => ({ ...log, blockHash: SEED })) }),
    'no announcing log': (one) => ({ ...one, logs: one.logs.slice(1) }),
    'another sender': (one) => ({ ...one, from: STRANGER }),
    'another amount': (one) => ({
      ...one,
      logs: one.logs.map((log) => (log.data === '0x' ? log : { ...log, data: SEED })),
    }),
    'malformed logs': (one) => ({ ...one, logs: one.logs.map((log) => ({ ...log, address: '0x1' })) }),
  }
  for (const [lie, change] of Object.entries(LIES))
    test(`a chunk of ${name} with ${lie} is rejected and read from the node`, () =>
      inWorld(async (read, portal) => {
        portal.behave({ change: (receipts) => receipts.map(change) })
        const { expected, actual, events } = await read()
        assert.deepEqual(actual, expected)
        assert.deepEqual(
          events.map(({ portal, outcome }) => [portal, outcome]),
          [[name, 'rejected']],
        )
      }))

  test(`${name} that fails is left alone for a chunk, and tried again after it`, () =>
    inWorld(async (read, portal) => {
      for (const broken of [{ status: 401 }, { text: '{"data":' }, { status: 204 }]) {
        portal.behave(broken)
        const { expected, actual, events } = await read()
        assert.deepEqual(actual, expected)
        assert.equal(events.length, 1)
        const [event] = events
        assert.equal(event?.outcome, 'failed')
        assert.doesNotMatch(String(event?.error), /se\.cret|127\.0\.0\.1/)
        const before = portal.requests
        portal.behave({})
        for (let rested = false; !rested; ) rested = (await read()).events.at(-1)?.outcome === 'read'
        assert.ok(portal.requests > before)
      }
    }))

  test(`${name} that is overloaded is retried before the node is read`, () =>
    inWorld(async (read, portal) => {
      portal.behave({ status: 503 })
      const { expected, actual, events } = await read()
      assert.deepEqual(actual, expected)
      assert.deepEqual([events[0]?.outcome, portal.requests], ['failed', 4])
    }))
}

async function readBoth(
  chain: ReturnType<typeof createSimulatedChain>,
  portals: ReturnType<typeof createPortalReader>,
  events: PortalEvent[],
) {
  events.length = 0
  let receipts = 0
  const batch: Rpc['batch'] = async (requests) => {
    receipts += requests.filter(({ method }) => method === 'eth_getTransactionReceipt').length
    return toResults(
      requests,
      requests.map((request) => answerHonestly(chain, request)),
    )
  }
  const rpc: Rpc = {
    batch,
    call: async (method, params, signal) => (await batch([{ method, params }], signal))[0],
  }
  const range = { firstBlock: FIRST, endBlock: HEAD + 1, announcing: announcingEvents(BASE_CONTRACTS) }
  const { transactions } = await findAllTransactions({ rpc, range: createRangeSize() }, range, signal)
  const source = { rpc, contracts: BASE_CONTRACTS, facilitators: knownFacilitators(), clock: null }
  const expected = await readPayments(source, transactions, signal)
  receipts = 0
  const actual = await readPayments({ ...source, portals }, transactions, signal)
  return { expected, actual, events: [...events], receipts }
}
