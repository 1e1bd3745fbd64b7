import assert from 'node:assert/strict'
import type { Ask } from '@tollbook/testing/catalogue/open-service'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { fuzzWallets } from '@tollbook/testing/wallets/fuzz-wallets'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'
import { sql } from 'kysely'
import type { State } from '../state/state.ts'

const ANN = '0x00000000000000000000000000000000000000a1'
const BEN = '0x00000000000000000000000000000000000000b2'

onSqliteState('each of 100 concurrent wallets sees and counts only its own data', (state) =>
  fuzzWallets(state, 100, 4),
)

/** A call of every kind, both successful and not found. */
const CALLS: readonly (Ask & { readonly path: string })[] = [
  { path: '/api/store' },
  { path: '/api/store/export' },
  { path: '/api/store/a?limit=2' },
  { path: '/api/store/a?since=2020-01-01&order=desc&offset=1' },
  { path: '/api/store/a?where.n=1' },
  { path: '/api/store/a/1' },
  { path: '/api/store/a/1', method: 'PATCH', body: { n: 2 } },
  { path: '/api/store/a', method: 'POST', body: [{ n: 3 }] },
  { path: '/api/store/b', method: 'POST', body: { n: 3 } },
  { path: '/api/store/a/2', method: 'DELETE' },
  { path: '/api/store/b', method: 'DELETE' },
  { path: '/api/scratchpad' },
  { path: '/api/scratchpad/p' },
  { path: '/api/scratchpad/p?version=1' },
  { path: '/api/scratchpad/p', method: 'PUT', body: { content: 'a', mode: 'append' } },
  { path: '/api/scratchpad/q', method: 'PUT', body: { content: 'a' } },
  { path: '/api/scratchpad/q', method: 'DELETE' },
]

async function open(state: State) {
  return openWalletService(state)
}

async function fill(ask: Awaited<ReturnType<typeof open>>['ask'], payer: typeof ANN): Promise<void> {
  await ask('/api/store/a', { payer, method: 'POST', body: [{ n: 1 }, { n: 2 }] })
  await ask('/api/scratchpad/p', { payer, method: 'PUT', body: { content: 'a' } })
}

/** The state, with a record of the statements it received. */
function watch(state: State): { readonly watched: State; readonly statements: Set<string> } {
  const statements = new Set<string>()
  const db = state.db.withPlugin({
    transformQuery({ node, queryId }) {
      statements.add(state.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { watched: { ...state, db }, statements }
}

onSqliteState(
  'no call reads the rows of other wallets, so their number does not affect the time',
  async (state) => {
    const { watched, statements } = watch(state)
    const { ask } = await open(watched)
    await fill(ask, ANN)
    for (const { path, ...init } of CALLS)
      assert.ok((await ask(path, { payer: ANN, ...init })).status < 300, path)
    assert.ok(statements.size > 30, `${statements.size} statements`)
    for (const statement of statements) {
      if (!/^(select|update|delete)/.test(statement)) continue
      const plan = await sql<{ detail: string }>`explain query plan ${sql.raw(statement)}`.execute(state.db)
      for (const { detail } of plan.rows) {
        assert.doesNotMatch(detail, /^SCAN/, statement)
        // Every lookup begins at the wallet, at one of its collections or pads, or at the call.
        if (detail.startsWith('SEARCH'))
          assert.match(detail, /\((wallet|address|collection|pad|id|owner)=\?/, statement)
      }
    }
  },
)

onSqliteState('data of another wallet is reported like data that does not exist', async (state) => {
  const { ask } = await open(state)
  await ask('/api/store/taken', { payer: ANN, method: 'POST', body: [{ n: 1 }, { n: 2 }] })
  await ask('/api/scratchpad/taken', { payer: ANN, method: 'PUT', body: { content: 'a' } })
  const calls: readonly (Ask & { readonly path: string })[] = [
    { path: '/api/store/NAME' },
    { path: '/api/store/NAME', method: 'DELETE' },
    { path: '/api/store/NAME/1' },
    { path: '/api/store/NAME/1', method: 'DELETE' },
    { path: '/api/store/NAME/1', method: 'PUT', body: { n: 2 }, headers: { 'if-match': '"1"' } },
    { path: '/api/store/NAME?if_total_rows=2', method: 'POST', body: { n: 2 } },
    { path: '/api/scratchpad/NAME' },
    { path: '/api/scratchpad/NAME?version=1' },
    { path: '/api/scratchpad/NAME', method: 'DELETE' },
    { path: '/api/scratchpad/NAME', method: 'PUT', body: { content: 'b', if_version: 1 } },
    { path: '/api/store/NAME', method: 'POST', body: { n: 2 } },
    { path: '/api/scratchpad/NAME', method: 'PUT', body: { content: 'b' } },
  ]
  for (const { path, ...init } of calls) {
    const tellOf = async (name: string) => {
      const { status, text } = await ask(path.replace('NAME', name), { payer: BEN, ...init })
      return [
        status,
        text
          .replaceAll(name, 'NAME')
          .replace(/"request_id":"[^"]*"/, '')
          .replace(/"bytes_used":\d+/, ''),
      ]
    }
    // The name of another wallet's collection and pad, and an unused one.
    assert.deepEqual(await tellOf('taken'), await tellOf('unused'), `${init.method} ${path}`)
  }
})
