import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import {
  type MeasuredStreams,
  measureStreams,
  p50And99,
  type StreamOptions,
} from './inference/measure-streams.ts'
import { type ChatSides, openSides, PORTKEY } from './inference/sides.ts'
import { createPayers } from './payers.ts'
import { printPair } from './print-pair.ts'
import { measureInTurns } from './rounds.ts'
import { startServer, withServers } from './server-process.ts'

/** As many payers as concurrent streams, so that no payer ever has two calls in progress. */
const PAYERS = 500

/**
 * Overhead of chats on top of the model. Tollbook is paid by `exact`, with every check in the process and a
 * facilitator that settles at once. The peers are a gateway without payment and a direct call of the same
 * upstream.
 */
export const inference: Benchmark = {
  name: 'inference',
  summary: 'paid chats, whole and streamed, against @portkey-ai/gateway without payment and a direct call',
  async run({ isQuick }) {
    const stub = await startServer('chat-stub', {})
    try {
      await withServers(
        { tollbook: ['tollbook', { chatUrl: stub.url }], portkey: ['portkey', {}] },
        async (servers) => {
          const sides = await openSides({ ...servers, stub }, createPayers(PAYERS))
          await measureWhole(sides, isQuick)
          await measurePaced(sides, isQuick)
          await measureLong(sides, isQuick)
          await measureMany(sides, isQuick)
        },
      )
    } finally {
      await stub.close()
    }
  },
}

async function measureWhole({ ours, portkey, direct }: ChatSides, isQuick: boolean): Promise<void> {
  const options = isQuick
    ? { rounds: 3, requests: 1_000, concurrency: 16 }
    : { rounds: 5, requests: 4_000, concurrency: 16 }
  const [paid, unpaid, bare] = await measureInTurns(
    [ours, portkey, direct].map((side) => ({ ...side, status: 200 })) as [Load, Load, Load],
    options,
  )
  const pair = { bench: 'inference', ours: paid, options }
  printPair({ ...pair, figure: 'whole chats', peer: PORTKEY, theirs: unpaid })
  printPair({ ...pair, figure: 'whole chats, beside the upstream itself', peer: 'direct', theirs: bare })
}

type Load = Parameters<typeof measureInTurns>[0][number]

/** Streams at the pace of a model, few enough that none waits for the processor. */
async function measurePaced({ ours, portkey, direct }: ChatSides, isQuick: boolean): Promise<void> {
  const options: StreamOptions = {
    rounds: isQuick ? 1 : 4,
    streams: isQuick ? 32 : 100,
    concurrency: 4,
    plan: { chunks: 50, gapMs: 10 },
  }
  const [paid, unpaid, bare] = await measureStreams([ours, portkey, direct], options)
  const first = [paid, unpaid, bare].map(({ load }) => p50And99(load.firstMs))
  const print = printer(options)
  for (const share of ['p50', 'p99'] as const) {
    const [own = 0, theirs = 0, none = 0] = first.map((times) => times[share])
    print(`first content beyond a direct call, ${share}`, 'ms', own - none, theirs - none)
  }
  for (const [figure, of] of [
    ['a word behind its writing', 'lateMs'],
    ['gap between two words of 10 ms', 'gapMs'],
  ] as const) {
    for (const share of ['p50', 'p99'] as const) {
      const [own = 0, theirs = 0, none = 0] = [paid, unpaid, bare].map(
        ({ load }) => p50And99(load[of])[share],
      )
      print(`${figure}, ${share}`, 'ms', own, theirs, { directMs: none })
    }
  }
  const togetherOf = ({ load }: MeasuredStreams) => load.together
  print('words that came together', 'of all', togetherOf(paid), togetherOf(unpaid), {
    words: paid.load.gapMs.length,
    direct: togetherOf(bare),
  })
  print('processor time of a stream of 50 words', 'µs, less is better', paid.cpuMicros, unpaid.cpuMicros)
}

/** Long answers, in which the cost of a word outweighs that of a call. */
async function measureLong({ ours, portkey, direct }: ChatSides, isQuick: boolean): Promise<void> {
  const options: StreamOptions = {
    rounds: isQuick ? 1 : 4,
    streams: isQuick ? 16 : 40,
    concurrency: 8,
    plan: { chunks: 250, gapMs: 5 },
  }
  const [paid, unpaid] = await measureStreams([ours, portkey, direct], options)
  const print = printer(options)
  print('processor time of a stream of 250 words', 'µs, less is better', paid.cpuMicros, unpaid.cpuMicros)
}

/** Many concurrent streams. */
async function measureMany({ ours, portkey, direct }: ChatSides, isQuick: boolean): Promise<void> {
  const options: StreamOptions = {
    rounds: isQuick ? 0 : 1,
    streams: 500,
    concurrency: 500,
    plan: { chunks: 50, gapMs: 200 },
  }
  const [paid, unpaid, bare] = await measureStreams([ours, portkey, direct], options)
  const print = printer(options)
  const times = [paid, unpaid, bare].map(({ load }) => p50And99(load.lateMs))
  print('a word of 500 streams behind its writing, p99', 'ms', times[0]?.p99 ?? 0, times[1]?.p99 ?? 0, {
    directMs: times[2]?.p99 ?? 0,
  })
  print('memory at 500 streams', 'MB', paid.memoryMb.highest, unpaid.memoryMb.highest, {
    beforeMb: paid.memoryMb.before,
    afterMb: paid.memoryMb.after,
    peerBeforeMb: unpaid.memoryMb.before,
    peerAfterMb: unpaid.memoryMb.after,
  })
}

function printer({ rounds, streams, concurrency, plan }: StreamOptions) {
  return (
    figure: string,
    unit: string,
    value: number,
    peerValue: number,
    more: Readonly<Record<string, string | number>> = {},
  ) =>
    printFigure({
      bench: 'inference',
      figure,
      unit,
      value: round(value),
      peer: PORTKEY,
      peerValue: round(peerValue),
      setting: { rounds, streams, concurrency, ...plan, ...more },
    })
}

const round = (value: number) => Number(value.toFixed(2))
