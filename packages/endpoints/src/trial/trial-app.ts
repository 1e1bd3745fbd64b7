import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE } from '@tollbook/chain/network'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { openGate } from '@tollbook/gate/gate/gate'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import * as migrations from '@tollbook/gate/state/migrations'
import type { Tables } from '@tollbook/gate/state/tables'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { migrateState } from '@tollbook/store/migrate'
import { openState } from '@tollbook/store/open'
import { pino } from 'pino'
import type { Service } from '../service.ts'
import { createServiceApp } from '../serving/router.ts'

/** A service that can be called, with a gate that takes any payment. */
export type TrialApp = {
  fetch(request: Request): Promise<Response>
  /** The errors of handlers since the last call of this function. */
  takeErrors(): readonly string[]
  close(): Promise<void>
}

/** Nobody has their keys. */
const PAYEE = '0x00000000000000000000000000000000000000bb'
const FACILITATOR = '0x00000000000000000000000000000000000000fa'
/** Nothing listens there: a payment that settled is not looked for on the chain. */
const NO_CHAIN = 'http://127.0.0.1:9'
const CALLS_PER_MINUTE = 1_000_000

/** Opens the service behind a gate with a temporary database. */
export async function openTrialApp(service: Service): Promise<TrialApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-trial-'))
  const state = await openState<Tables>('sqlite::memory:')
  await migrateState(state, Object.values(migrations))
  const errors: string[] = []
  const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(...readError(line)) })
  const limiter = createRateLimiter(CALLS_PER_MINUTE)
  const facilitator = createFreeFacilitator()
  const seller = {
    network: BASE.id,
    asset: BASE.usdc,
    assetName: BASE.usdcName,
    assetVersion: BASE.usdcVersion,
    payTo: PAYEE,
    facilitatorAddress: FACILITATOR,
  } as const
  const gate = await openGate({
    state,
    facilitator,
    chainReader: createChainReader({ rpcUrl: NO_CHAIN, network: BASE, finalTag: 'latest' }),
    seller: () => seller,
    limiter,
    payerLimiter: createRateLimiter(CALLS_PER_MINUTE),
    logger,
    dataDir,
  })
  await gate.start()
  const app = createServiceApp({ service, gate, seller, limiter, logger })
  return {
    fetch: async (request) => app.fetch(request),
    takeErrors: () => errors.splice(0),
    async close() {
      await gate.close()
      await state.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The message of an error in a line of the log. */
function readError(line: string): readonly string[] {
  const { err } = JSON.parse(line) as { readonly err?: { readonly message?: string } }
  return err?.message === undefined ? [] : [err.message]
}

/** Settles each payment at once, without a chain: what is tested is the service, not the payer. */
function createFreeFacilitator(): RunningFacilitator {
  return {
    address: FACILITATOR,
    verify: async () => ({ isValid: true }),
    async settle({ amount, beforeSend }) {
      const transaction = `0x${randomBytes(32).toString('hex')}` as const
      await beforeSend(transaction)
      return { outcome: 'settled', transaction, amount }
    },
    health: async () => ({ isHealthy: true, detail: 'settles without a chain' }),
    close: async () => {},
  }
}
