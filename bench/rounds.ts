import { type LoadResult, runLoad } from './load.ts'
import type { ServerProcess } from './server-process.ts'

export type Side = {
  readonly name: string
  readonly server: ServerProcess
  /** Builds the requests of one round before its clock starts. */
  readonly prepare: (requests: number) => readonly Buffer[] | Promise<readonly Buffer[]>
  /** The status that every answer must have. */
  readonly status: number
  /** Share of requests that may be answered with 402 instead; these do not count towards the rate. Default 0. */
  readonly mayRefuse?: number
  /** A round that takes longer is an error; default none is. */
  readonly maxSeconds?: number
}

export type RoundOptions = {
  readonly rounds: number
  readonly requests: number
  readonly concurrency: number
}

/** One side's medians over its rounds. */
export type Measured = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server, all threads, in microseconds. */
  readonly cpuMicrosPerRequest: number
  /** Share of requests that were answered with 402. */
  readonly refused: number
}

/**
 * Unmeasured requests before the first round, in rounds: the engine is still compiling hot code, and rates
 * still rise.
 */
const WARM_UP_SHARE = 2

/**
 * Loads the sides alternately, so that other work on the machine affects all of them equally.
 * @throws Error if answers have a status other than the side's expected one, because the measurement is then
 * meaningless.
 */
export async function measureInTurns<const Sides extends readonly Side[]>(
  sides: Sides,
  options: RoundOptions,
): Promise<{ readonly [At in keyof Sides]: Measured }> {
  const { rounds, requests } = options
  for (const side of sides)
    await runRound(side, { ...options, requests: Math.ceil(requests * WARM_UP_SHARE) })
  const results = sides.map((): Measured[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, side] of sides.entries()) results[at]?.push(await runRound(side, options))
  }
  // One result per side, in the order of the sides.
  return results.map(toMedians) as { [At in keyof Sides]: Measured }
}

async function runRound(side: Side, { requests, concurrency }: RoundOptions): Promise<Measured> {
  const prepared = await side.prepare(requests)
  const before = await side.server.readCpu()
  const load = await runLoad({
    url: side.server.url,
    requests,
    concurrency,
    request: (index) => prepared[index % prepared.length] as Buffer,
    ...(side.mayRefuse && { mayRefuse: side.mayRefuse * requests }),
    ...(side.maxSeconds && { maxSeconds: side.maxSeconds }),
  })
  const cpuMicrosPerRequest = Math.round(((await side.server.readCpu()) - before) / requests)
  const refused = readRefused(side, load)
  const perSecond = Number((load.perSecond * (1 - refused)).toPrecision(4))
  process.stderr.write(`  ${side.name}: ${perSecond}/s, ${cpuMicrosPerRequest} µs of processor time each\n`)
  return { perSecond, p50Ms: load.p50Ms, p99Ms: load.p99Ms, cpuMicrosPerRequest, refused }
}

function readRefused({ name, status, mayRefuse = 0 }: Side, { statuses }: LoadResult): number {
  const { [status]: expected = 0, ...others } = statuses
  const refused = mayRefuse === 0 ? 0 : (others[402] ?? 0)
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  if (expected + refused < answers || refused > mayRefuse * answers)
    throw new Error(`${name} answered ${JSON.stringify(statuses)}, not ${status} alone`)
  return refused / answers
}

export function toMedians(results: readonly Measured[]): Measured {
  const medianOf = (name: keyof Measured) => median(results.map((result) => result[name]))
  return {
    perSecond: medianOf('perSecond'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    cpuMicrosPerRequest: medianOf('cpuMicrosPerRequest'),
    refused: medianOf('refused'),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
