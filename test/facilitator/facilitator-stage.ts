import type { TestContext } from 'node:test'
import type { State } from '@tollbook/cli/commands/state/state'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { openDiscovery } from '@tollbook/report/open/open-discovery'
import { loadConfig } from '@tollbook/runtime/config'
import { type FacilitatorOptions, serveFacilitator } from '@tollbook/runtime/selling/serve-facilitator'
import type { SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { pino } from 'pino'

export type TestFacilitator = {
  readonly url: string
  readonly client: HTTPFacilitatorClient
  /** Sends any body. */
  post(
    path: '/verify' | '/settle',
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer>
  verify(payment: OfferedPayment): Promise<{ isValid: boolean; invalidReason?: string | undefined }>
  settle(payment: OfferedPayment, amount?: string): Promise<SettleAnswer>
  close(): Promise<void>
}

export type Answer = {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}
export type SettleAnswer = Awaited<ReturnType<HTTPFacilitatorClient['settle']>>

/** Serves the facilitator on a stage's chain, on a free port, until the test ends. */
export async function startFacilitator(
  stage: Pick<SettlementStage, 'access' | 'state'>,
  t: Pick<TestContext, 'after'> | null,
  {
    settings = {},
    state = stage.state,
    ...options
  }: { settings?: Record<string, string>; state?: State } & Partial<FacilitatorOptions> = {},
): Promise<TestFacilitator> {
  const { access } = stage
  const config = loadConfig(settings)
  const listening = await serveFacilitator({
    config,
    discovery: openDiscovery({ config, state }),
    chain: { isDev: true, rpcUrls: [access.rpcUrl], access },
    state,
    logger: pino({ level: 'silent' }),
    place: { host: '127.0.0.1', port: 0, baseUrl: 'http://127.0.0.1:4025' },
    ...options,
  })
  t?.after(() => listening.close())
  const client = new HTTPFacilitatorClient({ url: listening.url })
  return {
    ...listening,
    client,
    async post(path, body, headers = {}, signal) {
      const response = await fetch(`${listening.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal && { signal }),
      })
      return {
        status: response.status,
        body: (await response.json()) as Record<string, unknown>,
        headers: response.headers,
      }
    },
    verify: (payment) => client.verify(...toRequest(payment)),
    settle: (payment, amount) => client.settle(...toRequest(payment, amount)),
  }
}

/** The arguments of the stock client for a payment of version 2. */
export function toRequest(
  { payload, terms }: OfferedPayment,
  amount = terms.amount,
): [PaymentPayload, PaymentRequirements] {
  return [payload as PaymentPayload, { ...terms, amount } as unknown as PaymentRequirements]
}

/** The body of a request of version 2. */
export function toBody(payment: OfferedPayment, amount?: string) {
  const [paymentPayload, paymentRequirements] = toRequest(payment, amount)
  return { x402Version: 2, paymentPayload, paymentRequirements }
}

/** The same `exact` payment in version 1. */
export function toBodyV1({ payload, terms }: OfferedPayment) {
  const { amount, network: _, ...rest } = terms
  const inner = (payload as { payload: unknown }).payload
  return {
    x402Version: 1,
    paymentPayload: { x402Version: 1, scheme: 'exact', network: 'base', payload: inner },
    paymentRequirements: {
      ...rest,
      network: 'base',
      maxAmountRequired: amount,
      resource: 'https://seller.example/',
      description: '',
      mimeType: 'application/json',
    },
  }
}
