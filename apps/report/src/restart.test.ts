import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { readCoverage } from './ledger/coverage/coverage.ts'
import { openLedger } from './ledger/ledger.ts'

const INDEXER = join(import.meta.dirname, '../../../packages/testing/src/report/index-forever.ts')
const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
/** More: `npm run crash -- --indexer`. */
const KILLS = 3
/** About the time of one step: reading, attempt, insert with its fsync, cover. */
const STEP_MS = 40

test(`an indexer that is killed ${KILLS} times at any moment neither loses nor duplicates a payment`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-restart-'))
  const chain = await startDevChain({ port: 0, clock: 'stopped' })
  t.after(async () => {
    await chain.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await chain.fundGas(FACILITATOR)
  const stateUrl = `sqlite:${join(folder, 'state.sqlite')}`
  const ledgerUrl = `duckdb:${join(folder, 'ledger')}`
  let paid = 0
  const pay = async () => {
    const amount = BigInt(++paid)
    const call = await toAuthorizedTransfer({ payer: paid % 10, to: SHOP, amount, salt: `kill ${paid}` })
    await sendCall(chain, FACILITATOR, call)
  }

  for (let kill = 0; kill <= KILLS; kill++) {
    const child = spawn(process.execPath, [INDEXER, stateUrl, ledgerUrl, chain.rpcUrl, FACILITATOR], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const steps = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    // Work to do while it starts, and while it is killed.
    await pay()
    const first = await steps.next()
    assert.equal(first.done, false, 'the indexer exited by itself')
    if (kill < KILLS) {
      const paying = pay().then(pay)
      await wait(Math.random() * STEP_MS)
      child.kill('SIGKILL')
      await paying
    } else {
      let kind = first.value
      while (kind !== 'at-head') kind = (await steps.next()).value ?? assert.fail('it exited by itself')
      child.kill('SIGKILL')
    }
    await exited
  }

  const { signal } = new AbortController()
  const state = await openStateAt(stateUrl)
  const ledger = await openLedger(ledgerUrl, chain.genesisHash)
  const { attempts } = await readCoverage({ state, chain: chain.genesisHash })
  const rows = await ledger.rows(
    `SELECT amount FROM ${ledger.table} WHERE attempt IN (${attempts.join(', ')}) ORDER BY amount`,
    signal,
  )
  await ledger.close()
  await state.close()
  assert.deepEqual(
    rows.map(([amount]) => Number(amount)),
    Array.from({ length: paid }, (_, at) => at + 1),
  )
})
