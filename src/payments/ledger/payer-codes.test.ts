import assert from 'node:assert/strict'
import { onEveryState } from '../../../test/state/every-state.ts'
import type { State } from '../../commands/state/state.ts'
import { BASE } from '../../money/network.ts'
import { createPayerCodes, sweepPayerCodes } from './payer-codes.ts'
import type { Claim } from './reservation.ts'

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

  async function reserve(): Promise<Claim> {
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
  const end = (claim: Claim, state_: 'released' | 'settled') =>
    state.db.updateTable('paid_call').set({ state: state_, is_open: 0 }).where('id', '=', claim.id).execute()
  const hold = async (codeHash: `0x${string}`, gas: bigint, codes = first) => {
    const claim = await reserve()
    const problem = await codes.hold(claim, { codeHash, gas, gasCost: 0n })
    if (problem) await end(claim, 'released')
    return { claim, problem }
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
  const { claim } = await hold(ONE, 300n)
  await first.burn(claim, ONE, 300n)
  await end(claim, 'released')
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
    const { claim } = await hold(codeHash, 400n)
    await first.burn(claim, codeHash, 400n)
    await end(claim, 'released')
  }
  assert.equal((await hold(OTHER, 1n)).problem?.retryAfterSeconds, 3600)
})

onEveryState('the gas limits of open calls are held, and freed when the calls end', async (state) => {
  const { hold, end } = openCalls(state)
  const { claim } = await hold(ONE, 300n)
  assert.equal((await hold(ONE, 300n)).problem?.retryAfterSeconds, 1)
  await end(claim, 'settled')
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
  for (let times = 0; times < 10; times += 1) await end((await hold(ONE, 400n)).claim, 'settled')
  assert.equal((await hold(ONE, 450n)).problem, null)
  assert.equal((await hold(ONE, 450n)).problem, null)
  assert.equal((await hold(ONE, 450n)).problem?.retryAfterSeconds, 1)
})

onEveryState('permits have a budget of their own, across processes', async (state) => {
  const { first, second, reserve, end, hold } = openCalls(state)
  // 500,000 gas are three calls of 160,000.
  const claims = [await reserve(), await reserve(), await reserve(), await reserve()]
  const held = [
    await first.holdPermit(claims[0] as Claim),
    await second.holdPermit(claims[1] as Claim),
    await first.holdPermit(claims[2] as Claim),
    await second.holdPermit(claims[3] as Claim),
  ]
  assert.deepEqual(
    held.map((problem) => problem?.code),
    [undefined, undefined, undefined, 'rate_limited'],
  )
  for (const claim of claims) await end(claim, 'released')
  await first.burn(claims[0] as Claim, null, 350_000n)
  const refused = await second.holdPermit(await reserve())
  assert.equal(refused?.code, 'allowance_required')
  assert.equal((await hold(ONE, 400n)).problem, null)
})
