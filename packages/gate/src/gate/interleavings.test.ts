import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { json } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import { createWorld, type Process, receiptOf, type World } from '@tollbook/testing/payments/gate-world'
import type { Place } from '@tollbook/testing/payments/memory-chain'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { fc, slowRuns } from '@tollbook/testing/property'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { fromStoredOffer } from '../calls/stored-offer.ts'

const LEASE_MS = 10_000
const LIMITS = { leaseMs: LEASE_MS, resendAfterMs: 5_000, strikes: 1_000 }
const STRANGERS = `0x${'fe'.repeat(32)}` as const
const PLACES = ['verify', 'handler', 'settle', 'sent', 'mined'] as const satisfies readonly Place[]

type Operation =
  | { readonly do: 'present'; readonly payment: number; readonly process: number; readonly times: number }
  | { readonly do: 'sleep'; readonly process: number; readonly at: Place }
  | { readonly do: 'answers'; readonly process: number; readonly how: 'told' | 'lost' | 'dropped' }
  | { readonly do: 'refuse'; readonly process: number; readonly isOn: boolean }
  | { readonly do: 'cancel' | 'submit'; readonly payment: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'recover'; readonly process: number }
  | { readonly do: 'wake' }

const payment = fc.nat(1)
const process = fc.nat(1)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('present'), payment, process, times: fc.nat(4) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sleep'), process, at: fc.constantFrom(...PLACES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('answers'),
      process,
      how: fc.constantFrom('told', 'lost', 'dropped'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse'), process, isOn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), payment }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('submit'), payment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(100, 6_000, 11_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recover'), process }) },
  { weight: 1, arbitrary: fc.constant({ do: 'wake' }) },
) as fc.Arbitrary<Operation>

type Signed = {
  readonly payer: Payer
  readonly nonce: `0x${string}`
  readonly path: string
  readonly init: { headers: Record<string, string> }
  runs: number
  /** Submitted by someone else when its answer was already stored. */
  isOwed: boolean
}

/** Runs operations against two processes over one store, and checks the invariants at the end. */
class Play {
  readonly world: World
  readonly payments: Signed[] = []
  readonly processes: Process[] = []
  /** Resume what stalled processes were doing. */
  readonly sleepers: (() => void)[] = []
  readonly pending = new Set<Promise<void>>()
  readonly refusing = new Set<Process>()

  constructor(world: World) {
    this.world = world
  }

  async begin(): Promise<void> {
    for (let at = 0; at < 2; at += 1) this.processes[at] = await this.#start()
    const [first] = this.processes
    assert.ok(first)
    for (let at = 0; at < 2; at += 1) {
      const payer = this.world.newPayer()
      const nonce = `0x${(at + 1).toString(16).padStart(64, '0')}` as const
      const path = `/api/metered?word=${at}`
      const scheme = at % 2 === 0 ? 'exact' : 'upto'
      const init = await first.pay(path, payer, { scheme, nonce })
      this.payments.push({ payer, nonce, path, init, runs: 0, isOwed: false })
    }
  }

  async #start(): Promise<Process> {
    const started = await this.world.startProcess(LIMITS)
    started.desk.work = ({ input }) => {
      const signed = this.payments[Number(input.word)]
      if (signed) signed.runs += 1
      if (this.refusing.has(started)) throw new ProblemError({ code: 'cannot_be_served', detail: 'Not now.' })
      return json({ word: input.word }, { charge: 2_000n })
    }
    return started
  }

  async play(operation: Operation): Promise<void> {
    if ('process' in operation) return this.#playOn(operation)
    if (operation.do === 'pass') return this.world.pass(operation.ms)
    if (operation.do === 'wake') return this.#wake()
    const signed = this.payments[operation.payment]
    assert.ok(signed)
    if (operation.do === 'cancel') return this.world.chain.cancel(signed.payer.address, signed.nonce)
    const row = await this.world.state.db
      .selectFrom('paid_call')
      .select(['offer', 'state', 'scheme'])
      .where('payer', '=', signed.payer.address.toLowerCase())
      .executeTakeFirst()
    // Only an `exact` authorization can be submitted by anyone.
    if (row?.offer && row.scheme === 'exact') {
      const offer = fromStoredOffer(row.offer)
      const revert = this.world.chain.submit(offer, offer.signedAmount, STRANGERS)
      signed.isOwed ||= revert === null && row.state !== 'reserved'
    }
  }

  async #playOn(operation: Extract<Operation, { process: number }>): Promise<void> {
    const target = this.processes[operation.process]
    assert.ok(target)
    switch (operation.do) {
      case 'present': {
        if (operation.times === 0) await this.#ask(target, operation.payment, 3)
        for (let at = 0; at < operation.times; at += 1) await this.#ask(target, operation.payment, 200)
        return
      }
      case 'sleep':
        target.link.pause = (place) =>
          place === operation.at ? new Promise((resolve) => this.sleepers.push(resolve)) : Promise.resolve()
        await turns(20)
        this.processes[operation.process] = await this.#start()
        return
      case 'answers':
        target.link.answers = operation.how
        return
      case 'refuse':
        if (operation.isOn) this.refusing.add(target)
        else this.refusing.delete(target)
        return
      case 'recover':
        await Promise.race([target.gate.recover(), turns(200)])
    }
  }

  /** Processes that were presumed dead resume long after others have taken their rows. */
  async #wake(): Promise<void> {
    for (const resume of this.sleepers.splice(0)) resume()
    await turns(30)
  }

  /** Starts a request and waits for its end, but not forever. */
  async #ask(target: Process, payment: number, maxTurns: number): Promise<void> {
    const done = this.#present(target, payment).finally(() => this.pending.delete(done))
    this.pending.add(done)
    await Promise.race([done, turns(maxTurns)])
  }

  async #present(target: Process, at: number): Promise<void> {
    const signed = this.payments[at]
    assert.ok(signed)
    const response = await target.fetch(signed.path, signed.init)
    if (response.status !== 200) return
    assert.deepEqual(await response.json(), { word: `${at}` })
    const receipt = receiptOf(response)
    const transfer = this.world.chain.transfers.find(({ nonce, payer }) => isOf(signed, nonce, payer))
    assert.ok(transfer, 'an answer was sent without a settlement')
    assert.equal(receipt?.transaction, transfer.transaction)
  }

  /**
   * All processes are alive again and see the whole chain, and time passes until every authorization has
   * ended.
   */
  async end(): Promise<void> {
    await this.#wake()
    this.processes.push(await this.#start())
    const last = this.processes.at(-1)
    assert.ok(last)
    for (let rounds = 0; rounds < 12; rounds += 1) {
      // Under upto an authorization outlives its handler by 150 seconds: 170 in all, and these are 264.
      this.world.pass(2 * (LEASE_MS + 1_000))
      await last.gate.recover()
    }
    for (const [at, signed] of this.payments.entries()) await this.#holds(last, at, signed)
  }

  async #holds(last: Process, at: number, signed: Signed): Promise<void> {
    const { chain, state } = this.world
    const transfers = chain.transfers.filter(({ nonce, payer }) => isOf(signed, nonce, payer))
    assert.ok(transfers.length <= 1, 'settled twice')
    assert.ok(signed.runs <= 3, `the handler ran ${signed.runs} times`)
    const row = await state.db
      .selectFrom('paid_call')
      .selectAll()
      .where('payer', '=', signed.payer.address.toLowerCase())
      .executeTakeFirst()
    if (!row) return assert.equal(transfers.length, 0)
    assert.ok(['settled', 'released'].includes(row.state), `the row stays ${row.state}`)
    const [transfer] = transfers
    if (row.state === 'settled') {
      assert.equal(row.tx_hash, transfer?.transaction)
      assert.equal(BigInt(row.charge ?? 0), transfer?.amount)
      assert.ok(row.answer_body, 'charged without an answer')
      const again = await last.fetch(signed.path, signed.init)
      assert.equal(again.status, 200, 'a charged answer is repeated')
      assert.deepEqual(await again.json(), { word: `${at}` })
      return
    }
    assert.ok(!signed.isOwed, 'charged by another’s transaction, and released')
    // If a third party submits an authorization that bought nothing, the merchant is paid without our doing.
    assert.ok(transfer === undefined || transfer.transaction === STRANGERS, 'charged, and released')
    assert.equal(row.answer_body, null)
  }
}

function isOf(signed: Signed, nonce: string, payer: string): boolean {
  return nonce === signed.nonce && payer.toLowerCase() === signed.payer.address.toLowerCase()
}

/** Lets running work continue, without waiting for what is stalled. */
async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await turn()
}

onEveryState('in any order of events, nobody is charged twice or without an answer', async (state) => {
  const numRuns = slowRuns(state.kind === 'sqlite' ? 30 : 5)
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
      const world = createWorld(state)
      const play = new Play(world)
      try {
        await play.begin()
        for (const next of operations) await play.play(next)
        await Promise.race([Promise.all(play.pending), turns(300)])
        await play.end()
      } finally {
        world.close()
      }
    }),
    { numRuns },
  )
})
