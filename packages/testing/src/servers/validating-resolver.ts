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
  /** Further arguments of `dnssec-signzone`. */
  readonly sign?: readonly string[]
  /** Changes the signed zone file. */
  readonly spoil?: (file: string) => string
  /** Whether the root shall not publish its digest. */
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
 * Two name servers of BIND on loopback: one is authoritative for zones that BIND's tools signed and does not
 * validate, one is a resolver that queries the first one and validates with the root's key.
 * @param zones the root is the last one
 */
export async function startValidatingResolver(zones: readonly SignedZone[]) {
  const folder = mkdtempSync(join(tmpdir(), 'zones-'))
  const digests: string[] = []
  for (const zone of zones) {
    const digest = signZone(zone, { folder, digests })
    if (!zone.isUnlinked) digests.push(digest)
  }
  const statements = zones.map(
    ({ zone }) => `zone "${zone}" { type primary; file "${fileOf(zone)}.signed"; };`,
  )
  const authority = await startNamed('authority', {
    folder,
    options: 'recursion no; dnssec-validation no;',
    statements: statements.join('\n'),
  })
  const port = authority.address.split(':')[1]
  // `. IN DS <tag> <algorithm> <digest type> <digest>`
  const [tag, algorithm, digestType, digest] = digests.at(-1)?.trim().split(' DS ')[1]?.split(' ') ?? []
  const resolver = await startNamed('resolver', {
    folder,
    options: `recursion yes; dnssec-validation yes; forward only; forwarders { 127.0.0.1 port ${port}; };`,
    statements: `trust-anchors { . static-ds ${tag} ${algorithm} ${digestType} "${digest}"; };`,
  })
  return {
    resolver: resolver.address,
    /** Does not set AD. */
    authority: authority.address,
    async close() {
      await Promise.all([authority.close(), resolver.close()])
      rmSync(folder, { recursive: true })
    },
  }
}

async function startNamed(
  name: string,
  { folder, options, statements }: Readonly<Record<'folder' | 'options' | 'statements', string>>,
) {
  const port = await freePort()
  const file = join(folder, `${name}.conf`)
  const place = `directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    pid-file none; session-keyfile none; empty-zones-enable no; ${options}`
  writeFileSync(file, `options { ${place} };\ncontrols { };\n${statements}\n`)
  const named = spawn('named', ['-g', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
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
    async close() {
      named.kill()
      await exited
    },
  }
}

/** Signs a zone, and returns its DS record. */
function signZone(
  { zone, records, sign = [], spoil = (file) => file }: SignedZone,
  { folder, digests }: { readonly folder: string; readonly digests: readonly string[] },
): string {
  const origin = zone === '.' ? '.' : `${zone}.`
  const keys = join(folder, `keys-${fileOf(zone)}`)
  mkdirSync(keys)
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  for (const kind of [[], ['-f', 'KSK']])
    run('dnssec-keygen', ['-q', '-K', keys, '-a', 'ECDSAP256SHA256', ...kind, origin])
  const publicKeys = readdirSync(keys).filter((file) => file.endsWith('.key'))
  const source = [
    `$TTL 300\n$ORIGIN ${origin}\n@ SOA ns hostmaster 1 7200 3600 1209600 300\n@ NS ns\nns A 127.0.0.1\n`,
    records,
    ...(zone === '.' ? digests : []),
    ...publicKeys.map((file) => readFileSync(join(keys, file), 'utf8')),
  ]
  const file = join(folder, fileOf(zone))
  writeFileSync(file, `${source.join('\n')}\n`)
  run('dnssec-signzone', ['-q', '-P', '-K', keys, '-o', origin, ...sign, file])
  writeFileSync(`${file}.signed`, spoil(readFileSync(`${file}.signed`, 'utf8')))
  const ksk = publicKeys.find((key) => / 257 3 /.test(readFileSync(join(keys, key), 'utf8'))) ?? ''
  return run('dnssec-dsfromkey', ['-2', join(keys, ksk)])
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
