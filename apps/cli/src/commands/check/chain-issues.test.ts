import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { findChain, findReadChain } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { findFileIssues } from '../file-issues.ts'

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function issuesOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ConfigError, String(error))
  return error.issues
}

test('a node that cannot be used is explained by its reason, without its URL', async (t) => {
  const text = await serve(t, (_, response) => response.end('<html>'))
  const locked = await serve(t, (_, response) => response.writeHead(401).end('unauthorized'))
  for (const [url, reason] of [
    [
      'http://key.invalid/secret',
      /ENOTFOUND: the host name does not exist|EAI_AGAIN: the host name cannot be/,
    ],
    ['http://127.0.0.1:1/secret', /ECONNREFUSED: nothing listens there/],
    [`${text}/secret`, /SyntaxError: the answer is not JSON/],
    [`${locked}/secret`, /HTTP status 401: the user, password or key is wrong/],
  ] as const) {
    const [issue = ''] = await issuesOf(findReadChain(loadConfig({ TOLLBOOK_CHAIN_RPC_URL: url })))
    assert.match(issue, /^TOLLBOOK_CHAIN_RPC_URL: /)
    assert.match(issue, reason)
    assert.doesNotMatch(issue, /secret/)
  }
})

test('issues of the wallets, of the node and of every file are reported at once', async () => {
  const config = loadConfig({
    TOLLBOOK_CHAIN_RPC_URL: 'http://127.0.0.1:1',
    TOLLBOOK_MODELS_FILE: '/nowhere/models.json',
    TOLLBOOK_LABELS_FILE: '/nowhere/labels.json',
    TOLLBOOK_FACILITATORS_FILE: '/nowhere/facilitators.json',
  })
  const files = await findFileIssues(config, ['index', 'report', 'social', 'utility', 'inference'])
  const issues = await issuesOf(findChain(config, ['utility'], files))
  assert.deepEqual(issues.map((issue) => issue.split(':', 1)[0]).sort(), [
    'TOLLBOOK_CHAIN_RPC_URL',
    'TOLLBOOK_FACILITATORS_FILE',
    'TOLLBOOK_FACILITATOR_KEY',
    'TOLLBOOK_LABELS_FILE',
    'TOLLBOOK_MODELS_FILE',
    'TOLLBOOK_UTILITY_PAY_TO',
  ])
  assert.deepEqual(await findFileIssues(config, ['social']), [])
})
