import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { openState } from '@tollbook/cli/commands/state/open'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { runCommand, startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { startOwnCluster, whyNoClickhouse } from '@tollbook/testing/ledger/clickhouse'
import { sendCall, toAuthorizedTransfer } from '@tollbook/testing/report/chain-payments'

const SHOP = `0x${'5a'.repeat(20)}` as const

let chain: DevChain
let folder: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-ledger-commands-'))
  chain = await startDevChain({ port: 0, clock: 'stopped' })
  for (let payer = 0; payer < 3; payer++) {
    const payment = { payer, to: SHOP, amount: BigInt(payer + 1) * 10_000n, salt: `export ${payer}` }
    await sendCall(chain, devFacilitatorAddress, await toAuthorizedTransfer(payment))
  }
  await chain.skipTime(1)
})
after(async () => {
  await chain?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('what one ledger exports another imports, and both publish the same; backup and check cover the rest', async () => {
  const [first, second] = [environmentOf('first'), environmentOf('second')]
  const indexer = await startCommand(['index'], first)
  // Everything that is named can be reached, and the ledger belongs to somebody.
  const checked = await runCommand(['check', 'index'], {
    ...first,
    TOLLBOOK_INDEXER_URL: indexer.addresses.evidence,
  })
  assert.equal(checked.code, 0, checked.stdout)
  assert.match(checked.stdout, /^ok +chain +the local chain \(play money, not Base\) at 127\.0\.0\.1/m)
  assert.match(checked.stdout, /^note +ledger .* belongs to the running indexer$/m)
  const copied = await runCommand(['backup', join(folder, 'copy')], first)
  assert.equal(copied.code, 0, copied.stderr)
  assert.equal(await indexer.close(), 0)

  const file = join(folder, 'payments.parquet')
  const exported = await runCommand(['export', 'payments', '--out', file, '--from', '2020-01-01'], first)
  assert.equal(exported.code, 0, exported.stderr)
  assert.match(exported.stdout, /^3 payments of blocks 0 to \d+ in /)
  const imported = await runCommand(['import', 'payments', file], second)
  assert.equal(imported.code, 0, imported.stderr)
  assert.match(imported.stdout, /^3 payments imported, 0 already existed$/m)
  const published = await runCommand(['publish'], second)
  assert.match(published.stdout, /^1 merchants, 1 reports written, 0 frozen$/m)
  const corrected = await runCommand(['publish', '--week', '2020-01-05', '--correct', 'A test.'], second)
  assert.equal(corrected.code, 70)
  assert.match(corrected.stderr, /the week 2020-01-05 is not published, so there is nothing to correct/)

  const reports = await Promise.all(['first', 'second', 'copy'].map(readReport))
  assert.equal(reports[0]?.tx, 3)
  assert.deepEqual(reports[1], reports[0])
  assert.deepEqual(reports[2], reports[0])
})

test('a cluster is the ledger of an indexer and a report service, and its absence is reported', {
  skip: whyNoClickhouse() ?? false,
}, async () => {
  const cluster = await startOwnCluster()
  const environment: NodeJS.ProcessEnv = {
    ...environmentOf('cluster'),
    TOLLBOOK_LEDGER_URL: cluster.url,
    TOLLBOOK_REPORT_PORT: '0',
  }
  const indexer = await startCommand(['index'], environment)
  const { TOLLBOOK_REPORT_BASE_URL: _, ...ownAddress } = environment
  const report = await startCommand(['serve', 'report'], ownAddress)
  try {
    const checked = await runCommand(['check', 'index'], environment)
    assert.match(checked.stdout, /^ok +ledger .*cluster tollbook: 2 shards, 2 servers/m)
    const url = `${report.addresses.report}/merchants/base/${SHOP}`
    const payments = await fetch(`${url}/payments.ndjson`)
    const rows = (await payments.text()).trim().split('\n')
    assert.deepEqual(
      rows.map((row) => (JSON.parse(row) as { amount_usd: number }).amount_usd),
      [0.01, 0.02, 0.03],
    )
    await cluster.close()
    assert.equal((await fetch(`${url}.json`)).status, 200)
    assert.equal((await fetch(`${url}/payments.ndjson`)).status, 503)
  } finally {
    await Promise.all([report.close(), indexer.close()])
  }
})

function environmentOf(name: string): NodeJS.ProcessEnv {
  return {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: join(folder, name),
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_REPORT_BASE_URL: 'https://report.example',
    TOLLBOOK_INDEXER_PORT: '0',
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_LOG_LEVEL: 'warn',
  }
}

/** The one report that a state holds, without the moment at which it was made. */
async function readReport(name: string): Promise<Record<string, unknown> & { tx?: number }> {
  const state = await openState(`sqlite:${join(folder, name, 'state.sqlite')}`)
  try {
    const { body } = await state.db
      .selectFrom('report_texts')
      .select('body')
      .where('edition', '=', 'rolling')
      .executeTakeFirstOrThrow()
    const { generated_at: _, ...report } = JSON.parse(body) as Record<string, unknown>
    return report
  } finally {
    await state.close()
  }
}
