import type { Run } from './print-run.ts'

/** One figure of any of the commands that measure. */
export type Measured = {
  /** Such as `decode`, `wcxb dev`, `soak`. */
  readonly area: string
  readonly figure: string
  readonly unit: string
  readonly value: number
  /** Others by name: measured in the same run, or as published. */
  readonly peers: readonly (readonly [name: string, value: number])[]
  /** Ours divided by the peer's of the same run. */
  readonly ratio: number | null
  /** Size of the sample. */
  readonly of: number | null
  readonly run: Run
}

type Line = {
  readonly run?: Run
  readonly bench?: string
  readonly suite?: string
  readonly figure?: string
  readonly unit?: string
  readonly value?: number | null
  readonly of?: number
  readonly peer?: string
  readonly peerValue?: number
  readonly ratio?: number
  readonly published?: Readonly<Record<string, number>>
}

/**
 * Reads the output of a command: its run, then a JSON line for each figure; other lines are skipped.
 * @throws Error if a figure precedes the first run, since its origin is unknown.
 */
export function readOutput(text: string): readonly Measured[] {
  let run: Run | null = null
  const measured: Measured[] = []
  for (const words of text.split('\n')) {
    if (!words.startsWith('{')) continue
    const line = JSON.parse(words) as Line
    if (line.run) {
      run = line.run
      continue
    }
    const { figure, value } = line
    const area = line.bench ?? line.suite
    if (area === undefined || figure === undefined || typeof value !== 'number') continue
    if (!run) throw new Error(`${area}, ${figure}: no line before it says by which run it was measured`)
    const peers = [
      ...(line.peer !== undefined && line.peerValue !== undefined
        ? [[line.peer, line.peerValue] as const]
        : []),
      ...Object.entries(line.published ?? {}),
    ]
    measured.push({
      area,
      figure,
      unit: line.unit ?? '',
      value,
      peers,
      ratio: line.ratio ?? null,
      of: line.of ?? null,
      run,
    })
  }
  return measured
}
