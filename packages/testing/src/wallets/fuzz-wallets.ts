import assert from 'node:assert/strict'
import type { Address } from '@tollbook/chain/hex'
import type { State } from '@tollbook/utility/state/state'
import type { Answered, Ask } from '../catalogue/open-service.ts'
import { fc } from '../property.ts'
import { countWallet } from './count-wallet.ts'
import { WalletModel } from './wallet-model.ts'
import { openWalletService } from './wallet-service.ts'

/** All wallets use the same few names and ids, so that any mix-up has a visible effect. */
const step = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  id: fc.integer({ min: 1, max: 5 }),
  count: fc.integer({ min: 1, max: 3 }),
  what: fc.constantFrom(
    'post',
    'post',
    'post',
    'put',
    'patch',
    'get',
    'query',
    'delete-row',
    'drop',
    'list',
    'export',
    'write',
    'write',
    'append',
    'read',
    'old',
    'remove',
    'pads',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/**
 * Runs many wallets concurrently with random steps, and compares every answer with a model of that wallet
 * alone: no data of another wallet is visible or counted, and no answer contains a word written by another
 * one.
 */
export async function fuzzWallets(state: State, wallets: number, steps: number): Promise<void> {
  const { ask } = openWalletService(state)
  const drawn = fc.sample(step, { numRuns: wallets * steps })
  const models = Array.from({ length: wallets }, (_, at) => new WalletModel(`w${at}w`))
  const addressOf = (at: number): Address => `0x${(at + 1).toString(16).padStart(40, '0')}`
  const act = async (at: number) => {
    const model = models[at] ?? assert.fail()
    const call = async (path: string, init: Ask = {}): Promise<Answered> => {
      const answer = await ask(path, { payer: addressOf(at), ...init })
      const words = [...answer.text.matchAll(/w\d+w/g)].map(([word]) => word)
      assert.deepEqual(
        [...new Set(words)].filter((word) => word !== model.word),
        [],
        path,
      )
      return answer
    }
    for (const one of drawn.slice(at * steps, (at + 1) * steps)) await take(model, one, call)
    for (const what of ['list', 'export', 'pads'] as const)
      await take(model, { name: 'x', id: 1, count: 1, what }, call)
    await countWallet(state, addressOf(at))
  }
  await Promise.all(models.map((_, at) => act(at)))
}

type AskAs = (path: string, init?: Ask) => Promise<Answered>

async function take(model: WalletModel, { name, id, count, what }: Step, ask: AskAs): Promise<void> {
  const rows = `/api/store/${name}`
  const pad = `/api/scratchpad/${name}`
  switch (what) {
    case 'post': {
      const added = model.append(name, count)
      const { body } = await ask(rows, { method: 'POST', body: added.rows })
      return assert.deepEqual([body.ids, body.total_rows], [added.ids, added.totalRows])
    }
    case 'put':
    case 'patch': {
      const method = what.toUpperCase()
      const changed = model.change(name, id, method)
      const answer = await ask(`${rows}/${id}`, { method, body: changed.sent })
      assert.equal(answer.status, changed.row ? 200 : 404)
      return assert.deepEqual(changed.row && fieldsOf(answer.body.row), changed.row)
    }
    case 'get': {
      const answer = await ask(`${rows}/${id}`)
      const row = model.rowsOf(name)?.get(id)
      assert.equal(answer.status, row ? 200 : 404)
      return assert.deepEqual(row && fieldsOf(answer.body.row), row)
    }
    case 'query': {
      const answer = await ask(`${rows}?where.word=${model.word}`)
      const kept = model.rowsOf(name)
      assert.equal(answer.status, kept ? 200 : 404)
      return assert.deepEqual(kept && answer.body.rows.map(fieldsOf), kept && [...kept.values()])
    }
    case 'delete-row':
      return assert.equal(
        (await ask(`${rows}/${id}`, { method: 'DELETE' })).status,
        model.deleteRow(name, id),
      )
    case 'drop':
      return assert.equal((await ask(rows, { method: 'DELETE' })).status, model.drop(name))
    case 'list': {
      const { body } = await ask('/api/store')
      return assert.deepEqual(
        body.collections.map((one: { name: string; rows: number }) => [one.name, one.rows]),
        model.collections(),
      )
    }
    case 'export': {
      const lines = (await ask('/api/store/export')).text.trimEnd().split('\n')
      const given = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'row')
      return assert.deepEqual(
        given.map(({ collection, row }) => [collection, row.id, fieldsOf(row)]),
        model.allRows(),
      )
    }
    case 'write':
    case 'append': {
      const mode = what === 'write' ? 'replace' : 'append'
      const written = model.writePad(name, mode)
      const { body } = await ask(pad, { method: 'PUT', body: { content: written.sent, mode } })
      return assert.equal(body.version, written.version)
    }
    case 'read':
    case 'old': {
      const version = what === 'old' ? id : null
      const answer = await ask(version === null ? pad : `${pad}?version=${version}`)
      const found = model.readPad(name, version)
      assert.equal(answer.status, found.status)
      return assert.equal(answer.body.content, found.status === 200 ? found.content : undefined)
    }
    case 'remove':
      return assert.equal((await ask(pad, { method: 'DELETE' })).status, model.removePad(name))
    default: {
      const { body } = await ask('/api/scratchpad')
      return assert.deepEqual(
        body.scratchpads.map((one: { name: string; version: number }) => [one.name, one.version]),
        model.pads(),
      )
    }
  }
}

function fieldsOf(row: Record<string, unknown>): Record<string, unknown> {
  const { id, version, created_at, updated_at, ...fields } = row
  return fields
}
