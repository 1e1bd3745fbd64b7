import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPeriod } from '../src/engines/timezone/describe-place.ts'
import type { Change, LocalType } from '../src/engines/timezone/zone.ts'
import { readTzif } from './tzif.ts'

/**
 * Regenerates src/engines/timezone/data/ from the folder of an installed or unpacked `tzdata` (public domain)
 * that holds `tzdata.zi` and `zone.tab`: the zones, which `zic` compiles, the cities of zone.tab, and digests of the output of `zdump`.
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
  // `fat` includes every change up to 2037 and later ones that no rule describes; slim files of glibc 2.36
  // lack some.
  execFileSync('zic', ['-b', 'fat', '-d', compiled, source])
  const names = globSync('**/*', { cwd: compiled, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(compiled.length + 1))
    .sort()
  const zones = groupNames(names, (name) => writeZone(readTzif(readFileSync(join(compiled, name)))))
  const digests = groupNames(names, (name) => digestZdump(join(compiled, name)))
  save('zones.txt', `from tzdata ${version}, by line: names|types|changes|rule of later years`, zones)
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

/**
 * The types since 1970-01-01, starting with the one then in force, as `offset,isDst,abbreviation`; the
 * changes since, as `seconds since the previous one, in base 36:type`, without those that follow from the
 * rule; the rule.
 */
function writeZone({ zone: { initial, changes, rule }, ruleText }: ReturnType<typeof readTzif>): string {
  const kept = [...changes]
  while (kept.length > 0) {
    const shorter = { initial, changes: kept.slice(0, -1), rule }
    const { next } = findPeriod(shorter, kept.at(-2)?.seconds ?? 0)
    if (!next || describeChange(next) !== describeChange(kept.at(-1))) break
    kept.pop()
  }
  const types = [...new Set([initial, ...kept.map(({ type }) => type)].map(writeType))]
  const written = kept.map(({ seconds, type }, at) => {
    const later = seconds - (kept[at - 1]?.seconds ?? 0)
    return `${later.toString(36)}:${types.indexOf(writeType(type))}`
  })
  return `${types.join(' ')}|${written.join(' ')}|${ruleText}`
}

function writeType({ offset, isDst, abbreviation }: LocalType): string {
  return `${offset},${isDst ? 1 : 0},${abbreviation}`
}

function describeChange(change: Change | undefined): string {
  return change ? `${change.seconds} ${writeType(change.type)}` : ''
}

/** The intervals since 1970 as listed by `zdump -i`, without the line that names the file. */
function digestZdump(file: string): string {
  const text = execFileSync('zdump', ['-i', '-c', '1970,2101', file], { encoding: 'utf8' })
  const intervals = text.slice(text.indexOf('\n-') + 1)
  return createHash('sha256').update(intervals).digest('hex').slice(0, 32)
}

function save(file: string, header: string, lines: readonly string[]): void {
  const text = `# ${header}; public domain; made by refresh-zones.ts\n${lines.join('\n')}\n`
  writeFileSync(new URL(`../src/engines/timezone/data/${file}`, import.meta.url), text)
}
