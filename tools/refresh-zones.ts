import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalType, Zone } from '@tollbook/utility/engines/timezone/zone'

/** `/api/timezone` accepts instants to 2100; the last of them has a next change. */
const END_YEAR = 2102
const DIGEST_END_YEAR = 2101

/**
 * Regenerates apps/utility/src/engines/timezone/data/ from the folder of an installed or unpacked `tzdata` (public domain)
 * that holds `tzdata.zi` and `zone.tab`: the zones, which `zic` compiles and `zdump` lists, the cities of zone.tab,
 * and digests of the output of `zdump`.
 *
 *   apt-get download tzdata && dpkg -x tzdata_*.deb unpacked
 *   npx node tools/refresh-zones.ts unpacked/usr/share/zoneinfo
 */
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: npx node tools/refresh-zones.ts <folder of tzdata.zi>\n')
  process.exit(2)
}

const source = join(folder, 'tzdata.zi')
const version = /^# version (\S+)/.exec(readFileSync(source, 'utf8'))?.[1] ?? 'unknown'
const compiled = mkdtempSync(join(tmpdir(), 'tollbook-zones-'))
try {
  // The zdump of glibc 2.36 misses some changes of slim files.
  execFileSync('zic', ['-b', 'fat', '-d', compiled, source])
  const names = globSync('**/*', { cwd: compiled, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(compiled.length + 1))
    .sort()
  const zones = groupNames(names, (name) => writeZone(readZdump(zdump(join(compiled, name), END_YEAR))))
  const digests = groupNames(names, (name) => digest(zdump(join(compiled, name), DIGEST_END_YEAR)))
  save('zones.txt', `from tzdata ${version}, by line: names|types|changes until 2102`, zones)
  save('zdump.txt', `from tzdata ${version}, by line: SHA-256 of zdump -i -c 1970,2101`, digests)
  const cities = readFileSync(join(folder, 'zone.tab'), 'utf8').split('\n')
  const rows = cities.filter((line) => line !== '' && !line.startsWith('#'))
  save(
    'zone.tab',
    `from tzdata ${version}, by line: country, place, zone`,
    rows.map((row) => row.split('\t').slice(0, 3).join('\t')),
  )
  process.stdout.write(`tzdata ${version}: ${names.length} names, ${zones.length} zones\n`)
} finally {
  rmSync(compiled, { recursive: true })
}

function groupNames(names: readonly string[], contentOf: (name: string) => string): readonly string[] {
  const groups = Map.groupBy(names, contentOf)
  return [...groups].map(([content, same]) => `${same.join(' ')}|${content}`)
}

/** The intervals since 1970 as listed by `zdump -i`, without the line that names the file. */
function zdump(file: string, endYear: number): string {
  const text = execFileSync('zdump', ['-i', '-c', `1970,${endYear}`, file], { encoding: 'utf8' })
  return text.slice(text.indexOf('\n-') + 1)
}

/**
 * Each line has local date and time after a change (`-` for the first type), offset, abbreviation, and 1 for DST.
 * The abbreviation is absent if it is the offset.
 */
function readZdump(text: string): Zone {
  const periods = text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [date = '', time = '', shown = '', name = '', dst = ''] = line.split('\t')
      const abbreviation = (name === '' ? shown : name).replaceAll('"', '')
      const type: LocalType = { offset: toSeconds(shown), isDst: dst === '1', abbreviation }
      return { seconds: Date.parse(`${date}T00:00Z`) / 1000 + toSeconds(time) - type.offset, type }
    })
  const [first, ...changes] = periods
  if (!first) throw new Error('zdump lists nothing')
  return { initial: first.type, changes }
}

/** `02`, `02:30:15`, `+0230` or `-004430`. */
function toSeconds(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = (text.match(/\d\d/g) ?? []).map(Number)
  const total = (hours * 60 + minutes) * 60 + seconds
  return text.startsWith('-') ? 0 - total : total
}

/**
 * The types, starting with the one in force at 1970-01-01, as `offset,isDst,abbreviation`; the changes since, as
 * `seconds since the previous one, in base 36:type`.
 */
function writeZone({ initial, changes }: Zone): string {
  const types = [...new Set([initial, ...changes.map(({ type }) => type)].map(writeType))]
  const written = changes.map(({ seconds, type }, at) => {
    const later = seconds - (changes[at - 1]?.seconds ?? 0)
    return `${later.toString(36)}:${types.indexOf(writeType(type))}`
  })
  return `${types.join(' ')}|${written.join(' ')}`
}

function writeType({ offset, isDst, abbreviation }: LocalType): string {
  return `${offset},${isDst ? 1 : 0},${abbreviation}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function save(file: string, header: string, lines: readonly string[]): void {
  const text = `# ${header}; public domain; made by refresh-zones.ts\n${lines.join('\n')}\n`
  writeFileSync(new URL(`../apps/utility/src/engines/timezone/data/${file}`, import.meta.url), text)
}
