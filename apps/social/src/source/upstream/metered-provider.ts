import { ProblemError } from '@tollbook/http/problem'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { State } from '../../state/state.ts'
import type { SocialOperation, SocialOperations, SocialProvider } from '../provider.ts'
import { type DailyObjects, findDailyMax, readSpentToday } from './upstream-budget.ts'

type Upstream = {
  readonly provider: SocialProvider
  /** How long the circuit breaker stays open, ms; 0 if it is closed. */
  readonly breakerOpenMs: () => number
  /** Absent if fetching has no budget. */
  readonly budget?: {
    readonly state: State
    readonly daily: DailyObjects
    /** Epoch milliseconds. */
    readonly nowMs: () => number
  }
}

type Call = (...provided: readonly unknown[]) => Promise<unknown>

/** The same provider with metrics on its use; they contain nothing of the queries. */
export function meterProvider({ provider, breakerOpenMs, budget }: Upstream): SocialProvider {
  const { name } = provider
  const operations = Object.keys(provider.operations) as SocialOperation[]
  const calls = new Counter({
    name: 'tollbook_social_upstream_calls_total',
    help: 'Calls to an upstream by outcome; a problem counts by its code.',
    labelNames: ['provider', 'operation', 'outcome'],
    registers: [],
  })
  const metrics = [
    calls,
    new Gauge({
      name: 'tollbook_social_upstream_breaker_open',
      help: '1 while the circuit breaker of an upstream is open.',
      labelNames: ['provider'],
      registers: [],
      collect() {
        this.set({ provider: name }, breakerOpenMs() > 0 ? 1 : 0)
      },
    }),
    new Gauge({
      name: 'tollbook_social_upstream_pause_seconds',
      help: 'Time until an operation is called again: the upstream fails, is rate limited, or the budget is spent.',
      labelNames: ['provider', 'operation'],
      registers: [],
      collect() {
        for (const operation of operations)
          this.set({ provider: name, operation }, provider.pauseSeconds?.(operation) ?? 0)
      },
    }),
    ...(budget ? budgetGauges(provider, budget) : []),
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

function budgetGauges(
  { name: provider, operations }: SocialProvider,
  { state, daily, nowMs }: NonNullable<Upstream['budget']>,
): Gauge[] {
  return [
    new Gauge({
      name: 'tollbook_social_upstream_objects_today',
      help: 'Objects taken from the budget in the UTC day, by all processes on the state.',
      labelNames: ['provider', 'operation'],
      registers: [],
      async collect() {
        // An unavailable store fails the readiness check; the other metrics are still shown.
        const spent = await readSpentToday(state, provider, nowMs()).catch(() => null)
        if (!spent) return
        // Some of yesterday's operations may not be called today.
        this.reset()
        for (const { operation, objects } of spent) this.set({ provider, operation }, objects)
      },
    }),
    new Gauge({
      name: 'tollbook_social_upstream_objects_daily_limit',
      help: 'Maximum number of objects in a UTC day, of each operation that has one.',
      labelNames: ['provider', 'operation'],
      registers: [],
      collect() {
        for (const operation of Object.keys(operations)) {
          const max = findDailyMax(daily, operation)
          if (max !== undefined) this.set({ provider, operation }, max)
        }
      },
    }),
  ]
}

type CountOutcome = (operation: string, outcome: string) => void

function countCalls(operations: Partial<SocialOperations>, count: CountOutcome): Partial<SocialOperations> {
  const counted = Object.entries(operations).map(([operation, call]) => [
    operation,
    async (...provided: readonly unknown[]) => {
      try {
        // The wrapper keeps the operation's parameters and result.
        const found = await (call as Call)(...provided)
        count(operation, found === null ? 'not_there' : 'answered')
        return found
      } catch (error) {
        count(operation, outcomeOf(error, provided.at(-1)))
        throw error
      }
    },
  ])
  return Object.fromEntries(counted) as Partial<SocialOperations>
}

function outcomeOf(error: unknown, asking: unknown): string {
  if (error instanceof ProblemError) return error.problem.code
  // The last parameter of every operation.
  const { signal } = asking as { readonly signal: AbortSignal }
  return signal.aborted ? 'given_up' : 'internal'
}
