import { AIMS, type Aim } from './aims.ts'
import type { Measured } from './read-outputs.ts'

/**
 * Writes all figures as one Markdown page: first those that miss their aim, then each area in order of
 * appearance.
 */
export function renderMeasurements(measured: readonly Measured[], aims: readonly Aim[] = AIMS): string {
  const judged = measured.map((each) => ({ ...each, aims: aims.filter((aim) => isAbout(aim, each)) }))
  const short = judged.filter(({ aims: own, ...each }) => own.some((aim) => !isReached(aim, each)))
  const unmeasured = aims.filter((aim) => !measured.some((each) => isAbout(aim, each)))
  const areas = [...Map.groupBy(judged, ({ area }) => area)]
  return `${[
    '# Measurements',
    'Written by `npm run measurements` from `measurements/outputs`, which also has the settings of each figure (seeds, sizes, concurrency). `n` is the size of the sample. A peer was measured in the same run unless it is marked published. Ratios depend less on the machine than values.',
    '## What falls short',
    short.length > 0
      ? toTable(short, ({ area, figure }) => `${area}: ${figure}`)
      : 'No measured figure misses its aim.',
    ...(unmeasured.length > 0
      ? [`Aims without a figure here: ${unmeasured.map(describeTarget).join('; ')}.`]
      : []),
    ...areas.flatMap(([area, figures]) => [
      `## ${area}`,
      describeRuns(figures),
      toTable(figures, ({ figure }) => figure),
    ]),
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

function toTable(figures: readonly Judged[], nameOf: (figure: Judged) => string): string {
  const rows = figures.map((judged) => {
    const { unit, value, of, peers, ratio, aims } = judged
    return [
      nameOf(judged),
      `${toText(value)} ${unit}${of === null ? '' : ` (n ${toText(of)})`}`.replace(/ +/, ' ').trim(),
      peers.map(([name, peerValue]) => `${name} ${toText(peerValue)}`).join(', '),
      ratio === null ? '' : toText(ratio),
      aims.map(describeAim).join('; '),
    ]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | ')
  })
  return ['| figure | measured | peers | ratio | aim |', '|---|---|---|---|---|']
    .concat(rows.map((row) => `| ${row} |`))
    .join('\n')
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
