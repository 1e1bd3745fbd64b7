/** A measured figure next to its peer's, measured in the same run. */
export type Figure = {
  /** Name of the benchmark, such as `unpaid`. */
  readonly bench: string
  readonly figure: string
  readonly unit: string
  readonly value: number
  readonly peer?: string
  readonly peerValue?: number
  /** Context needed to read the figure: sizes, concurrency, versions. */
  readonly setting?: Readonly<Record<string, string | number>>
}

/** Prints a figure as one JSON line; `ratio` is our value divided by the peer's. */
export function printFigure(figure: Figure): void {
  const { value, peerValue } = figure
  const ratio = peerValue === undefined ? {} : { ratio: Number((value / peerValue).toPrecision(3)) }
  process.stdout.write(`${JSON.stringify({ ...figure, ...ratio })}\n`)
}
