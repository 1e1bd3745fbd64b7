import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type SignedZone = {
  /** Without the last dot; `.` is the root. */
  readonly zone: string
  readonly records: string
  readonly algorithm: string
  /** Further arguments of `dnssec-signzone`, such as `-3 ab` for NSEC3. */
  readonly sign?: readonly string[]
  /** Changes the signed zone file. */
  readonly spoil?: (file: string) => string
  /** Whether its parent shall not publish its digest. */
  readonly isUnlinked?: boolean
}

/** Whether BIND is installed. */
export function hasBind(): boolean {
  try {
    execFileSync('named', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * BIND's name server on loopback with zones that BIND's tools signed, children before their parents.
 * @returns its address and the root's DS record
 */
export async function startSignedZones(zones: readonly SignedZone[]) {
  const folder = mkdtempSync(join(tmpdir(), 'zones-'))
  const digests = new Map<string, string>()
  for (const zone of zones) digests.set(zone.zone, signZone(zone, { folder, digests, zones }))
  const port = await freePort()
  const statements = zones.map(
    ({ zone }) => `zone "${zone}" { type primary; file "${fileOf(zone)}.signed"; };`,
  )
  const options = `directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    recursion no; pid-file none; session-keyfile none; minimal-responses yes; dnssec-validation no;`
  writeFileSync(
    join(folder, 'named.conf'),
    `options { ${options} };\ncontrols { };\n${statements.join('\n')}\n`,
  )
  const named = spawn('named', ['-g', '-c', join(folder, 'named.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(named, 'exit')
  const log: string[] = []
  for await (const line of createInterface({ input: named.stderr })) {
    log.push(line)
    if (/\brunning$/.test(line)) break
  }
  if (!/\brunning$/.test(log.at(-1) ?? '')) throw new Error(log.join('\n'))
  named.stderr.resume()
  return {
    address: `127.0.0.1:${port}`,
    rootDigest: digests.get('.') ?? '',
    async close() {
      named.kill()
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}

type Place = {
  readonly folder: string
  readonly digests: ReadonlyMap<string, string>
  readonly zones: readonly SignedZone[]
}

/** Signs a zone, and returns its DS records. */
function signZone(zone: SignedZone, { folder, digests, zones }: Place): string {
  const { zone: name, records, algorithm, sign = [], spoil = (file) => file } = zone
  const origin = name === '.' ? '.' : `${name}.`
  const keys = join(folder, `keys-${fileOf(name)}`)
  mkdirSync(keys)
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  for (const kind of [[], ['-f', 'KSK']])
    run('dnssec-keygen', ['-q', '-K', keys, '-a', algorithm, ...kind, origin])
  const linked = zones.filter((child) => parentOf(child.zone) === name && !child.isUnlinked)
  const publicKeys = readdirSync(keys).filter((file) => file.endsWith('.key'))
  const source = [
    `$TTL 300\n$ORIGIN ${origin}\n@ SOA ns hostmaster 1 7200 3600 1209600 300\n@ NS ns\nns A 127.0.0.1\n`,
    records,
    ...linked.map((child) => digests.get(child.zone) ?? ''),
    ...publicKeys.map((file) => readFileSync(join(keys, file), 'utf8')),
  ]
  const file = join(folder, fileOf(name))
  writeFileSync(file, `${source.join('\n')}\n`)
  run('dnssec-signzone', ['-q', '-P', '-K', keys, '-o', origin, ...sign, file])
  writeFileSync(`${file}.signed`, spoil(readFileSync(`${file}.signed`, 'utf8')))
  const ksk = publicKeys.find((key) => / 257 3 /.test(readFileSync(join(keys, key), 'utf8'))) ?? ''
  return run('dnssec-dsfromkey', ['-2', join(keys, ksk)])
}

function parentOf(zone: string): string | null {
  if (zone === '.') return null
  return zone.split('.').slice(1).join('.') || '.'
}

function fileOf(zone: string): string {
  return zone === '.' ? 'root' : zone
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
