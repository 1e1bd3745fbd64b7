import { randomUUID } from 'node:crypto'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'

/** What the router does with parsed arguments, without payment. */
export async function call(endpoint: Endpoint, provided: object, ports: object = {}): Promise<unknown> {
  const input = endpoint.input.parse(provided)
  const [issue] = endpoint.check?.(input, ports, new Map()) ?? []
  if (issue) throw new Error(issue.detail)
  const answer = await endpoint.handle({
    input,
    ports,
    files: new Map(),
    payer: TEST_PAYER,
    callId: randomUUID(),
    effects: applyNow,
    now: TEST_TIME,
    signal: new AbortController().signal,
    accept: '',
    ifMatch: '',
    clientAddress: '127.0.0.1',
    whenWritten: async () => true,
  })
  return answer.kind === 'json' ? JSON.stringify(answer.body) : answer
}
