import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

/** Node's error for a package that is in no folder `node_modules`. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== 'pg') return nextResolve(specifier, context)
    const message = `Cannot find package 'pg' imported from ${context.parentURL}`
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})

const { openState } = await import('./open.ts')
const { takeLead } = await import('./lead.ts')
const refusal = { name: 'ConfigError', message: /PostgreSQL needs the package pg: npm install pg$/ }
const order = { signal: new AbortController().signal, onStandby() {} }

test('SQLite needs no package pg', async () => {
  const state = await openState('sqlite::memory:')
  await state.close()
  await (await takeLead('sqlite::memory:', 'indexer', order)).close()
})

test('PostgreSQL names the package that it needs', async () => {
  await assert.rejects(openState('postgres://127.0.0.1:9/tollbook'), refusal)
  await assert.rejects(takeLead('postgres://127.0.0.1:9/tollbook', 'indexer', order), refusal)
})
