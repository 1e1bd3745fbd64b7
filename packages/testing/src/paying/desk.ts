import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { eventStream, json } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { StreamPiece } from '@tollbook/gate/contract/answer'
import * as z from 'zod'

type AnyCall = Call<Readonly<Record<string, unknown>>>

/** Endpoints whose handlers do what the current test wants. */
export type Desk = {
  readonly endpoints: readonly Endpoint[]
  /** How often a handler was started. */
  runs: number
  /** Awaited by every handler before it answers. */
  during: (call: AnyCall) => unknown
  /** The charge that metered handlers report. */
  charge: AtomicUsdc
}

/** The price of every endpoint with a fixed one: a cent. */
export const CENT = 10_000n
/** The maximum and the minimum of the metered endpoint. */
export const METER = { most: 20_000n, least: 1_000n } as const

const exact = { kind: 'exact', priceUsd: '0.01' } as const
const metered = { kind: 'metered', priceUsd: '0.02', minimumUsd: '0.001', isExactFirst: false } as const
const word = z.object({ word: z.string().max(20).describe('Any word.') })
const limits = { bodyBytes: 1024, timeoutMs: 20_000 } as const
const told = z.looseObject({ word: z.string() })
const example = { input: { word: 'toll' }, output: { word: 'toll', payer: '0x' } }

/** Endpoints of every kind that can be paid. */
export function createDesk(): Desk {
  const desk: Desk = { endpoints: [], runs: 0, during: () => {}, charge: 0n }

  async function serve(call: AnyCall, said: unknown, charge?: AtomicUsdc) {
    desk.runs += 1
    await desk.during(call)
    return json({ word: String(said), payer: call.payer }, charge === undefined ? {} : { charge })
  }
  /** Two words, live. */
  async function* flow(call: AnyCall): AsyncGenerator<StreamPiece> {
    desk.runs += 1
    for (const said of ['toll', 'book']) {
      await desk.during(call)
      yield { bytes: Buffer.from(`data: ${said}\n\n`), isContent: true, chargeSoFar: desk.charge }
    }
  }
  const saying = { output: told, example, limits, summary: 'Say a word' } as const
  const read = { ...saying, method: 'GET', input: word, pricing: exact } as const
  const handle = (call: Call<{ readonly word: string }>) => serve(call, call.input.word)
  const endpoints = [
    defineEndpoint({ ...read, id: 'test.good', path: '/test/good', description: 'A public answer.', handle }),
    defineEndpoint({ ...read, id: 'test.twin', path: '/test/twin', description: 'Costs the same.', handle }),
    defineEndpoint({
      ...read,
      id: 'test.diary',
      path: '/test/diary',
      description: "The payer's own.",
      handle,
      scope: 'wallet',
    }),
    defineEndpoint({
      ...read,
      id: 'test.meter',
      path: '/test/meter',
      description: 'Charged by use.',
      pricing: metered,
      handle: (call) => serve(call, call.input.word, desk.charge),
    }),
    defineEndpoint({
      ...read,
      id: 'test.live',
      path: '/test/live',
      description: 'A live answer.',
      handle: (call) => eventStream(flow(call)),
    }),
    defineEndpoint({
      ...read,
      id: 'test.flow',
      path: '/test/flow',
      description: 'A live answer, charged by use.',
      pricing: metered,
      handle: (call) => eventStream(flow(call)),
    }),
    defineEndpoint({
      ...read,
      id: 'test.item',
      path: '/test/items/{id}',
      description: 'One of many.',
      input: z.object({ id: z.string().max(40).describe('Which.') }),
      example: { input: { id: 'a' }, output: { word: 'a' } },
      handle: (call) => serve(call, call.input.id),
    }),
    defineEndpoint({
      ...saying,
      id: 'test.note',
      path: '/test/notes',
      description: 'Takes a JSON body.',
      method: 'POST',
      input: word,
      pricing: exact,
      handle,
    }),
    defineEndpoint({
      ...saying,
      id: 'test.photo',
      path: '/test/photos',
      description: 'Takes a file.',
      method: 'POST',
      pricing: exact,
      accepts: 'multipart',
      input: z.object({ file: z.file().describe('Any file.') }),
      example: { input: { file: new File(['a'], 'a.txt') }, output: { word: 'text/plain' } },
      handle: (call) => serve(call, call.files.get('file')?.contentType),
    }),
    defineEndpoint({
      ...read,
      id: 'test.login',
      path: '/test/login',
      description: 'Takes credentials.',
      input: z.object({
        auth_token: z.string().describe('Cookie of a session.'),
        ct0: z.string().describe('Its second half.'),
      }),
      secrets: ['auth_token', 'ct0'],
      scope: 'session',
      example: { input: { auth_token: 'a', ct0: 'b' }, output: { word: 'in' } },
      handle: (call) => serve(call, 'in'),
    }),
  ]
  return Object.assign(desk, { endpoints })
}
