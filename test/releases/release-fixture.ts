import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, constants, gzipSync } from 'node:zlib'
import { withoutSettings } from '@tollbook/testing/commands/running-command'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import pg from 'pg'

export type StateKind = 'sqlite' | 'postgres'

type Bought = {
  readonly service: 'utility' | 'social' | 'inference'
  readonly path: string
  readonly method: string
  readonly body?: string
  /** The value of `PAYMENT-SIGNATURE`. */
  readonly payment: string
  /** The number of a dev account. */
  readonly account: number
}

/** What the release served of the data folder. Its README says how it was made. */
export type Expected = {
  readonly writtenAt: string
  readonly answered: readonly (Bought & {
    readonly status: number
    readonly sha256: string
    readonly bytes: number
    readonly receipt: string
  })[]
  readonly open: readonly (Bought & { readonly state: 'streaming' | 'reserved' | 'settling' })[]
  /** Micro-USDC of dev accounts and of the utility service before the open calls are settled. */
  readonly balances: Readonly<Record<string, string>>
  readonly published: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>
  readonly claim: unknown
  readonly utility: { readonly tx: number; readonly usd: number }
}

const FIXTURES = join(import.meta.dirname, '../fixtures')
const SERVICES = ['report', 'utility', 'social', 'inference', 'facilitator', 'devchain'] as const

/** Unpacks the data folder, the exported payments and, for PostgreSQL, the dump `state.sql` of a release. */
export function unpackRelease(release: string, kind: StateKind, folder: string): Expected {
  const tar = brotliDecompressSync(readFileSync(join(FIXTURES, release, `${kind}.tar.br`)))
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: tar })
  const chain = join(folder, 'data/dev-chain.json')
  writeFileSync(`${chain}.gz`, gzipSync(readFileSync(chain), { level: constants.Z_BEST_SPEED }))
  rmSync(chain)
  return JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected
}

/** Restores the dump of a PostgreSQL state into an empty database. */
export async function restoreDump(folder: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(readFileSync(join(folder, 'state.sql'), 'utf8'))
  await client.end()
}

/** The settings with which today's product opens an unpacked data folder, on free ports. */
export async function settingsFor(
  folder: string,
  { open, answered }: Expected,
  stateUrl?: string,
): Promise<NodeJS.ProcessEnv> {
  const ports = await Promise.all(SERVICES.map(async (service) => [service, await findFreePort()] as const))
  // A payment is for the address that the release had.
  const origins = new Map([...answered, ...open].map(({ service, payment }) => [service, originOf(payment)]))
  return {
    ...withoutSettings(),
    ...Object.fromEntries(
      ports.map(([service, port]) => [`TOLLBOOK_${service.toUpperCase()}_PORT`, `${port}`]),
    ),
    ...Object.fromEntries(
      [...origins].map(([service, origin]) => [`TOLLBOOK_${service.toUpperCase()}_BASE_URL`, origin]),
    ),
    TOLLBOOK_REPORT_BASE_URL: 'https://report.example',
    TOLLBOOK_DATA_DIR: join(folder, 'data'),
    ...(stateUrl && { TOLLBOOK_STATE_URL: stateUrl }),
    TOLLBOOK_MEDIAWIKI_URL: 'off',
    TOLLBOOK_LOCAL_SERVERS: 'ignore',
    TOLLBOOK_LOG_LEVEL: 'warn',
  }
}

/** Makes a process of Node.js and its children start at a time: stored answers and payments end. */
export function startingAt(moment: string): NodeJS.ProcessEnv {
  const script = `
    const Real = Date
    const offset = Real.parse('${moment}') - Real.now()
    globalThis.Date = class Date extends Real {
      constructor(...parts) { super(...(parts.length === 0 ? [Real.now() + offset] : parts)) }
      static now() { return Real.now() + offset }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

function originOf(payment: string): string {
  const { resource } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { resource: { url: string } }
  return new URL(resource.url).origin
}
