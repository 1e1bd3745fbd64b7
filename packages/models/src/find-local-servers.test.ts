import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { findLocalServers } from './find-local-servers.ts'

/** Shortened model lists of each server; sources are in find-local-servers.ts. */
const LISTS: Readonly<Record<string, object>> = {
  Ollama: { id: 'llama3.2:latest', object: 'model', created: 1_727_307_000, owned_by: 'library' },
  vLLM: {
    id: 'Qwen/Qwen3-8B',
    object: 'model',
    owned_by: 'vllm',
    root: 'Qwen/Qwen3-8B',
    max_model_len: 40_960,
  },
  'llama.cpp': { id: 'qwen3.5-4b', object: 'model', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } },
  'LM Studio': { id: 'qwen/qwen3-4b', object: 'model', owned_by: 'organization_owner' },
  SGLang: { id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'sglang', root: 'Qwen/Qwen3-8B' },
  'A chat completions server': { id: 'mine', object: 'model', owned_by: 'me' },
}
const embedding = {
  id: 'text-embedding-nomic-embed-text-v1.5',
  object: 'model',
  owned_by: 'organization_owner',
}

const closing: (() => void)[] = []
after(() => {
  for (const close of closing) close()
})

async function serve(path: string, body: string): Promise<number> {
  const site = await servePages({ [path]: { headers: { 'content-type': 'application/json' }, body } })
  closing.push(() => site.close())
  return Number(new URL(site.url).port)
}

const find = (ports: readonly number[]) =>
  findLocalServers({ fetch: createSafeFetch({ allowPrivateNetwork: true }), ports, timeoutMs: 60_000 })

test('servers are identified by their list of models, in port order', async () => {
  const ports: number[] = []
  for (const model of Object.values(LISTS))
    ports.push(await serve('/v1/models', JSON.stringify({ object: 'list', data: [embedding, model] })))
  const servers = await find(ports)
  assert.deepEqual(
    servers.map(({ name }) => name),
    Object.keys(LISTS),
  )
  assert.deepEqual(servers[0], {
    name: 'Ollama',
    baseUrl: `http://127.0.0.1:${ports[0]}/v1`,
    models: ['llama3.2:latest'],
  })
})

test('other services and closed ports are not servers', async () => {
  const ports = [
    await serve('/v1/models', '<html>a page</html>'),
    await serve('/v1/models', '{"error":"who are you"}'),
    await serve('/v1/models', JSON.stringify({ object: 'list', data: [] })),
    await serve('/v1/models', JSON.stringify({ object: 'list', data: [embedding] })),
    await serve('/elsewhere', '{}'),
    1,
  ]
  assert.deepEqual(await find(ports), [])
})
