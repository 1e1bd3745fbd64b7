import { Counter, Gauge, type Registry } from 'prom-client'
import { ProblemError } from '../../../catalogue/problem.ts'
import type { State } from '../../../state/state.ts'
import type { SocialOperation, SocialOperations, SocialProvider } from '../provider.ts'
import { type DailyObjects, readSpentToday } from './upstream-budget.ts'

type Upstream = {
  readonly provider: SocialProvider
  /** For how long nothing at all is asked because the upstream fails, ms; 0 while it is. */
  readonly leftAloneMs: () => number
  /** Absent where fetching is not bounded. */
  readonly budget?: {
    readonly state: State
    readonly daily: DailyObjects
    /** Epoch milliseconds. */
    readonly nowMs: () => number
  }
}

type Call = (...given: readonly unknown[]) => Promise<unknown>

/** The same upstream, which shows how it is used in the metrics of the service: nothing of what is asked for. */
export function meterProvider({ provider, leftAloneMs, budget }: Upstream): SocialProvider {
  const { name } = provider
  const operations = Object.keys(provider.operations) as SocialOperation[]
  const calls = new Counter({
    name: 'tollbook_social_upstream_calls_total',
    help: 'What came of asking an upstream; a problem stands by its code.',
    labelNames: ['provider', 'operation', 'outcome'],
    registers: [],
  })
  const metrics = [
    calls,
    new Gauge({
      name: 'tollbook_social_upstream_breaker_open',
      help: '1 while an upstream is left alone because it fails.',
      labelNames: ['provider'],
      registers: [],
      collect() {
        this.set({ provider: name }, leftAloneMs() > 0 ? 1 : 0)
      },
    }),
    new Gauge({
      name: 'tollbook_social_upstream_pause_seconds',
      help: 'For how long an operation is not asked: the upstream fails, takes no more, or the budget is spent.',
      labelNames: ['provider', 'operation'],
      registers: [],
      collect() {
        for (const operation of operations)
          this.set({ provider: name, operation }, provider.pauseSeconds?.(operation) ?? 0)
      },
    }),
    ...(budget ? budgetGauges(name, budget) : []),
  ]
  return {
    ...provider,
    operations: countCalls(provider.operations, (operation, outcome) =>
      calls.inc({ provider: name, operation, outcome }),
    ),
    registerMetrics(registry: Registry) {
      for (const metric of metrics) registry.registerMetric(metric)
    },
  }
}

function budgetGauges(provider: string, { state, daily, nowMs }: NonNullable<Upstream['budget']>): Gauge[] {
  return [
    new Gauge({
      name: 'tollbook_social_upstream_objects_today',
      help: 'Objects of the UTC day that were taken from the budget, by all processes on the state.',
      labelNames: ['provider', 'operation'],
      registers: [],
      async collect() {
        // A store that does not answer fails the readiness check; the other metrics are shown all the same.
        const spent = await readSpentToday(state, provider, nowMs()).catch(() => null)
        if (!spent) return
        // Of yesterday's operations not all are asked today.
        this.reset()
        for (const { operation, objects } of spent) this.set({ provider, operation }, objects)
      },
    }),
    new Gauge({
      name: 'tollbook_social_upstream_objects_daily_limit',
      help: 'Objects that may be taken in a UTC day; * is each operation that is not named.',
      labelNames: ['provider', 'operation'],
      registers: [],
      collect() {
        for (const [operation, max] of Object.entries(daily)) this.set({ provider, operation }, max)
      },
    }),
  ]
}

type CountOutcome = (operation: string, outcome: string) => void

function countCalls(operations: Partial<SocialOperations>, count: CountOutcome): Partial<SocialOperations> {
  const counted = Object.entries(operations).map(([operation, call]) => [
    operation,
    async (...given: readonly unknown[]) => {
      try {
        // Each takes and gives what it did before.
        const found = await (call as Call)(...given)
        count(operation, found === null ? 'not_there' : 'answered')
        return found
      } catch (error) {
        count(operation, outcomeOf(error, given.at(-1)))
        throw error
      }
    },
  ])
  return Object.fromEntries(counted) as Partial<SocialOperations>
}

function outcomeOf(error: unknown, asking: unknown): string {
  if (error instanceof ProblemError) return error.problem.code
  // What every operation takes last.
  const { signal } = asking as { readonly signal: AbortSignal }
  return signal.aborted ? 'given_up' : 'internal'
}
