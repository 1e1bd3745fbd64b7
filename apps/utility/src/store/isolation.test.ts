import assert from 'node:assert/strict'
import type { Address } from '@tollbook/endpoints/endpoint'
import { fc } from '@tollbook/testing/property'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'

const WALLETS = ['a1', 'b2', 'c3'].map((end): Address => `0x${end.padStart(40, '0')}`)
const NAMES = ['x', 'y']

type Model = { readonly lastId: number; readonly rows: ReadonlyMap<number, unknown> }

/** Any JSON, except values that no body may contain (catalogue/arguments/json-body.ts). */
const value = fc.jsonValue({ maxDepth: 1 }).filter((one) => !JSON.stringify(one).includes('__proto__'))

const step = fc.record({
  payer: fc.constantFrom(...WALLETS),
  name: fc.constantFrom(...NAMES),
  id: fc.integer({ min: 1, max: 6 }),
  fields: fc.dictionary(fc.constantFrom('a', 'é', '"', '\u0000'), value, { noNullPrototype: true }),
  what: fc.constantFrom('post', 'post', 'put', 'get', 'query', 'delete-row', 'delete'),
})

onEveryState('each of several concurrent wallets sees exactly its own changes', async (state) => {
  const { ask } = openWalletService(state)

  async function run(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
    for (const table of ['collection', 'wallet'] as const) await state.db.deleteFrom(table).execute()
    const models = new Map<string, Model>()
    for (const { payer, name, id, fields, what } of steps) {
      const key = `${payer}/${name}`
      const model = models.get(key)
      const rows = new Map(model?.rows)
      const call = (path: string, method: string, body?: unknown) =>
        ask(`/api/store/${name}${path}`, { payer, method, body })
      if (what === 'post') {
        const lastId = (model?.lastId ?? 0) + 1
        models.set(key, { lastId, rows: rows.set(lastId, fields) })
        assert.deepEqual((await call('', 'POST', fields)).body.ids, [lastId])
      } else if (what === 'query') {
        const answer = await call('', 'GET')
        assert.equal(answer.status, model ? 200 : 404)
        if (model) assert.deepEqual(answer.body.rows.map(withoutOwn), [...rows.values()].map(asJson))
      } else if (what === 'delete') {
        assert.equal((await call('', 'DELETE')).status, model ? 200 : 404)
        models.delete(key)
      } else {
        const method = { put: 'PUT', get: 'GET', 'delete-row': 'DELETE' }[what]
        const answer = await call(`/${id}`, method, what === 'put' ? fields : undefined)
        assert.equal(answer.status, rows.has(id) ? 200 : 404, `${what} ${id}`)
        if (what === 'get' && model && rows.has(id))
          assert.deepEqual(withoutOwn(answer.body.row), asJson(rows.get(id)))
        if (what === 'put' && rows.has(id)) rows.set(id, fields)
        if (what === 'delete-row') rows.delete(id)
        if (model) models.set(key, { ...model, rows })
      }
    }
    for (const payer of WALLETS) {
      const { body } = await ask('/api/store', { payer })
      const own = NAMES.filter((name) => models.has(`${payer}/${name}`))
      assert.deepEqual(
        body.collections.map((collection: { name: string }) => collection.name),
        own,
      )
      const bytes = own.map((name) => {
        const rows = [...(models.get(`${payer}/${name}`)?.rows.values() ?? [])]
        return rows.reduce<number>((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), name.length)
      })
      assert.equal(
        body.bytes_used,
        bytes.reduce((sum, one) => sum + one, 0),
      )
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 35 }), run), { numRuns: 3 })
})

function withoutOwn(row: Record<string, unknown>): unknown {
  const { id, version, created_at, updated_at, ...fields } = row
  return fields
}

/** JSON serialization: -0 becomes 0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
