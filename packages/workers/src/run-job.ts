import { Worker } from 'node:worker_threads'
import type { Job } from './job.ts'
import { serveEngine } from './serve-engine.ts'

export type JobOrder = Pick<Job<never>, 'module' | 'name'> & { readonly input: unknown }

/** Ends the process after its parent, also while a job keeps its event loop from noticing. */
const WATCH = `setInterval(() => {
  if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL')
}, 1000)`

// A process of `pool.ts`: it loads the module of each job when it is first needed.
serveEngine(async () => {
  new Worker(WATCH, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
  return {
    about: null,
    async run(order) {
      const { module, name, input } = order as JobOrder
      const functions: Readonly<Record<string, (input: unknown) => unknown>> = await import(module)
      const work = functions[name]
      if (!work) throw new Error(`${module} exports no ${name}`)
      return await work(input)
    },
  }
})
