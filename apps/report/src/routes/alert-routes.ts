import { randomUUID } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import { BlockedTarget } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import { parseTarget } from '@tollbook/safe-fetch/target'
import { toUtcText } from '@tollbook/verify/build/compose-report'
import { utcTime } from '@tollbook/verify/build/merchant-report'
import * as z from 'zod'
import { type Alert, alertOutbox } from '../claims/alerts/alert-outbox.ts'
import {
  ALERT_EVENTS,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  type Webhook,
} from '../claims/alerts/webhooks.ts'
import { openAlertSession, readAlertSession } from '../claims/signing/alert-sessions.ts'
import { claimInput } from './claim-fields.ts'
import { findMessage, NOT_STORED, POST, take } from './claim-routes.ts'
import type { ReportCall } from './reads/define-read.ts'
import type { ReportPorts } from './reads/ports.ts'

const MAX_URL_LENGTH = 500
/** Undelivered alerts of a webhook beyond which no test is sent. */
const MAX_PENDING_FOR_TEST = 10
const EXAMPLE_ID = '0'.repeat(32)
const EXAMPLE_SESSION = { token: 'example' }

const MANAGED = {
  ...POST,
  isPage: false,
  pathPatterns: { id: '[0-9a-f]{32}' },
  headerFields: { 'x-alert-token': 'token' },
  secrets: ['token'],
} as const
const token = z.string().max(200).describe('The token of `POST /claims/session`.')
const id = z.string().describe('The id of the webhook.')

const webhookShape = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(ALERT_EVENTS)),
  rank_places: z.int(),
  drop_percent: z.int(),
  created_at: utcTime,
})
const deliveryShape = z.object({
  id: z.string().describe('The `webhook-id` of every attempt.'),
  event: z.string(),
  created_at: utcTime,
  attempts: z.int(),
  outcome: z.enum(['pending', 'delivered', 'given_up']),
  last_answer: z.string().nullable().describe('Status of the last answer, or the error.'),
})

const session = defineEndpoint({
  ...POST,
  isPage: false,
  id: 'alert-session',
  path: '/claims/session',
  summary: 'Get a token that manages alerts, for a signed challenge',
  description: 'Opens a session of one hour for a wallet that signed a challenge with the action `alerts`.',
  secrets: ['signature'],
  input: claimInput.pick({ message: true, nonce: true, signature: true }),
  output: z.object({ address: z.string(), token: z.string(), expires_at: utcTime }),
  example: { input: { nonce: EXAMPLE_ID, signature: `0x${'00'.repeat(65)}` } },
  async handle({ input, ports, signal, clientAddress }: ReportCall<SignedInput>) {
    take(ports.limits.claimsOfClient, clientAddress)
    const { nonce, message = await findMessage(nonce ?? '', ports), signature } = input
    const { address, token, expiresAt } = await openAlertSession(ports, { message, signature }, signal)
    const body = { address, token, expires_at: toUtcText(expiresAt.getTime() / 1000) }
    return json(body, { status: 201, headers: NOT_STORED })
  },
})
type SignedInput = Pick<z.output<typeof claimInput>, 'message' | 'nonce' | 'signature'>

const createInput = z.object({
  token,
  url: z
    .url()
    .max(MAX_URL_LENGTH)
    .describe('Receives the alerts: https, on a public host, without a password.'),
  events: z
    .array(z.enum(ALERT_EVENTS))
    .min(1)
    .default([...ALERT_EVENTS])
    .transform((events) => [...new Set(events)])
    .describe('Default: all.'),
  rank_places: z.int().min(1).max(10_000).default(10).describe('Places between two weeks.'),
  drop_percent: z.int().min(1).max(100).default(50).describe('Fall of real revenue between two weeks.'),
})

const create = defineEndpoint({
  ...MANAGED,
  id: 'alert-create',
  path: '/claims/alerts',
  // A URL may contain a password of its receiver.
  secrets: ['token', 'url'],
  summary: 'Register a webhook for alerts',
  description: 'Registers a webhook of a claimed merchant. The answer has its secret, which is shown once.',
  input: createInput,
  output: webhookShape.extend({ secret: z.string() }),
  example: { input: { ...EXAMPLE_SESSION, url: 'https://shop.example/tollbook-alerts' } },
  check: ({ url }, { isDemo }: ReportPorts) => {
    const issue = findTargetIssue(url, isDemo)
    return issue === null ? [] : [{ parameter: 'url', detail: issue }]
  },
  async handle({ input, ports }: ReportCall<z.output<typeof createInput>>) {
    const address = await readOwner(ports, input)
    const { url, events, rank_places: rankPlaces, drop_percent: dropPercent } = input
    const wish = { address, url, events, rankPlaces, dropPercent }
    const { secret, ...webhook } = await createWebhook(ports.state, wish, ports.now())
    return json({ ...toDocument(webhook), secret }, { status: 201, headers: NOT_STORED })
  },
})

const list = defineEndpoint({
  ...MANAGED,
  id: 'alert-list',
  method: 'GET',
  path: '/claims/alerts',
  status: 200,
  isPostRead: false,
  summary: 'List the webhooks of a merchant',
  description: 'The webhooks of the wallet of the session, with the deliveries of the last week.',
  input: z.object({ token }),
  output: z.object({
    webhooks: z.array(webhookShape.extend({ deliveries: z.array(deliveryShape) })),
  }),
  example: { input: EXAMPLE_SESSION },
  async handle({ input, ports }: ReportCall<{ readonly token: string }>) {
    const address = await readOwner(ports, input)
    const own = await listWebhooks(ports.state, address)
    const webhooks = await Promise.all(
      own.map(async (webhook) => {
        const deliveries = await alertOutbox.list(ports.state.db, webhook.id)
        const toShown = ({ createdAt, lastAnswer, ...delivery }: (typeof deliveries)[number]) => ({
          ...delivery,
          created_at: toUtcText(createdAt.getTime() / 1000),
          last_answer: lastAnswer,
        })
        return { ...toDocument(webhook), deliveries: deliveries.map(toShown) }
      }),
    )
    return json({ webhooks }, { headers: NOT_STORED })
  },
})

type OneInput = { readonly token: string; readonly id: string }

const remove = defineEndpoint({
  ...MANAGED,
  id: 'alert-delete',
  method: 'DELETE',
  path: '/claims/alerts/{id}',
  status: 200,
  summary: 'Delete a webhook',
  description: 'Deletes a webhook, and what it has not received.',
  input: z.object({ token, id }),
  output: z.object({ id: z.string(), deleted: z.literal(true) }),
  example: { input: { ...EXAMPLE_SESSION, id: EXAMPLE_ID } },
  async handle({ input, ports }: ReportCall<OneInput>) {
    const address = await readOwner(ports, input)
    if (!(await deleteWebhook(ports.state, { id: input.id, address }))) throw notFound(input.id)
    return json({ id: input.id, deleted: true as const }, { headers: NOT_STORED })
  },
})

const test = defineEndpoint({
  ...MANAGED,
  id: 'alert-test',
  path: '/claims/alerts/{id}/test',
  summary: 'Send a test alert',
  description: 'Queues an alert of type `test`, delivered within seconds.',
  input: z.object({ token, id }),
  output: z.object({ id: z.string(), queued: z.literal(true) }),
  example: { input: { ...EXAMPLE_SESSION, id: EXAMPLE_ID } },
  async handle({ input, ports }: ReportCall<OneInput>) {
    const address = await readOwner(ports, input)
    const webhook = (await listWebhooks(ports.state, address)).find((own) => own.id === input.id)
    if (!webhook) throw notFound(input.id)
    take(ports.limits.alertTests, address)
    const detail = 'Too many alerts of this webhook are not delivered yet.'
    if ((await alertOutbox.countPending(ports.state.db, webhook.id)) >= MAX_PENDING_FOR_TEST)
      throw new ProblemError({ code: 'rate_limited', detail, retryAfterSeconds: 60 })
    const alert: Alert = { event: 'test', key: randomUUID(), data: { address } }
    await alertOutbox.queue(ports.state.db, { webhook: webhook.id, events: [alert], at: ports.now() })
    return json({ id: webhook.id, queued: true as const }, { status: 201, headers: NOT_STORED })
  },
})

export const ALERT_ENDPOINTS: readonly Endpoint[] = [session, create, list, remove, test]

/** Null if alerts may be sent to a URL. Names are resolved at each delivery. */
function findTargetIssue(url: string, isDemo: boolean): string | null {
  try {
    const { protocol } = parseTarget(url, { allowPrivateNetwork: isDemo })
    return protocol === 'https:' || isDemo ? null : 'must be an https URL'
  } catch (error) {
    if (error instanceof BlockedTarget) return error.message
    throw error
  }
}

function readOwner({ state, now }: ReportPorts, { token }: { readonly token: string }): Promise<Address> {
  return readAlertSession(state, token, now())
}

function toDocument({ id, url, events, rankPlaces, dropPercent, createdAt }: Webhook) {
  return {
    id,
    url,
    events: [...events],
    rank_places: rankPlaces,
    drop_percent: dropPercent,
    created_at: toUtcText(createdAt.getTime() / 1000),
  }
}

function notFound(id: string): ProblemError {
  return new ProblemError({ code: 'not_found', detail: `The wallet has no webhook ${id}.` })
}
