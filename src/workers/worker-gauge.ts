import { Gauge, type Registry } from 'prom-client'
import type { WorkerPool } from './pool.ts'

/** Adds the number of jobs that wait for a thread. */
export function registerWorkerGauge(registry: Registry, workers: Pick<WorkerPool, 'waiting'>): void {
  new Gauge({
    name: 'tollbook_worker_waiting_jobs',
    help: 'Jobs that wait for a worker thread of the process.',
    registers: [registry],
    collect() {
      this.set(workers.waiting())
    },
  })
}
