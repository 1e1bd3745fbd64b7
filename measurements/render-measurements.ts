import { AIMS, type Aim } from './aims.ts'
import { isOmitted, NOTES } from './notes.ts'
import type { Measured } from './read-outputs.ts'

const LESS = /, less is better$/

/** Areas whose figures are measured for several cases: how a name splits into a row and a column. */
const CROSSED: Readonly<Record<string, RegExp>> = {
  growth: /^(?<row>.*), (?<column>ledger of .*)$/,
  soak: /^(?<row>[^:]+): (?<column>.*)$/,
}

/**
 * Writes the figures with a peer or an aim as one Markdown page: first those that miss their aim, then each
 * area in order of appearance, at last those whose only figure has to be zero and is.
 */
export function renderMeasurements(measured: readonly Measured[], aims: readonly Aim[] = AIMS): string {
  const judged = measured.map((each) => ({ ...each, aims: aims.filter((aim) => isAbout(aim, each)) }))
  const short = judged.filter(({ aims: own, ...each }) => own.some((aim) => !isReached(aim, each)))
  const unmeasured = aims.filter((aim) => !measured.some((each) => isAbout(aim, each)))
  const shown = judged.filter(
    (each) => each.aims.length > 0 || (each.peers.length > 0 && !isOmitted(each.area, each.figure)),
  )
  const machines = [...new Set(shown.map(toMachine))]
  const all = [...Map.groupBy(shown, ({ area }) => area)].map(([area, figures]) => ({
    areas: [area],
    figures,
    runs: describeRuns(figures, machines),
  }))
  const sections = all.filter(({ figures }) => !isZero(figures)).reduce(joinSmall, [])
  const zeros = Map.groupBy(
    all.filter(({ figures }) => isZero(figures)),
    ({ figures, runs }) => `${runs}: ${figures[0]?.figure}`,
  )
  return `${[
    '# Measurements',
    'Written by `npm run measurements` from `measurements/outputs`, which also has the settings (seeds, sizes, concurrency) and further figures. `n` is the size of the sample. A peer was measured in the same run unless it is marked published. Ratios depend less on the machine than values. Of times and sizes, less is better.',
    machines.map((machine, at) => `Machine ${LETTERS[at]}: ${machine}.`).join(' '),
    '## What falls short',
    short.length > 0 ? toShortTable(short) : 'No measured figure misses its aim.',
    ...(unmeasured.length > 0
      ? [`Aims without a figure here: ${unmeasured.map(describeTarget).join('; ')}.`]
      : []),
    ...sections.flatMap((section, at) => describeSection(section, sections[at - 1])),
    ...(zeros.size > 0
      ? [
          '## Runs that found nothing',
          [...zeros]
            .map(([run, found]) => `${run} (${found.flatMap(({ areas }) => areas).join('; ')})`)
            .join('\n'),
        ]
      : []),
  ].join('\n\n')}\n`
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Areas that one table shows. */
type Section = {
  readonly areas: readonly string[]
  readonly figures: readonly Judged[]
  readonly runs: string
}

/** Small areas of the same run become one section. */
function joinSmall(sections: readonly Section[], next: Section): readonly Section[] {
  const last = sections.at(-1)
  const isSmall = ({ areas, figures }: Section) =>
    figures.length <= 2 * areas.length && areas.every((area) => !(area in NOTES))
  if (!last || last.runs !== next.runs || !isSmall(last) || !isSmall(next)) return [...sections, next]
  const areas = [...last.areas, ...next.areas]
  return [...sections.slice(0, -1), { areas, figures: [...last.figures, ...next.figures], runs: next.runs }]
}

function isZero([only, ...others]: readonly Judged[]): boolean {
  if (only === undefined || others.length > 0 || only.peers.length > 0) return false
  return only.value === 0 && only.aims.every((aim) => isReached(aim, only))
}

function describeSection({ areas, figures, runs }: Section, before?: Section): readonly string[] {
  const [area = ''] = areas
  const sizes = new Set(figures.map(({ of }) => of))
  const [size = null] = sizes.size === 1 ? sizes : []
  const named = figures.map((each) => ({
    ...each,
    figure: areas.length > 1 ? `${each.area}: ${each.figure}` : each.figure,
    of: size === null ? each.of : null,
  }))
  const lines = [
    runs === before?.runs ? '- the same run' : runs,
    ...(size === null ? [] : [`- n ${toText(size)}`]),
  ]
  const note = NOTES[area]
  const crossing = CROSSED[area] ?? /^$/
  const plain = named.filter(({ figure }) => !crossing.test(figure))
  const crossed = named.filter(({ figure }) => crossing.test(figure))
  return [
    `## ${areas.join(', ')}`,
    lines.join('\n'),
    ...(note === undefined ? [] : [note]),
    ...(plain.length > 0 ? [toTable(plain)] : []),
    ...(crossed.length > 0 ? [toCrossTable(crossed, crossing)] : []),
  ]
}

type Judged = Measured & { readonly aims: readonly Aim[] }

function isAbout({ area, figure, peer }: Aim, measured: Measured): boolean {
  return (
    isNamed(measured.area, area) &&
    isNamed(measured.figure, figure) &&
    (peer === undefined || measured.peers.some(([name]) => name.startsWith(peer)))
  )
}

/** Whether a name matches a pattern in which a star stands for any text. */
function isNamed(name: string, pattern: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[^\w ]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`).test(name)
}

function isReached({ of, atLeast, atMost }: Aim, { value, ratio }: Measured): boolean {
  const judged = of === 'ratio' ? ratio : value
  if (judged === null) return false
  return (atLeast === undefined || judged >= atLeast) && (atMost === undefined || judged <= atMost)
}

function describeRuns(figures: readonly Measured[], machines: readonly string[]): string {
  const runs = figures.map((each) => {
    const { command, date, load } = each.run
    return `- \`${command}\`, ${date}, machine ${LETTERS[machines.indexOf(toMachine(each))]}, load ${load}`
  })
  return [...new Set(runs)].join('\n')
}

function toMachine({ run }: Measured): string {
  return `${run.machine}, Node ${run.node}`
}

/** Each figure once, also if it has several peers. */
function toShortTable(figures: readonly Judged[]): string {
  const rows = figures.map((judged) => [
    `${judged.area}: ${judged.figure}`,
    toMeasured(judged),
    judged.aims.some(({ of }) => of === 'ratio') && judged.ratio !== null ? toText(judged.ratio) : '',
    judged.aims.map(describeAim).join('; '),
  ])
  const unique = new Map(rows.map((row) => [row.join('|'), row]))
  return toRows(['figure', 'measured', 'ratio', 'aim'], [...unique.values()])
}

/** The most frequent peer is in the head. The processor time of a figure is in the figure's row. */
function toTable(figures: readonly Judged[]): string {
  const peersOf = Map.groupBy(
    figures.flatMap(({ peers }) => peers.map(([name]) => name)),
    (name) => name,
  )
  const [[shared, uses] = [undefined, []]] = [...peersOf].toSorted(([, a], [, b]) => b.length - a.length)
  const isShared = peersOf.size === 1 || uses.length > 4
  const toPeers = ({ peers }: Judged) =>
    peers
      .map(([name, value]) => (isShared && name === shared ? toText(value) : `${name} ${toText(value)}`))
      .join(', ')
  const times = new Map(
    figures.flatMap((each) => {
      const own = each.aims.length === 0 ? figures.find((other) => isTimeOf(each, other)) : undefined
      return own ? [[own, each] as const] : []
    }),
  )
  const folded = new Set(times.values())
  const rows = figures
    .filter((each) => !folded.has(each))
    .map((judged) => {
      const time = times.get(judged)
      return [
        judged.figure,
        toMeasured(judged),
        toPeers(judged),
        judged.ratio === null ? '' : toText(judged.ratio),
        time ? `${toMeasured(time)}, peer ${time.peers.map(([, value]) => toText(value)).join(', ')}` : '',
        judged.aims.map(describeAim).join('; '),
      ]
    })
  return toRows(
    ['figure', 'measured', (isShared && shared) || 'peers', 'ratio', 'processor time', 'aim'],
    rows,
  )
}

function isTimeOf(time: Judged, { figure, peers }: Judged): boolean {
  return time.figure === `processor time of ${figure}` && time.peers[0]?.[0] === peers[0]?.[0]
}

/** A row and a column for each part of a figure's name; the aim of a column, and a common peer, are in the head. */
function toCrossTable(figures: readonly Judged[], crossing: RegExp): string {
  const cells = figures.map((judged) => ({ judged, ...crossing.exec(judged.figure)?.groups }) as Crossed)
  const columns = [...Map.groupBy(cells, ({ column }) => column)]
  const [peer] = figures[0]?.peers[0] ?? []
  const head = columns.map(([column, [first]]) =>
    [column, ...(first?.judged.aims ?? []).map(describeAim)].join(', '),
  )
  const rows = [...Map.groupBy(cells, ({ row }) => row)].map(([row, [first, ...others]]) => [
    row,
    ...(peer === undefined ? [] : [toText(first?.judged.peers[0]?.[1] ?? 0)]),
    ...columns.map(([column]) => {
      const found = [first, ...others].find((cell) => cell?.column === column)
      return found ? toMeasured(found.judged) : ''
    }),
  ])
  return toRows(['figure', ...(peer === undefined ? [] : [peer]), ...head], rows)
}

type Crossed = { readonly judged: Judged; readonly row: string; readonly column: string }

function toMeasured({ value, unit, of }: Judged): string {
  const size = of === null ? '' : ` (n ${toText(of)})`
  return `${toText(value)} ${unit.replace(LESS, '')}${size}`.replace(/ +/, ' ').trim()
}

/** A table without the columns that are empty in every row. */
function toRows(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const filled = [...head.keys()].filter((column) => rows.some((row) => row[column]))
  const lines = [head, ...rows].map(
    (row) => `| ${filled.map((column) => (row[column] ?? '').replaceAll('|', '\\|')).join(' | ')} |`,
  )
  return [lines[0], `|${'---|'.repeat(filled.length)}`, ...lines.slice(1)].join('\n')
}

function describeTarget({ area, figure, peer }: Aim): string {
  return `${area}, ${figure}${peer === undefined ? '' : ` (against ${peer})`}`
}

function describeAim({ of, atLeast, atMost }: Aim): string {
  const bounds = [
    atLeast === undefined ? null : `at least ${toText(atLeast)}`,
    atMost === undefined ? null : `at most ${toText(atMost)}`,
  ].filter((bound) => bound !== null)
  return `${of === 'ratio' ? 'ratio ' : ''}${bounds.join(', ')}`
}

/** Four significant digits, with thousands separators. */
function toText(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(4)))
}
