import { AIMS, type Aim } from './aims.ts'
import { NOTES } from './notes.ts'
import type { Measured } from './read-outputs.ts'

const LESS = /, less is better$/

/**
 * Writes the figures with a peer or an aim as one Markdown page: first those that miss their aim, then each
 * area in order of appearance.
 */
export function renderMeasurements(measured: readonly Measured[], aims: readonly Aim[] = AIMS): string {
  const judged = measured.map((each) => ({ ...each, aims: aims.filter((aim) => isAbout(aim, each)) }))
  const short = judged.filter(({ aims: own, ...each }) => own.some((aim) => !isReached(aim, each)))
  const unmeasured = aims.filter((aim) => !measured.some((each) => isAbout(aim, each)))
  const compared = judged.filter(({ peers, aims: own }) => peers.length > 0 || own.length > 0)
  const areas = [...Map.groupBy(compared, ({ area }) => area)]
  return `${[
    '# Measurements',
    'Written by `npm run measurements` from `measurements/outputs`, which also has figures without a peer or an aim, and the settings (seeds, sizes, concurrency). `n` is the size of the sample. A peer was measured in the same run unless it is marked published. Ratios depend less on the machine than values. Of times and sizes, less is better.',
    '## What falls short',
    short.length > 0
      ? toTable(short, ({ area, figure }) => `${area}: ${figure}`)
      : 'No measured figure misses its aim.',
    ...(unmeasured.length > 0
      ? [`Aims without a figure here: ${unmeasured.map(describeTarget).join('; ')}.`]
      : []),
    ...areas.flatMap(([area, figures], at) => {
      const [runs, before] = [describeRuns(figures), describeRuns(areas[at - 1]?.[1] ?? [])]
      const sizes = new Set(figures.map(({ of }) => of))
      const [size = null] = sizes.size === 1 ? sizes : []
      const bare = size === null ? figures : figures.map((each) => ({ ...each, of: null }))
      const lines = [
        runs === before ? '- the same run' : runs,
        ...(size === null ? [] : [`- n ${toText(size)}`]),
      ]
      const note = NOTES[area]
      const table = toTable(bare, ({ figure }) => figure)
      return [`## ${area}`, lines.join('\n'), ...(note === undefined ? [] : [note]), table]
    }),
  ].join('\n\n')}\n`
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

/** A table without the columns that are empty in every row. */
function toTable(figures: readonly Judged[], nameOf: (figure: Judged) => string): string {
  const cells = figures.map((judged) => {
    const { unit, value, of, peers, ratio, aims } = judged
    return [
      nameOf(judged),
      `${toText(value)} ${unit.replace(LESS, '')}${of === null ? '' : ` (n ${toText(of)})`}`
        .replace(/ +/, ' ')
        .trim(),
      peers.map(([name, peerValue]) => `${name} ${toText(peerValue)}`).join(', '),
      ratio === null ? '' : toText(ratio),
      aims.map(describeAim).join('; '),
    ].map((cell) => cell.replaceAll('|', '\\|'))
  })
  const rows = [['figure', 'measured', 'peers', 'ratio', 'aim'], ...cells]
  const filled = [...(rows[0] ?? []).keys()].filter((column) => cells.some((row) => row[column]))
  const lines = rows.map((row) => `| ${filled.map((column) => row[column]).join(' | ')} |`)
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
