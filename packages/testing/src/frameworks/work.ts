import { setTimeout as delay } from 'node:timers/promises'
import type { Payment } from '@tollbook/gate/routes/payment'
import type { Route } from '@tollbook/gate/routes/route'

/** What a paid route of a test answers, before its framework writes it. */
export type Worked = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer | AsyncIterable<string>
}

export type WorkRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly route: Route
}

/** The same routes in each framework. */
export const WORK_ROUTES = {
  word: { method: 'GET', path: '/word/:name', route: { price: '0.01', description: 'Says a word.' } },
  echo: { method: 'POST', path: '/echo', route: { price: '0.002', description: 'Returns its body.' } },
  throws: { method: 'GET', path: '/throws', route: { price: '0.01', description: 'Fails.' } },
  missing: { method: 'GET', path: '/missing', route: { price: '0.01', description: 'Finds nothing.' } },
  stream: { method: 'GET', path: '/stream', route: { price: '0.01', description: 'Counts to five.' } },
  large: { method: 'GET', path: '/large', route: { price: '0.01', description: 'Sends 2 MB.' } },
  slow: { method: 'GET', path: '/slow', route: { price: '0.01', description: 'Waits.' } },
  late: {
    method: 'GET',
    path: '/late',
    route: { price: '0.01', description: 'Takes too long.', timeoutMs: 300 },
  },
  metered: { method: 'GET', path: '/metered', route: { price: { upTo: '0.05' }, description: 'By use.' } },
} as const satisfies Record<string, WorkRoute>

export type WorkName = keyof typeof WORK_ROUTES

/** Does the work of the routes, and counts how often. */
export class Worker {
  readonly runs = new Map<string, number>()
  /** What `slow` waits for. */
  slowness: Promise<unknown> = Promise.resolve()

  async work(name: WorkName, parameter: string, body: string, payment: Payment): Promise<Worked> {
    this.runs.set(name, this.runsOf(name) + 1)
    switch (name) {
      case 'word':
        return {
          headers: { 'x-own': 'yes' },
          body: JSON.stringify({ word: parameter, payer: payment.payer, run: this.runsOf(name) }),
        }
      case 'echo':
        return { status: 201, body }
      case 'throws':
        throw new Error('the handler of a test fails')
      case 'missing':
        return { status: 404, body: '{"found":false}' }
      case 'stream':
        return { headers: { 'content-type': 'text/event-stream' }, body: countToFive() }
      case 'large':
        return { headers: { 'content-type': 'application/octet-stream' }, body: Buffer.alloc(2_000_000, 7) }
      case 'slow':
        await this.slowness
        return { body: '"slow"' }
      case 'late':
        await delay(900)
        return { body: '"late"' }
      case 'metered':
        payment.charge('0.0031')
        return { body: '"metered"' }
    }
  }

  runsOf(name: WorkName): number {
    return this.runs.get(name) ?? 0
  }
}

export const FIVE_EVENTS = [0, 1, 2, 3, 4].map((at) => `data: ${at}\n\n`).join('')

async function* countToFive(): AsyncGenerator<string> {
  for (let at = 0; at < 5; at += 1) {
    yield `data: ${at}\n\n`
    await delay(20)
  }
}
