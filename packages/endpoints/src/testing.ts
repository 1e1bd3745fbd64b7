/** For the tests of a seller: `@tollbook/endpoints/testing`. */
import { parseUsd } from '@tollbook/chain/usdc'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { openService, type ServiceDeclaration } from './define-service.ts'
import { listingPrice } from './documents/listing.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointError } from './load.ts'
import { toRequest } from './mcp/tool-request.ts'
import { readAvailability } from './routes/read-availability.ts'
import type { Service } from './service.ts'
import { findServiceIssues } from './service-issues.ts'
import { openTrialApp, type TrialApp } from './trial/trial-app.ts'
import { signTrialPayment } from './trial/trial-payment.ts'

const BASE_URL = 'https://service.example'

/**
 * Tests each endpoint of a service by its example, as a buyer calls it: the input is valid, an unpaid call gets a 402
 * with the price, and a paid call gets an answer that fits the output schema. Handlers run, with what they call; the
 * gate and its rows are those of `tollbook serve`, in a temporary database, and no money moves.
 * @throws EndpointError that lists every issue of every endpoint.
 * @example test('each example is served', () => testEndpoints(service))
 */
export async function testEndpoints(declaration: ServiceDeclaration): Promise<void> {
  const wrong = findServiceIssues(declaration)
  if (wrong.length > 0) throw new EndpointError(wrong)
  const stop = new AbortController()
  const closers: (() => Promise<void> | void)[] = []
  const service = await openService(declaration, {
    baseUrl: BASE_URL,
    signal: stop.signal,
    onClose: (close) => void closers.unshift(close),
  })
  const trial = await openTrialApp(service)
  try {
    const issues: string[] = []
    for (const endpoint of service.endpoints)
      issues.push(...(await tryEndpoint(trial, service, endpoint)).map((issue) => `${endpoint.id}: ${issue}`))
    if (issues.length > 0) throw new EndpointError(issues)
  } finally {
    stop.abort()
    await trial.close()
    for (const close of closers) await close()
  }
}

async function tryEndpoint(
  trial: TrialApp,
  service: Service,
  endpoint: Endpoint,
): Promise<readonly string[]> {
  const { example } = endpoint
  const output = example.output === undefined ? null : endpoint.output.safeParse(example.output)
  const issues =
    output?.success === false ? [`example.output does not fit its schema: ${output.error.message}`] : []
  const input = endpoint.input.safeParse(example.input)
  if (!input.success) return [...issues, `example.input is not valid: ${input.error.message}`]
  const availability = readAvailability(service, endpoint)
  if (!availability.isAvailable) return [...issues, `it is not available: ${availability.problem.detail}`]
  const call = async (payment?: unknown) =>
    trial.fetch(
      await toRequest(
        service,
        { endpoint, arguments: await withoutFiles(example.input), payment },
        new Request(service.baseUrl),
      ),
    )
  const first = await call()
  if (endpoint.pricing.kind === 'free')
    return [...issues, ...(await findAnswerIssues(trial, endpoint, first))]
  const challenge = await readChallenge(first)
  if (typeof challenge === 'string') return [...issues, challenge]
  const price = parseUsd(listingPrice(endpoint))
  const amounts = challenge.accepts.map(({ amount }) => amount)
  if (amounts.some((amount) => BigInt(amount) !== price))
    issues.push(`the unpaid call asks for ${amounts.join(', ')} micro-USDC instead of ${price}`)
  const paid = await call(await signTrialPayment(challenge))
  return [...issues, ...(await findAnswerIssues(trial, endpoint, paid))]
}

/** Files as tools send them. */
async function withoutFiles(input: object): Promise<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(input).map(async ([name, value]) => [
    name,
    value instanceof Blob ? Buffer.from(await value.arrayBuffer()).toString('base64') : value,
  ])
  return Object.fromEntries(await Promise.all(fields))
}

async function readChallenge(response: Response): Promise<PaymentRequired | string> {
  const header = response.headers.get('payment-required')
  if (response.status !== 402 || header === null)
    return `the unpaid call of its example got ${response.status} instead of 402: ${await response.text()}`
  return JSON.parse(Buffer.from(header, 'base64').toString())
}

async function findAnswerIssues(
  trial: TrialApp,
  endpoint: Endpoint,
  response: Response,
): Promise<readonly string[]> {
  const { status: expected = 200, output } = endpoint
  const text = await response.text()
  const errors = trial.takeErrors()
  if (response.status !== expected)
    return [
      `the call of its example got ${response.status} instead of ${expected}: ${errors.join('; ') || text}`,
    ]
  // Answers in other formats have no schema.
  if (!response.headers.get('content-type')?.startsWith('application/json')) return []
  const answer = output.safeParse(JSON.parse(text))
  return answer.success ? [] : [`its answer does not fit its output schema: ${answer.error.message}`]
}
