import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Address } from '@tollbook/chain/hex'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { runHandler } from '@tollbook/endpoints/serving/run-handler'
import type { Answer } from '@tollbook/gate/contract/answer'
import type { Issue } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'

/** The moment at which endpoints run in tests, so that documents are the same every time. */
export const TEST_TIME = new Date('2026-11-21T10:00:00.000Z')
export const TEST_PAYER: Address = '0x00000000000000000000000000000000000000aa'

type Options = {
  readonly ports?: unknown
  readonly payer?: Address
  readonly now?: Date
  readonly ifMatch?: string
  readonly clientAddress?: string
  /** The field `file`. */
  readonly file?: UploadedFile
}

/** The issues that the router would name for these arguments: those of the schema, else those of `check`. */
export function issuesOf(
  endpoint: Endpoint,
  given: unknown,
  ports: unknown = {},
  file?: UploadedFile,
): readonly Issue[] {
  const parsed = endpoint.input.safeParse(given)
  if (parsed.success) return endpoint.check?.(parsed.data, ports, new Map(file && [['file', file]])) ?? []
  return (parsed.error.issues as readonly { path: readonly PropertyKey[]; message: string }[]).map(
    (issue) => ({ parameter: issue.path.join('.'), detail: issue.message }),
  )
}

/** Validates the arguments and returns what the handler answers. */
export async function callEndpoint(
  endpoint: Endpoint,
  given: unknown,
  options: Options = {},
): Promise<Answer> {
  assert.deepEqual(issuesOf(endpoint, given, options.ports, options.file), [])
  return runHandler(endpoint, {
    input: endpoint.input.parse(given),
    files: new Map(options.file && [['file', options.file]]),
    payer: options.payer ?? TEST_PAYER,
    callId: randomUUID(),
    effects: applyNow,
    clientAddress: options.clientAddress ?? '127.0.0.1',
    whenWritten: async () => true,
    ports: options.ports ?? {},
    signal: new AbortController().signal,
    now: options.now ?? TEST_TIME,
    accept: '',
    ifMatch: options.ifMatch ?? '',
  })
}

/** Calls the endpoint, validates its JSON answer against the output schema and returns the body. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
export async function runEndpoint(endpoint: Endpoint, given: unknown, options: Options = {}): Promise<any> {
  const answer = await callEndpoint(endpoint, given, options)
  assert.ok(answer.kind === 'json')
  // Parsed from text, so that only what JSON carries is compared.
  const body = JSON.parse(JSON.stringify(answer.body))
  assert.deepEqual(endpoint.output.parse(body), body)
  return body
}
