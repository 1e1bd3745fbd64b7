import assert from 'node:assert/strict'
import { BASE } from '@tollbook/chain/network'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { State } from '../state/state.ts'
import { createPayerCodes, sweepPayerCodes } from './payer-codes.ts'
import type { Lease } from './reservation.ts'

const LIMITS = { burntGasPerCode: 500n, burntGasOfCodes: 800n, burntGasOfPermits: 500_000n }
const [ONE, OTHER] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const
const HOUR = 60 * 60_000

/** Calls of payers with code, over one store, as recorded by two processes. */
function openCalls(state: State) {
  let ahead = 0
  let calls = 0
  const clock = () => new Date(Date.now() + ahead)
  const [first, second] = [
    createPayerCodes({ state, limits: LIMITS, clock }),
    createPayerCodes({ state, limits: LIMITS, clock }),
  ]

  async function reserve(): Promise<Lease> {
    calls += 1
    const [id, now] = [`call-${calls}`, clock().getTime()]
    await state.db
      .insertInto('paid_call')
      .values({
        id,
        payer: '0xaa',
        nonce: id,
        network: BASE.id,
        asset: BASE.usdc,
        pay_to: '0xbb',
        scheme: 'exact',
        service: 'utility',
        endpoint: 'test',
        scope: 'public',
        fingerprint: '',
        state: 'reserved',
        is_open: 1,
        is_stream: 0,
        runs: 1,
        is_rerun: 0,
        claim: id,
        signed_amount: 1,
        valid_before: Math.floor(now / 1000) + 60,
        bytes_sent: 0,
        reserved_at: now * 1000 + calls,
        updated_at: now,
        check_at: 0,
      })
      .execute()
    return { id, token: id, reservedAt: now * 1000 + calls, runs: 1, effect: { mayBeStaged: false } }
  }
  const end = (lease: Lease, state_: 'released' | 'settled') =>
    state.db.updateTable('paid_call').set({ state: state_, is_open: 0 }).where('id', '=', lease.id).execute()
  const hold = async (codeHash: `0x${string}`, gas: bigint, codes = first) => {
    const lease = await reserve()
    const problem = await codes.hold(lease, { codeHash, gas, gasCost: 0n })
    if (problem) await end(lease, 'released')
    return { lease, problem }
  }
  return {
    reserve,
    first,
    second,
    hold,
    end,
    pass: (ms: number) => (ahead += ms),
    now: () => clock().getTime(),
  }
}

onEveryState('gas burnt by one code is counted across processes, for an hour', async (state) => {
  const { first, second, hold, end, pass, now } = openCalls(state)
  const { lease } = await hold(ONE, 300n)
  await first.burn(lease, ONE, 300n)
  await end(lease, 'released')
  const refused = await hold(ONE, 201n, second)
  assert.equal(refused.problem?.code, 'contract_wallet_refused')
  assert.equal(refused.problem?.retryAfterSeconds, 3600)
  assert.equal((await hold(ONE, 200n, second)).problem, null)
  assert.equal((await hold(OTHER, 300n, second)).problem, null)
  pass(HOUR + 1)
  await sweepPayerCodes(state, now())
  assert.deepEqual(await state.db.selectFrom('payer_code_use').selectAll().execute(), [])
})

onEveryState('all codes together have a limit of their own', async (state) => {
  const { first, hold, end } = openCalls(state)
  for (const byte of ['0a', '0b']) {
    const codeHash = `0x${byte.repeat(32)}` as const
    const { lease } = await hold(codeHash, 400n)
    await first.burn(lease, codeHash, 400n)
    await end(lease, 'released')
  }
  assert.equal((await hold(OTHER, 1n)).problem?.retryAfterSeconds, 3600)
})

onEveryState('the gas limits of open calls are held, and freed when the calls end', async (state) => {
  const { hold, end } = openCalls(state)
  const { lease } = await hold(ONE, 300n)
  assert.equal((await hold(ONE, 300n)).problem?.retryAfterSeconds, 1)
  await end(lease, 'settled')
  assert.equal((await hold(ONE, 300n)).problem, null)
})

onEveryState('as many concurrent calls run as fit', async (state) => {
  const { first, second, hold } = openCalls(state)
  const held = await Promise.all(
    Array.from({ length: 8 }, (_, at) => hold(ONE, 200n, at % 2 ? first : second)),
  )
  const running = held.filter(({ problem }) => problem === null).length
  assert.ok(running <= 2, `${running} run`)
  for (const { problem } of held) assert.ok(problem === null || problem.retryAfterSeconds === 1)
})

onEveryState('a code that settles may hold a tenth more', async (state) => {
  const { hold, end } = openCalls(state)
  // 10 settlements of 400 gas: a tenth is 400, on top of the 500 for everyone.
  for (let times = 0; times < 10; times += 1) await end((await hold(ONE, 400n)).lease, 'settled')
  assert.equal((await hold(ONE, 450n)).problem, null)
  assert.equal((await hold(ONE, 450n)).problem, null)
  assert.equal((await hold(ONE, 450n)).problem?.retryAfterSeconds, 1)
})

onEveryState('permits have a budget of their own, across processes', async (state) => {
  const { first, second, reserve, end, hold } = openCalls(state)
  // 500,000 gas are three calls of 160,000.
  const leases = [await reserve(), await reserve(), await reserve(), await reserve()]
  const held = [
    await first.holdPermit(leases[0] as Lease),
    await second.holdPermit(leases[1] as Lease),
    await first.holdPermit(leases[2] as Lease),
    await second.holdPermit(leases[3] as Lease),
  ]
  assert.deepEqual(
    held.map((problem) => problem?.code),
    [undefined, undefined, undefined, 'rate_limited'],
  )
  for (const lease of leases) await end(lease, 'released')
  await first.burn(leases[0] as Lease, null, 350_000n)
  const refused = await second.holdPermit(await reserve())
  assert.equal(refused?.code, 'allowance_required')
  assert.equal((await hold(ONE, 400n)).problem, null)
})
