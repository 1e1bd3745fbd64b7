import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { State } from '@tollbook/cli/commands/state/state'
import { createWorld, type Process, type World } from '@tollbook/testing/payments/gate-world'
import type { Place } from '@tollbook/testing/payments/memory-chain'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { fc, slowRuns } from '@tollbook/testing/property'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { countWallet } from '@tollbook/testing/wallets/count-wallet'
import { post as writePad } from '@tollbook/utility/endpoints/api/scratchpad/{name}/endpoint'
import { append } from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'

const LEASE_MS = 10_000
const PLACES = ['verify', 'settle', 'sent', 'mined'] as const satisfies readonly Place[]
/**
 * Writes of one wallet: some run concurrently, some exclude each other, and each leaves its own number
 * behind.
 */
const WRITES = [
  { path: '/api/store/log', body: { n: 0 } },
  { path: '/api/store/log', body: { n: 1 } },
  { path: '/api/store/log?if_total_rows=0', body: { n: 2 } },
  { path: '/api/scratchpad/pad', body: { content: [3], mode: 'replace' } },
  { path: '/api/store/other', body: { n: 4 } },
] as const

type Operation =
  | { readonly do: 'send'; readonly write: number; readonly process: number; readonly turns: number }
  | { readonly do: 'leave'; readonly write: number; readonly process: number; readonly turns: number }
  | { readonly do: 'die'; readonly process: number; readonly at: Place }
  | { readonly do: 'answers'; readonly process: number; readonly how: 'told' | 'lost' | 'dropped' }
  | { readonly do: 'fund'; readonly isOn: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'recover'; readonly process: number }

const write = fc.nat(WRITES.length - 1)
const process = fc.nat(1)
const turns = fc.nat(60)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send'), write, process, turns }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('leave'), write, process, turns }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('die'), process, at: fc.constantFrom(...PLACES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('answers'),
      process,
      how: fc.constantFrom('told', 'lost', 'dropped'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fund'), isOn: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass'), ms: fc.constantFrom(100, 6_000, 11_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recover'), process }) },
) as fc.Arbitrary<Operation>

type Signed = { readonly nonce: `0x${string}`; readonly path: string; readonly init: RequestInit }

/** Runs operations against two processes over one store; compares changes and settlements after each. */
class Play {
  readonly world: World
  readonly payer: Payer
  readonly signed: Signed[] = []
  readonly processes: Process[] = []
  readonly pending = new Set<Promise<unknown>>()

  constructor(state: State) {
    this.world = createWorld(state)
    this.payer = this.world.newPayer()
  }

  async begin(): Promise<void> {
    for (let at = 0; at < 2; at += 1) this.processes[at] = await this.#start()
    for (const [at, { path, body }] of WRITES.entries()) {
      const nonce = `0x${(at + 1).toString(16).padStart(64, '0')}` as const
      const { headers } = await this.#at(0).pay(path, this.payer, { nonce, method: 'POST' })
      const sent = { ...headers, 'content-type': 'application/json' }
      this.signed.push({ nonce, path, init: { method: 'POST', body: JSON.stringify(body), headers: sent } })
    }
  }

  #start(): Promise<Process> {
    const ports = utilityPorts(this.world.state)
    const limits = { leaseMs: LEASE_MS, resendAfterMs: 5_000, strikes: 1_000 }
    return this.world.startProcess(limits, 100_000, [append, writePad], ports)
  }

  #at(process: number): Process {
    const found = this.processes[process]
    assert.ok(found)
    return found
  }

  async play(next: Operation): Promise<void> {
    switch (next.do) {
      case 'send':
        return this.#send(next, new AbortController().signal)
      case 'leave': {
        const leaving = new AbortController()
        await this.#send(next, leaving.signal)
        return leaving.abort()
      }
      case 'die':
        // It is blocked there forever, and another takes its place.
        this.#at(next.process).link.dieAt = next.at
        this.processes[next.process] = await this.#start()
        return
      case 'answers':
        this.#at(next.process).link.answers = next.how
        return
      case 'fund':
        return this.world.chain.fund(this.payer.address, next.isOn ? 1_000_000n : 0n)
      case 'pass':
        return this.world.pass(next.ms)
      case 'recover':
        await Promise.race([this.#at(next.process).gate.recover(), rest(200)])
    }
  }

  /** Sends a write to a process, and continues after this many turns of the event loop. */
  async #send(next: Extract<Operation, { write: number }>, signal: AbortSignal): Promise<void> {
    const signed = this.signed[next.write]
    assert.ok(signed)
    const asked = this.#at(next.process)
      .fetch(signed.path, { ...signed.init, signal })
      .catch(() => null)
    const done = asked.finally(() => this.pending.delete(done))
    this.pending.add(done)
    await Promise.race([done, rest(next.turns)])
  }

  /** The rows contain exactly what settled before and after they were read. */
  async compare(): Promise<void> {
    const before = await this.#settled()
    const visible = await this.#visible()
    const after = await this.#settled()
    for (const at of before) assert.ok(visible.includes(at), `write ${at} is paid and not there`)
    for (const at of visible) assert.ok(after.includes(at), `write ${at} is there and not paid`)
    assert.equal(new Set(visible).size, visible.length, `a write is there twice: ${visible}`)
  }

  async #settled(): Promise<readonly number[]> {
    const rows = this.world.state.db.selectFrom('paid_call').select('nonce').where('state', '=', 'settled')
    const nonces = (await rows.where('payer', '=', this.#wallet).execute()).map(({ nonce }) => nonce)
    return this.signed.flatMap(({ nonce }, at) => (nonces.includes(nonce) ? [at] : []))
  }

  async #visible(): Promise<readonly number[]> {
    const { db } = this.world.state
    const rows = await db
      .selectFrom('collection_row')
      .innerJoin('collection', 'collection.id', 'collection_row.collection')
      .select('body')
      .where('wallet', '=', this.#wallet)
      .execute()
    const pads = await db
      .selectFrom('pad_version')
      .innerJoin('pad', 'pad.id', 'pad_version.pad')
      .select('content')
      .where('wallet', '=', this.#wallet)
      .execute()
    return [
      ...rows.map(({ body }) => (JSON.parse(body) as { n: number }).n),
      ...pads.map(({ content }) => (JSON.parse(Buffer.from(content).toString()) as number[])[0] ?? -1),
    ]
  }

  get #wallet(): string {
    return this.payer.address.toLowerCase()
  }

  /** A process that stays alive recovers until every authorization has expired. */
  async end(): Promise<void> {
    const last = await this.#start()
    for (let rounds = 0; rounds < 8; rounds += 1) {
      this.world.pass(2 * (LEASE_MS + 1_000))
      await last.gate.recover()
      await this.compare()
    }
    const { db } = this.world.state
    const open = db.selectFrom('paid_call').select('state').where('payer', '=', this.#wallet)
    assert.deepEqual(await open.where('is_open', '=', 1).execute(), [])
    const staged = db.selectFrom('call_effect').select('call')
    assert.deepEqual(await staged.where('owner', '=', `wallet/${this.#wallet}`).execute(), [])
    const paid = this.world.chain.transfers.filter(({ payer }) => payer.toLowerCase() === this.#wallet)
    assert.equal((await this.#visible()).length, paid.length, 'changes and transfers differ')
    await countWallet(this.world.state, this.#wallet)
  }
}

/** Lets open work continue, without waiting for what is blocked. */
async function rest(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await turn()
}

onEveryState('in any order of events, exactly the paid changes are visible', async (state) => {
  const numRuns = slowRuns(state.kind === 'sqlite' ? 25 : 5)
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (operations) => {
      const play = new Play(state)
      try {
        await play.begin()
        for (const next of operations) {
          await play.play(next)
          await play.compare()
        }
        await Promise.race([Promise.all(play.pending), rest(300)])
        await play.end()
      } finally {
        play.world.close()
      }
    }),
    { numRuns },
  )
})
