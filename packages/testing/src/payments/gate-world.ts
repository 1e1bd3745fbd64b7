import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import type { State } from '@tollbook/cli/commands/state/state'
import { json } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { Service } from '@tollbook/endpoints/service'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { Answer } from '@tollbook/gate/contract/answer'
import { createOfferSigner } from '@tollbook/gate/contract/signed-offers'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import { openGate } from '@tollbook/gate/gate/gate'
import type { GateLimits, TollGate } from '@tollbook/gate/gate/gate-options'
import type { PaymentEvent } from '@tollbook/gate/payment-event'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import { sql } from 'kysely'
import { pino } from 'pino'
import * as z from 'zod'
import { openTestState } from '../state/open-test-state.ts'
import { type Link, MemoryChain } from './memory-chain.ts'
import { newPayer, type Payer, type SignOptions, signPayment } from './sign-payment.ts'

export type WorkInput = { readonly word: string; readonly other?: string }
export type Work = (call: Call<WorkInput>) => Answer | Promise<Answer>

/** What the endpoints of a process do, and how often they did it. */
export type Desk = { work: Work; runs: number; availability: { isAvailable: boolean } }

/** One process: a gate with its own lease and its own connection to the chain. */
export type Process = {
  readonly gate: TollGate
  readonly link: Link
  readonly desk: Desk
  readonly events: PaymentEvent[]
  readonly log: string[]
  readonly fetch: (path: string, init?: RequestInit, remoteAddress?: string) => Promise<Response>
  /** The terms of a path. */
  readonly challenge: (path: string, method?: string) => Promise<PaymentRequired>
  /** Signs the terms of a path and returns the headers that pay for it. */
  readonly pay: (
    path: string,
    payer: Payer,
    options?: SignOptions & { readonly method?: string },
  ) => Promise<{ headers: Record<string, string> }>
}

export type World = {
  readonly state: State
  readonly chain: MemoryChain
  readonly dataDir: string
  /** Moves the clock of every process. */
  readonly pass: (ms: number) => void
  readonly now: () => number
  /**
   * @param further endpoints in addition to those of the world
   * @param ports the ports of their handlers
   */
  readonly startProcess: (
    limits?: Partial<GateLimits>,
    unpaidPerMinute?: number,
    further?: readonly Endpoint[],
    ports?: unknown,
  ) => Promise<Process>
  /** A payer with 1 USDC. */
  readonly newPayer: (amount?: bigint) => Payer
  /** A payer with 1 USDC that has settled many metered calls, so that no content is withheld from it. */
  readonly newRegular: () => Promise<Payer>
  close(): void
}

const FACILITATOR = '0x00000000000000000000000000000000000000fa'
export const BASE_URL = 'https://gate.example'
export const SELLER: SellerTerms = {
  network: BASE.id,
  asset: BASE.usdc,
  assetName: BASE.usdcName,
  assetVersion: BASE.usdcVersion,
  payTo: '0x00000000000000000000000000000000000000cc',
  facilitatorAddress: FACILITATOR,
  signer: createOfferSigner(`0x${'5a'.repeat(32)}`),
}

/** Processes that sell over one store and one chain, with a clock that tests move. */
export function createWorld(state: State, existingChain?: MemoryChain): World {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollbook-gate-'))
  let ahead = 0
  const now = () => Date.now() + ahead
  const chain = existingChain ?? new MemoryChain(() => Math.floor(now() / 1000))

  async function startProcess(
    limits: Partial<GateLimits> = {},
    unpaidPerMinute = 100_000,
    further: readonly Endpoint[] = [],
    ports: unknown = {},
  ): Promise<Process> {
    const link = chain.connect(FACILITATOR)
    const events: PaymentEvent[] = []
    const log: string[] = []
    const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) })
    const desk: Desk = {
      work: ({ input, payer }) => json({ word: input.word, payer }),
      runs: 0,
      availability: { isAvailable: true },
    }
    const limiter = createRateLimiter(unpaidPerMinute)
    const payerLimiter = createRateLimiter(unpaidPerMinute)
    const clock = () => new Date(now())
    const gate = await openGate({
      // No test can move the database's clock.
      leaseTime: () => sql<number>`cast(${now()} as bigint)`,
      state,
      logger,
      limiter,
      payerLimiter,
      dataDir,
      clock,
      limits: { freeBytes: 0, ...limits },
      facilitator: link.facilitator,
      chainReader: link.chainReader,
      seller: () => SELLER,
      count: (event) => events.push(event),
    })
    const own = createService(desk, link)
    const service = { ...own, endpoints: [...own.endpoints, ...further], ports }
    const app = createServiceApp({ service, gate, seller: SELLER, logger, limiter, clock })
    const fetch = async (path: string, init?: RequestInit, remoteAddress?: string) =>
      app.request(`${BASE_URL}${path}`, init, { incoming: { socket: { remoteAddress } } } as never)
    async function challenge(path: string, method = 'GET'): Promise<PaymentRequired> {
      const response = await fetch(path, { method })
      return decodePaymentRequiredHeader(
        response.headers.get('payment-required') ?? '',
      ) as unknown as PaymentRequired
    }
    return {
      gate,
      link,
      desk,
      events,
      log,
      fetch,
      challenge,
      pay: async (path, payer, { method, ...options } = {}) => {
        const signed = { now: Math.floor(now() / 1000), ...options }
        const terms = await challenge(path, method)
        return { headers: { 'payment-signature': await signPayment(payer, terms, signed) } }
      },
    }
  }

  function newFunded(amount: bigint): Payer {
    const payer = newPayer()
    chain.fund(payer.address, amount)
    return payer
  }

  return {
    state,
    chain,
    dataDir,
    now,
    startProcess,
    pass: (ms) => {
      ahead += ms
    },
    newPayer: (amount = 1_000_000n) => newFunded(amount),
    newRegular: async () => {
      const payer = newFunded(1_000_000n)
      const values = { payer: payer.address.toLowerCase(), amount: 500_000, changed_at: now() }
      await state.db.insertInto('live_allowance').values(values).execute()
      return payer
    },
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

let shared: Promise<State> | undefined

/**
 * Runs a test in a world of its own, over one SQLite store for all tests of a file: every test has payers of
 * its own, and the rows of other tests are closed.
 */
export function inWorld(name: string, work: (world: World) => Promise<void>): void {
  test(name, async () => {
    shared ??= openTestState()
    const world = createWorld(await shared)
    try {
      await work(world)
    } finally {
      world.close()
    }
  })
  // Of the suite that the test is in.
  after(closeShared)
}

async function closeShared(): Promise<void> {
  const state = await shared
  shared = undefined
  await state?.close()
}

/** The receipt of a response, or null. */
export function receiptOf(response: Response) {
  const header = response.headers.get('payment-response')
  return header === null ? null : decodePaymentResponseHeader(header)
}

export async function codeOf(response: Response): Promise<string> {
  const body = (await response.json()) as { code?: string }
  return body.code ?? ''
}

const input = z.object({ word: z.string().max(20), other: z.string().optional() })
const output = z.looseObject({ word: z.string() })
const common = {
  method: 'GET',
  summary: 'Says a word',
  description: 'Says the word that it is given.',
  input,
  output,
  example: { input: { word: 'a' }, output: { word: 'a' } },
  limits: { bodyBytes: 1000, timeoutMs: 20_000 },
} as const

type Differences = Omit<Partial<Endpoint>, 'handle'>

/** An endpoint of a test, `GET /api/{id}`, which takes a word and costs a cent. @param more how it differs */
export function sayEndpoint(id: string, more: Differences & { readonly handle: Work }): Endpoint {
  const pricing = { kind: 'exact', priceUsd: '0.01' } as const
  // The handlers of tests answer in any kind, which a declaration's types would distinguish.
  return defineEndpoint({ ...common, id, path: `/api/${id}`, pricing, ...more } as never)
}

function createService(desk: Desk, link: Link): Service {
  async function handle(call: Call<WorkInput>): Promise<Answer> {
    desk.runs += 1
    await link.reach('handler')
    return desk.work(call)
  }
  const metered = { kind: 'metered', priceUsd: '0.05', minimumUsd: '0.001', isExactFirst: true } as const
  const refusal = { code: 'not_configured', detail: 'No source is configured.' } as const
  const define = (id: string, more: Differences) => sayEndpoint(id, { handle, ...more })
  return {
    name: 'utility',
    title: 'Test',
    description: 'A service of a test.',
    baseUrl: BASE_URL,
    ports: {},
    endpoints: [
      define('say', {
        availability: () =>
          desk.availability.isAvailable ? { isAvailable: true } : { isAvailable: false, problem: refusal },
      }),
      define('wallet', { scope: 'wallet' }),
      define('near', { scope: ({ word }: WorkInput) => (word === 'me' ? 'wallet' : 'public') }),
      define('metered', { pricing: metered }),
      define('brief', { pricing: metered, limits: { bodyBytes: 1000, timeoutMs: 500 } }),
      define('quick', { limits: { bodyBytes: 1000, timeoutMs: 50 } }),
    ],
  }
}
