import { median } from '../rounds.ts'
import type { StreamPlan } from '../servers/chat-request.ts'
import { percentileOf } from '../utility/contest.ts'
import type { ChatSide } from './sides.ts'
import { runStreams, type StreamLoad } from './stream-load.ts'

export type StreamOptions = {
  readonly rounds: number
  readonly streams: number
  readonly concurrency: number
  readonly plan: StreamPlan
}

/** One side's streams over all rounds. */
export type MeasuredStreams = {
  readonly load: StreamLoad
  /** Processor time of the server per stream, in microseconds; median of the rounds. */
  readonly cpuMicros: number
  /** Memory of the server, MB: before its first round, the maximum observed during streams, and after. */
  readonly memoryMb: { readonly before: number; readonly highest: number; readonly after: number }
}

const SAMPLE_MS = 250

/** Reads streams of each side alternately, so that other work on the machine affects all sides equally. */
export async function measureStreams<const Sides extends readonly ChatSide[]>(
  sides: Sides,
  options: StreamOptions,
): Promise<{ readonly [At in keyof Sides]: MeasuredStreams }> {
  const { rounds, streams, concurrency, plan } = options
  const results = sides.map(() => ({
    loads: [] as StreamLoad[],
    cpus: [] as number[],
    memory: [] as number[],
  }))
  // The first round compiles the hot code and counts only for memory.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, side] of sides.entries()) {
      const { loads, cpus, memory } = results[at] as (typeof results)[0]
      const requests = await side.prepare(streams, plan)
      memory.push(await side.server.readMemory())
      const before = await side.server.readCpu()
      const watch = watchMemory(side)
      const load = await runStreams({ url: side.server.url, requests, concurrency, plan })
      memory.push(...(await watch.stop()))
      const cpuMicros = ((await side.server.readCpu()) - before) / streams
      memory.push(await side.server.readMemory())
      process.stderr.write(`  ${side.name}: ${describe(load)}, ${Math.round(cpuMicros)} µs a stream\n`)
      if (round === 0 && rounds > 0) continue
      loads.push(load)
      cpus.push(cpuMicros)
    }
  }
  return results.map(({ loads, cpus, memory }) => ({
    load: join(loads),
    cpuMicros: Math.round(median(cpus)),
    memoryMb: {
      before: toMb(memory.at(0) ?? 0),
      highest: toMb(Math.max(...memory)),
      after: toMb(memory.at(-1) ?? 0),
    },
    // One result per side, in the order of the sides.
  })) as { [At in keyof Sides]: MeasuredStreams }
}

/** Polls the server's memory; `stop` returns the samples. */
function watchMemory({ server }: ChatSide): { stop(): Promise<readonly number[]> } {
  const samples: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
      samples.push(await server.readMemory())
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return samples
    },
  }
}

function join(loads: readonly StreamLoad[]): StreamLoad {
  return {
    firstMs: loads.flatMap(({ firstMs }) => firstMs),
    lateMs: loads.flatMap(({ lateMs }) => lateMs),
    gapMs: loads.flatMap(({ gapMs }) => gapMs),
    together: loads.reduce((sum, { together }) => sum + together, 0),
  }
}

/** 50th and 99th percentiles, ms to two decimals. */
export function p50And99(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const round = (value: number) => Number(value.toFixed(2))
  return { p50: round(percentileOf(values, 0.5)), p99: round(percentileOf(values, 0.99)) }
}

function describe(load: StreamLoad): string {
  const first = p50And99(load.firstMs)
  const late = p50And99(load.lateMs)
  return `first content ${first.p50} ms, words ${late.p50} to ${late.p99} ms behind`
}

const toMb = (bytes: number) => Math.round(bytes / 1e6)
