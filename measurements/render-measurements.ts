import { AIMS, type Aim } from './aims.ts'
import { NOTES } from './notes.ts'
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
  const compared = judged.filter(({ peers, aims: own }) => peers.length > 0 || own.length > 0)
  const all = [...Map.groupBy(compared, ({ area }) => area)]
  const areas = all.filter(([, figures]) => !isZero(figures))
  const zeros = all.filter(([, figures]) => isZero(figures)).flatMap(([, figures]) => figures)
  return `${[
    '# Measurements',
    'Written by `npm run measurements` from `measurements/outputs`, which also has the settings (seeds, sizes, concurrency) and figures without a peer or an aim. `n` is the size of the sample. A peer was measured in the same run unless it is marked published. Ratios depend less on the machine than values. Of times and sizes, less is better.',
    '## What falls short',
    short.length > 0 ? toShortTable(short) : 'No measured figure misses its aim.',
    ...(unmeasured.length > 0
      ? [`Aims without a figure here: ${unmeasured.map(describeTarget).join('; ')}.`]
      : []),
    ...areas.flatMap(([area, figures], at) => describeArea(area, figures, areas[at - 1]?.[1] ?? [])),
    ...(zeros.length > 0 ? ['## Runs that found nothing', describeZeros(zeros)] : []),
  ].join('\n\n')}\n`
}

function isZero([only, ...others]: readonly Judged[]): boolean {
  if (only === undefined || others.length > 0 || only.peers.length > 0) return false
  return only.value === 0 && only.aims.every((aim) => isReached(aim, only))
}

function describeZeros(figures: readonly Judged[]): string {
  const runs = Map.groupBy(figures, (each) => `${describeRuns([each])}: ${each.figure}`)
  return [...runs].map(([run, zeros]) => `${run} (${zeros.map(({ area }) => area).join('; ')})`).join('\n')
}

function describeArea(
  area: string,
  figures: readonly Judged[],
  before: readonly Judged[],
): readonly string[] {
  const runs = describeRuns(figures)
  const sizes = new Set(figures.map(({ of }) => of))
  const [size = null] = sizes.size === 1 ? sizes : []
  const bare = size === null ? figures : figures.map((each) => ({ ...each, of: null }))
  const lines = [
    runs === describeRuns(before) ? '- the same run' : runs,
    ...(size === null ? [] : [`- n ${toText(size)}`]),
  ]
  const note = NOTES[area]
  const crossing = CROSSED[area] ?? /^$/
  const [crossed, plain] = [true, false].map((is) =>
    bare.filter(({ figure }) => crossing.test(figure) === is),
  )
  return [
    `## ${area}`,
    lines.join('\n'),
    ...(note === undefined ? [] : [note]),
    ...(plain?.length ? [toTable(plain)] : []),
    ...(crossed?.length ? [toCrossTable(crossed, crossing)] : []),
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

function describeRuns(figures: readonly Measured[]): string {
  const runs = new Set(
    figures.map(
      ({ run }) => `\`${run.command}\`, ${run.date}, ${run.machine}, Node ${run.node}, load ${run.load}`,
    ),
  )
  return [...runs].map((words) => `- ${words}`).join('\n')
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

/** A peer that all rows share is in the head. The processor time of a figure is in the figure's row. */
function toTable(figures: readonly Judged[]): string {
  const names = new Set(figures.flatMap(({ peers }) => peers.map(([name]) => name)))
  const [shared] = names.size === 1 ? names : []
  const toPeers = ({ peers }: Judged) =>
    peers.map(([name, value]) => (name === shared ? toText(value) : `${name} ${toText(value)}`)).join(', ')
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
  return toRows(['figure', 'measured', shared ?? 'peers', 'ratio', 'processor time', 'aim'], rows)
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
