/** One thing that `npm run bench` measures, with its peer in the same run; it prints its own figures. */
export type Benchmark = {
  /** As `--only` names it. */
  readonly name: string
  readonly summary: string
  /** @throws Error that says why it cannot run here. */
  readonly run: (options: BenchmarkOptions) => Promise<void>
}

export type BenchmarkOptions = {
  readonly isQuick: boolean
  /** How many posts are imported, for `social`. */
  readonly posts?: number | undefined
  /** Folder of the outside suites (`quality/README.md`), whose pages then stand in the place of written ones. */
  readonly suites?: string | undefined
}
