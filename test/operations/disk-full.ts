import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from '@tollbook/chain/hex'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { PAYMENT_CHUNKS } from '@tollbook/report/ledger/chunk-journal'
import { readCoverage } from '@tollbook/report/ledger/coverage/coverage'
import { type Ledger, openLedger } from '@tollbook/report/ledger/ledger'
import { readPayments } from '@tollbook/report/ledger/payment-files/read-payments'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'
import type { Payment } from '@tollbook/verify/chain/payment'

const FACILITATOR = `0x${'fa'.repeat(20)}` as const
const SHOP = `0x${'5a'.repeat(20)}` as const
const DISK_BYTES = 64 * 1024 * 1024
const signal = new AbortController().signal

for (const alone of [false, true])
  test(`an indexer whose ${alone ? 'ledger alone has a' : 'state and ledger share one'} disk that is full reports it, waits, loses nothing, and resumes when there is space`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-disk-full-'))
    const disk = join(folder, 'disk')
    const opened: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
    t.after(async () => {
      for (const close of opened.reverse()) await close()
    })
    const whyNot = mountDisk(disk)
    if (whyNot !== null) return t.skip(whyNot)
    opened.push(() => execFileSync('umount', ['--lazy', disk]))
    const chain = await startDevChain({ port: 0, clock: 'stopped' })
    opened.push(() => chain.close())
    await chain.fundGas(FACILITATOR)
    let paid = 0
    const pay = async (times: number) => {
      for (let at = 0; at < times; at++) {
        const amount = BigInt(++paid)
        const call = await toAuthorizedTransfer({ payer: paid % 10, to: SHOP, amount, salt: `full ${paid}` })
        await sendCall(chain, FACILITATOR, call)
      }
    }
    await pay(3)

    const ledgerUrl = `duckdb:${join(disk, 'ledger')}`
    const stateUrl = `sqlite:${join(alone ? folder : disk, 'state.sqlite')}`
    const indexer = startIndexer([stateUrl, ledgerUrl, chain.rpcUrl, FACILITATOR])
    opened.push(() => indexer.child.kill('SIGKILL'))
    await indexer.said(/"msg":"running"/)
    const state = await openState(stateUrl)
    opened.push(() => state.close())
    const index = { state, chain: chain.genesisHash }
    const head = async () => Number(await chain.rpc.call<Hex>('eth_blockNumber'))
    await untilCovered(index, await head())

    const free = fill(join(disk, 'ballast'))
    await pay(4)
    await indexer.said(/"level":50.*paused: disk full; resumes when space is freed/)
    await pay(3)
    assert.equal(indexer.child.exitCode, null, 'it waits, and does not end')
    free()
    await untilCovered(index, await head())
    indexer.child.kill('SIGTERM')
    assert.deepEqual(await indexer.exited, [0, null])

    const ledger = await openLedger(ledgerUrl, chain.genesisHash)
    const disturbed = await readAll(index, ledger)
    assert.deepEqual(
      disturbed.map(({ amount }) => Number(amount)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(await PAYMENT_CHUNKS.findDamage({ ...index, ledger, now: new Date() }, signal), null)
    await ledger.close()

    const otherState = join(folder, 'undisturbed.sqlite')
    const undisturbed = startIndexer([
      `sqlite:${otherState}`,
      `duckdb:${folder}/ledger`,
      chain.rpcUrl,
      FACILITATOR,
    ])
    await undisturbed.said(/"msg":"running"/)
    const other = await openState(`sqlite:${otherState}`)
    opened.push(() => other.close())
    await untilCovered({ ...index, state: other }, await head())
    undisturbed.child.kill('SIGTERM')
    assert.deepEqual(await undisturbed.exited, [0, null])
    const clean = await openLedger(`duckdb:${folder}/ledger`, chain.genesisHash)
    opened.push(() => clean.close())
    assert.deepEqual(await readAll({ ...index, state: other }, clean), disturbed)
  })

/** A disk of its own that can be full, or why there can be none. */
function mountDisk(folder: string): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root may make a small disk'
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'pipe' })
    return null
  } catch {
    return 'no file system may be mounted here'
  }
}

/** Fills every remaining byte. @returns the function that frees them. */
function fill(file: string): () => void {
  const handle = openSync(file, 'w')
  for (let piece = Buffer.alloc(1024 * 1024, 1); piece.length > 0; ) {
    try {
      writeSync(handle, piece)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      piece = piece.subarray(0, Math.floor(piece.length / 2))
    }
  }
  closeSync(handle)
  return () => rmSync(file)
}

function startIndexer(words: readonly string[]) {
  const child = spawn(process.execPath, ['test/operations/parts/run-indexer.ts', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  const exited = once(child, 'exit')
  const said = async (text: RegExp) => {
    const heard = Promise.withResolvers<void>()
    const look = () => lines.some((line) => text.test(line)) && heard.resolve()
    waiting.add(look)
    look()
    const end = exited.then(() => assert.fail(`the indexer ended:\n${lines.join('\n')}`))
    await Promise.race([heard.promise, end])
    waiting.delete(look)
  }
  return { child, exited, said }
}

type Index = { readonly state: State; readonly chain: Hex }

async function untilCovered(index: Index, block: number): Promise<void> {
  while ((await readCoverage(index)).endBlock <= block) await wait(20)
}

async function readAll(index: Index, ledger: Ledger): Promise<readonly Payment[]> {
  const coverage = await readCoverage(index)
  const payments: Payment[] = []
  for await (const payment of readPayments(ledger, { coverage, range: coverage }, signal))
    payments.push(payment)
  return payments
}
