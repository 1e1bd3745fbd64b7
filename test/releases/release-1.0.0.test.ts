import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_KEYS, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { findMissingMigrations } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { runCommand, startCommand } from '@tollbook/testing/commands/running-command'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { createPublicClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  type Expected,
  restoreDump,
  type StateKind,
  settingsFor,
  startingAt,
  unpackRelease,
} from './release-fixture.ts'

const RELEASE = '1.0.0'
const ERC20 = parseAbi(['function balanceOf(address) view returns (uint256)'])
/** Micro-USDC: the price of `/api/calc`, of which the release sold four from the channel. */
const CALC = 1_000n
const OWED_BY_CHANNEL = 4n * CALC

type SIWxInfo = Parameters<typeof createSIWxPayload>[0]

type Opened = {
  readonly urlOf: (service: string) => string
  readonly state: State
  readonly expected: Expected
}

test(`a SQLite data folder of ${RELEASE} is opened: answers, open calls, channels and weeks are kept`, () =>
  openAndCheck('sqlite'))

test(
  `a PostgreSQL state of ${RELEASE} is opened: answers, open calls, channels and weeks are kept`,
  {
    skip: whyNoPostgres() ?? false,
  },
  () => openAndCheck('postgres'),
)

async function openAndCheck(kind: StateKind): Promise<void> {
  const folder = temporaryFolder('release')
  const expected = unpackRelease(RELEASE, kind, folder)
  const postgres = kind === 'postgres' ? await startPostgres() : null
  const database = await postgres?.createDatabase()
  if (database) await restoreDump(folder, database)
  const environment: NodeJS.ProcessEnv = {
    ...(await settingsFor(folder, expected, database)),
    ...startingAt(expected.writtenAt),
    TOLLBOOK_CHANNEL_QUIET_SECONDS: '1',
  }
  const product = await startCommand(['start'], environment)
  try {
    const state = await openState(database ?? `sqlite:${join(folder, 'data/state.sqlite')}`)
    try {
      assert.deepEqual(await findMissingMigrations(state), [])
      const urlOf = (service: string) =>
        `http://127.0.0.1:${environment[`TOLLBOOK_${service.toUpperCase()}_PORT`]}`
      const opened = { urlOf, state, expected }
      await checkPublished(opened)
      await checkAnswers(opened)
      await checkRows(opened)
      await checkMoney(opened)
      await checkLedger(folder, kind, environment)
    } finally {
      await state.close()
    }
  } finally {
    await product.close()
    if (database) await postgres?.dropDatabase(database)
  }
}

/** The payments are read from the chain again, or imported from what the release exported; both are the same. */
async function checkLedger(folder: string, kind: StateKind, environment: NodeJS.ProcessEnv): Promise<void> {
  const log = readFileSync(join(folder, 'data/tollbook.log'), 'utf8')
  assert.match(
    log,
    /was written by chDB, which version 1\.0\.0 used; reading \d+ blocks again from the chain/,
  )
  assert.match(log, /tollbook import payments with the file that tollbook export payments of 1\.0\.0 wrote/)
  const written = 'export/payments.csv'
  const { end_block: end } = JSON.parse(readFileSync(join(folder, `${written}.json`), 'utf8')) as {
    end_block: number
  }
  const paymentsIn = (file: string) => readFileSync(file, 'utf8').replaceAll('"', '').trim().split(/\r?\n/)
  const expected = paymentsIn(join(folder, written))
  assert.equal(expected.length, 2_621)

  // While the product runs.
  const exported = join(folder, 'again.csv')
  const words = ['export', 'payments', '--to', String(end), '--out', exported]
  const { stderr } = await runCommand(words, environment)
  assert.deepEqual(paymentsIn(exported), expected, stderr)

  const other = join(folder, 'other')
  const { TOLLBOOK_STATE_URL: _, ...rest } = environment
  const others = { ...rest, TOLLBOOK_DATA_DIR: join(other, 'data') }
  // The state says that all was read, and the ledger of chDB holds nothing that can be read.
  mkdirSync(other)
  if (kind === 'sqlite') unpackRelease(RELEASE, kind, other)
  const from = ['import', 'payments', join(folder, 'export/payments.parquet')]
  const imported = await runCommand(from, others)
  if (kind === 'sqlite')
    assert.match(imported.stderr, /^the ledger lacks blocks \d+ to \d+, which were read before$/m)
  assert.match(imported.stdout, /^2620 payments imported, 0 already existed$/m, imported.stderr)
  const copied = join(folder, 'copied.csv')
  await runCommand(['export', 'payments', '--out', copied], others)
  assert.deepEqual(paymentsIn(copied), expected)
}

/** The same payment gets the same answer again. */
async function checkAnswers({ urlOf, expected }: Opened): Promise<void> {
  assert.equal(expected.answered.length, 8)
  for (const call of expected.answered) {
    const response = await repeat(urlOf, call)
    const body = Buffer.from(await response.arrayBuffer())
    const found = { status: response.status, bytes: body.length, sha256: toSha256(body) }
    const { status, bytes, sha256 } = call
    assert.deepEqual(found, { status, bytes, sha256 }, `${call.path} ${body.subarray(0, 500)}`)
    assert.equal(response.headers.get('tollbook-receipt'), call.receipt)
  }
}

/** Published weeks are served byte for byte, and so is the claim of a wallet. */
async function checkPublished({ urlOf, expected }: Opened): Promise<void> {
  const paths = Object.keys(expected.published)
  assert.ok(paths.length > 100)
  const found = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${urlOf('report')}${path}`)
      const body = Buffer.from(await response.arrayBuffer())
      return [path, { bytes: body.length, sha256: toSha256(body) }] as const
    }),
  )
  assert.deepEqual(Object.fromEntries(found), expected.published)
  const page = `${urlOf('report')}/merchants/base/${devPayTo.utility.toLowerCase()}`
  assert.deepEqual(await (await fetch(`${page}/claim.json`)).json(), expected.claim)
}

/** What wallets stored for money is there. */
async function checkRows({ state }: Opened): Promise<void> {
  const rows = await state.db.selectFrom('collection_row').select('body').orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ body }) => JSON.parse(body)),
    [{ ticker: 'BTC', note: 'watch' }, { ticker: 'ETH' }, { ticker: 'SOL', price: 12.5 }],
  )
  const pads = await state.db.selectFrom('pad').select(['name', 'version']).execute()
  assert.deepEqual(pads, [{ name: 'plan', version: 1 }])
}

/** Open calls are answered and paid, or released; the channel's vouchers are claimed; nobody pays more than that. */
async function checkMoney({ urlOf, state, expected }: Opened): Promise<void> {
  const chain = createPublicClient({ transport: http(urlOf('devchain')) })
  const balanceOf = (address: `0x${string}`) =>
    chain.readContract({ address: BASE.usdc, abi: ERC20, functionName: 'balanceOf', args: [address] })
  const rowOf = (account: number) =>
    state.db
      .selectFrom('paid_call')
      .select(['state', 'charge', 'signed_amount'])
      .where('payer', '=', walletOf(account).address.toLowerCase())
      .executeTakeFirstOrThrow()

  let received = BigInt(expected.balances.utility ?? 0) + OWED_BY_CHANNEL
  for (const call of expected.open) {
    const before = BigInt(expected.balances[call.account] ?? 0)
    // The payer of a stored answer fetches it. The others are recovered without their payers.
    if (call.state === 'settling') await untilAnswered(urlOf, call)
    let row = await rowOf(call.account)
    while (row.state !== 'released' && !row.state.startsWith('settled')) {
      await wait(100)
      row = await rowOf(call.account)
    }
    const charge = row.state === 'released' ? 0n : BigInt(row.charge ?? 0)
    assert.ok(charge <= row.signed_amount)
    assert.equal(await balanceOf(walletOf(call.account).address), before - charge, call.state)
    if (call.state === 'reserved') assert.equal(row.state, 'released')
    if (call.state === 'streaming') assert.ok(charge > 0n && row.state === 'settled-unfinished', row.state)
    if (call.service === 'utility') received += charge
  }
  while ((await balanceOf(devPayTo.utility)) < received) await wait(100)
  assert.equal(await balanceOf(devPayTo.utility), received)
  const channels = await state.db.selectFrom('payment_channel').select(['charged', 'balance']).execute()
  // The deposit stays in the channel: ten times the price at least, by the client's rule.
  assert.deepEqual(channels, [{ charged: Number(OWED_BY_CHANNEL), balance: 50_000 }])
}

/** Repeats a call whose answer is stored, until it is settled. If its payment ended meanwhile, it is refused. */
async function untilAnswered(urlOf: Opened['urlOf'], call: Expected['open'][number]): Promise<void> {
  for (;;) {
    const response = await repeat(urlOf, call)
    const text = await response.text()
    if (response.status === 200) return assert.equal((JSON.parse(text) as { result: unknown }).result, '42')
    const { code } = JSON.parse(text) as { code: string }
    if (code === 'payment_expired') return
    assert.ok(code === 'payment_in_flight' || code === 'settlement_unknown', text)
    await wait(200)
  }
}

async function repeat(
  urlOf: Opened['urlOf'],
  call: Expected['open'][number] | Expected['answered'][number],
): Promise<Response> {
  const { path, method, body, payment, account } = call
  const ask = (proof: Record<string, string> = {}) =>
    fetch(`${urlOf(call.service)}${path}`, {
      method,
      headers: {
        'payment-signature': payment,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...proof,
      },
      ...(body !== undefined && { body }),
    })
  let response = await ask()
  // A busy machine may exceed the time limit of an answer that is made again.
  while (response.status === 504) response = await ask()
  if (response.status !== 403) return response
  // Answers of a wallet's own data are given to who proves to be the payer.
  const { extensions } = (await response.json()) as { extensions: { 'sign-in-with-x': { info: object } } }
  const info = { ...extensions['sign-in-with-x'].info, chainId: 'eip155:8453', type: 'eip191' } as SIWxInfo
  const { resource } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { resource: { url: string } }
  const signed = await createSIWxPayload(info, walletOf(account), resource.url)
  return ask({ 'sign-in-with-x': encodeSIWxHeader(signed) })
}

const walletOf = (account: number) => privateKeyToAccount(DEV_CLIENT_KEYS[account] as `0x${string}`)
const toSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
