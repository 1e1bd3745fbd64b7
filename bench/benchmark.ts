/**
 * One benchmark of `npm run bench`. It measures Tollbook and a peer in the same run and prints its own
 * figures.
 */
export type Benchmark = {
  /** Its name for `--only`. */
  readonly name: string
  readonly summary: string
  /** @throws Error with the reason if it cannot run here. */
  readonly run: (options: BenchmarkOptions) => Promise<void>
}

export type BenchmarkOptions = {
  readonly isQuick: boolean
  /** Number of posts that `social` imports. */
  readonly posts?: number | undefined
  /** Folder of the outside suites (`quality/README.md`). If set, their pages replace the generated ones. */
  readonly suites?: string | undefined
}
