import { setTimeout as wait } from 'node:timers/promises'
import { bytes, eventStream, json } from '@tollbook/endpoints/answer'
import { defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { StreamPiece } from '@tollbook/gate/contract/answer'
import type { Pricing } from '@tollbook/gate/contract/paid-route'
import * as z from 'zod'

/** Dependencies of the handlers. */
export type GoodsPorts = {
  /** Records a run of the handler before it does anything else; returns the run's name. */
  readonly begin: (run: {
    readonly call: string
    /** Whether the handler waits until it is released. */
    readonly isHeld: boolean
    readonly signal: AbortSignal
  }) => Promise<string>
}

/** Content of buffered and streamed answers: the call and the run of the handler. */
export type Said = { readonly call: string; readonly run: string }

export const LETTER_MICRO_USDC = 1_000n
export const PIECE_MICRO_USDC = 500n
export const MIN_MICRO_USDC = 1_000n
/** Above the size that is stored inside a row. */
const LARGE_BYTES = 1_200_000
const LARGE_LINE = 200

const call = z.string().max(60)
const said = z.looseObject({ call: z.string(), run: z.string() })
/**
 * An authorization is valid half a minute longer than its handler may run: longer than any series of kills.
 */
const common = { method: 'GET', limits: { bodyBytes: 1024, timeoutMs: 120_000 } } as const
const example = { input: { call: 'a' }, output: { call: 'a', run: 'b' } }
const exact = (priceUsd: string) => ({ kind: 'exact', priceUsd }) as const
const metered = { kind: 'metered', priceUsd: '0.05', minimumUsd: '0.001', isExactFirst: false } as const
const pieces = { pieces: z.int().min(1).max(60), everyMs: z.int().min(1).max(500) }

const quick = defineEndpoint({
  ...common,
  id: 'crash.quick',
  path: '/crash/quick',
  pricing: exact('0.001'),
  summary: 'Quick',
  description: 'Answers at once, or when it may.',
  output: said,
  example,
  input: z.object({ call, isHeld: z.boolean().default(false) }),
  handle: async ({ input, ports, signal }) => json(await speak(ports, input.call, signal, input.isHeld)),
})

const slow = defineEndpoint({
  ...common,
  id: 'crash.slow',
  path: '/crash/slow',
  pricing: exact('0.002'),
  summary: 'Slow',
  description: 'Answers after a while.',
  output: said,
  input: z.object({ call, afterMs: z.int().min(0).max(1000) }),
  example: { input: { call: 'a', afterMs: 1 }, output: { call: 'a', run: 'b' } },
  handle: async ({ input, ports, signal }) => {
    const answer = await speak(ports, input.call, signal)
    await wait(input.afterMs, undefined, { signal })
    return json(answer)
  },
})

const own = defineEndpoint({
  ...common,
  id: 'crash.own',
  path: '/crash/own',
  pricing: exact('0.003'),
  scope: 'wallet',
  summary: 'Own',
  description: 'Answers to a wallet.',
  input: z.object({ call }),
  output: said,
  example,
  handle: async ({ input, ports, signal }) => json(await speak(ports, input.call, signal)),
})

const large = defineEndpoint({
  ...common,
  id: 'crash.large',
  path: '/crash/large',
  pricing: exact('0.004'),
  summary: 'Large',
  description: 'Answers at length.',
  input: z.object({ call }),
  output: said,
  example,
  handle: async ({ input, ports, signal }) => {
    const line = `${JSON.stringify(await speak(ports, input.call, signal)).padEnd(LARGE_LINE)}\n`
    return bytes(Buffer.from(line.repeat(LARGE_BYTES / line.length)), 'text/plain')
  },
})

const spell = defineEndpoint({
  ...common,
  id: 'crash.spell',
  path: '/crash/spell',
  pricing: metered,
  summary: 'Spell',
  description: 'Charges by the letter.',
  output: said,
  input: z.object({ call, letters: z.int().min(1).max(50) }),
  example: { input: { call: 'a', letters: 1 }, output: { call: 'a', run: 'b' } },
  handle: async ({ input, ports, signal }) =>
    json(await speak(ports, input.call, signal), { charge: LETTER_MICRO_USDC * BigInt(input.letters) }),
})

const radio = defineStream('radio', exact('0.005'))
const dictation = defineStream('dictation', metered)

/** Everything that a seller of the crash suite sells. */
export const GOODS = { quick, slow, own, large, spell, radio, dictation } as const
export type GoodName = keyof typeof GOODS

/** Goods whose answers are streamed. */
export const STREAMED: ReadonlySet<GoodName> = new Set(['radio', 'dictation'])

/** Content of the last event of a complete stream. */
export const LAST_EVENT = '"last":true'

function defineStream(name: string, pricing: Pricing): Endpoint {
  return defineEndpoint({
    ...common,
    id: `crash.${name}`,
    path: `/crash/${name}`,
    pricing,
    output: said,
    summary: name,
    description: 'Answers piece by piece.',
    input: z.object({ call, ...pieces }),
    example: { input: { call: 'a', pieces: 1, everyMs: 1 }, output: { call: 'a', run: 'b' } },
    handle: async ({ input, ports, signal }) =>
      eventStream(toPieces(input, await speak(ports, input.call, signal), signal)),
  })
}

async function* toPieces(
  { pieces, everyMs }: { readonly pieces: number; readonly everyMs: number },
  answer: Said,
  signal: AbortSignal,
): AsyncGenerator<StreamPiece> {
  yield { bytes: Buffer.from(': begins\n\n'), isContent: false }
  for (let piece = 1; piece <= pieces; piece += 1) {
    await wait(everyMs, undefined, { signal })
    const event = JSON.stringify({ ...answer, piece, last: piece === pieces })
    const chargeSoFar = PIECE_MICRO_USDC * BigInt(piece)
    yield { bytes: Buffer.from(`data: ${event}\n\n`), isContent: true, chargeSoFar }
  }
}

async function speak(ports: unknown, call: string, signal: AbortSignal, isHeld = false): Promise<Said> {
  // The seller's process gives its service these ports and no others.
  return { call, run: await (ports as GoodsPorts).begin({ call, isHeld, signal }) }
}
