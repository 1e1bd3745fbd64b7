/**
 * Writes what a release leaves on disk, for tests of the releases after it. In a checkout of that release:
 * `npx node tools/release-fixtures/write.ts test/fixtures/<version>`. Needs PostgreSQL 15 with pg_dump (Debian:
 * `apt-get install postgresql-15`): newer servers read its dump. Takes five minutes, most of them for Brotli.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib'
import { openState } from '@tollbook/cli/commands/state/open'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { runCommand, startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { openBuyers } from './buyers.ts'
import { claimMerchant, readPublished, untilReported } from './published.ts'
import { startSilentUpstream } from './silent-upstream.ts'
import { startDumpedPostgres } from './start-postgres.ts'

/** Published documents contain it. */
const REPORT_URL = 'https://report.example'
const SERVICES = ['report', 'utility', 'social', 'inference', 'facilitator', 'devchain'] as const

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('the folder to write to is missing')
mkdirSync(folder, { recursive: true })
const upstreamUrl = await startSilentUpstream()
await write('sqlite')
const database = startDumpedPostgres()
try {
  await write('postgres', database)
} finally {
  database.close()
}
process.exit(0)

async function write(name: string, postgres?: ReturnType<typeof startDumpedPostgres>): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'tollbook-fixture-'))
  const data = join(work, 'data')
  const models = join(work, 'models.json')
  const upstreams = [{ base_url: `${upstreamUrl}/v1`, model: 'm' }]
  writeFileSync(models, JSON.stringify({ tiers: { 'tier-2': { upstreams } } }))
  const ports = new Map<string, number>()
  for (const service of SERVICES) ports.set(service, await findFreePort())
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    ...Object.fromEntries(
      [...ports].map(([service, port]) => [`TOLLBOOK_${service.toUpperCase()}_PORT`, `${port}`]),
    ),
    TOLLBOOK_DATA_DIR: data,
    ...(postgres && { TOLLBOOK_STATE_URL: postgres.url }),
    TOLLBOOK_REPORT_BASE_URL: REPORT_URL,
    TOLLBOOK_MEDIAWIKI_URL: 'off',
    TOLLBOOK_LOCAL_SERVERS: 'ignore',
    TOLLBOOK_MODELS_FILE: models,
    TOLLBOOK_PRIVATE_NETWORK: 'allow',
    TOLLBOOK_PUBLISH_SECONDS: '1',
    TOLLBOOK_LOG_LEVEL: 'warn',
    TOLLBOOK_CHANNEL_QUIET_SECONDS: '86400',
    TOLLBOOK_CHANNEL_CLAIM_SECONDS: '86400',
  }
  const urlOf = (service: string) => `http://127.0.0.1:${ports.get(service)}`
  const product = await startCommand(['start'], environment)
  const state = await openState(postgres?.url ?? `sqlite:${join(data, 'state.sqlite')}`)
  const buyers = openBuyers({ urlOf, rpcUrl: urlOf('devchain'), state, environment })
  const payments = await buyers.buySettled()
  await untilReported(urlOf('report'), ({ tx }) => tx === payments)
  await claimMerchant(urlOf('report'))
  const published = await readPublished(urlOf('report'))
  await buyers.leaveOpen(upstreamUrl)
  await product.kill()
  const writtenAt = new Date().toISOString()
  await state.close()
  // The guard of the dev chain stores the chain, and ends.
  while (await fetch(urlOf('devchain'), { method: 'POST', body: '{}' }).then(Boolean, () => false))
    await wait(100)
  assert.ok(existsSync(join(data, 'dev-chain.json.gz')))
  execFileSync('cp', ['-a', data, join(work, 'kept')])
  const dump = postgres?.dump()

  // The ledger as this release exports it, from the copy that is not kept.
  const devChain = await startDevChain({ port: ports.get('devchain') ?? 0, dataDir: data })
  mkdirSync(join(work, 'export'))
  for (const file of ['payments.parquet', 'payments.csv']) {
    const words = ['export', 'payments', '--out', join(work, 'export', file)]
    const { code, stderr } = await runCommand(words, environment)
    assert.equal(code, 0, stderr)
  }
  await devChain.close()

  rmSync(data, { recursive: true })
  execFileSync('mv', [join(work, 'kept'), data])
  rmSync(join(data, 'tollbook.log'), { force: true })
  // Not compressed twice: Brotli makes it half as large as gzip.
  writeFileSync(join(data, 'dev-chain.json'), gunzipSync(readFileSync(join(data, 'dev-chain.json.gz'))))
  rmSync(join(data, 'dev-chain.json.gz'))
  const expected = { writtenAt, ...buyers.expected(), ...published }
  writeFileSync(join(work, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`)
  if (dump) writeFileSync(join(work, 'state.sql'), dump)
  const parts = ['data', 'export', 'expected.json', ...(dump ? ['state.sql'] : [])]
  const options = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-cf', '-']
  const tar = execFileSync('tar', [...options, ...parts], { cwd: work, maxBuffer: 2 ** 30 })
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: tar.length }
  writeFileSync(join(folder as string, `${name}.tar.br`), brotliCompressSync(tar, { params }))
  rmSync(work, { recursive: true })
}
