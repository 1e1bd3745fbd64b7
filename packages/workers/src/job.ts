/** A function of a module that runs in a worker process. Its input and output are copied, so they must be plain data. */
export type Job<Work extends (input: never) => unknown> = {
  /** `file:` URL of the module. */
  readonly module: string
  /** The exported function. */
  readonly name: string
  /** From the call, including the queue, ms; afterwards its process is killed. */
  readonly deadlineMs: number
  /** Only for the compiler: jobs of different functions are different types. */
  readonly work?: Work
}

/**
 * Names a job.
 * @example
 * const job = defineJob<typeof import('./extract.ts').extract>({
 *   module: new URL('./extract.ts', import.meta.url), name: 'extract', deadlineMs: 5_000,
 * })
 */
export function defineJob<Work extends (input: never) => unknown>(options: {
  readonly module: URL
  readonly name: string
  readonly deadlineMs: number
}): Job<Work> {
  return { ...options, module: options.module.href }
}
