import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { findMissingMigrations, migrateState } from '../../src/state/migrate.ts'
import { MIGRATIONS } from '../../src/state/migrations/list.ts'
import { openState } from '../../src/state/open.ts'
import type { State } from '../../src/state/state.ts'
import { openShop } from '../paying/shop.ts'
import { sampleService } from '../report/sample-service.ts'
import { openSocial } from '../social/open-social.ts'
import { onEveryStateUrl } from './every-state.ts'

type Document = Readonly<Record<string, unknown>>
type Expected = {
  readonly receipts: readonly (Document & { readonly id: string })[]
  readonly social: readonly { readonly path: string; readonly body: { readonly data: unknown } }[]
  readonly weeks: readonly string[]
  readonly reports: Readonly<Record<string, Document>>
}

const PAYER = `0x${'a'.repeat(40)}` as const
const FOLDER = join(import.meta.dirname, 'previous-release')
const read = (name: string) => brotliDecompressSync(readFileSync(join(FOLDER, name)))

/** The migrations since then that old processes do not survive; none of them may be marked as compatible. */
const BREAKING = [['0024-call-effects', false, 'wallet_change']]

onEveryStateUrl('a state of the previous release is migrated, reads the same, and sells on', async (url) => {
  const kind = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const expected = (JSON.parse(read('expected.json.br').toString()) as Record<typeof kind, Expected>)[kind]
  await restore(url)
  const state = await openState(url)
  try {
    assert.deepEqual(await migrateOneByOne(state), BREAKING)

    const { app } = sampleService(state)
    const readReport = async (path: string) => (await app.request(path)).json() as Promise<Document>
    const { weeks } = (await readReport('/weeks.json')) as { weeks: readonly { week: string }[] }
    assert.deepEqual(
      weeks.map(({ week }) => week),
      expected.weeks,
    )
    for (const [address, report] of Object.entries(expected.reports))
      assert.deepEqual(await readReport(`/merchants/base/${address}.json?week=${expected.weeks[0]}`), report)

    const { ask } = await openSocial(state)
    for (const { path, body } of expected.social) {
      const { data } = (await ask(path, { payer: PAYER })).body as { data: unknown }
      assert.deepEqual(data, body.data)
    }

    const shop = await openShop({ stateUrl: url })
    try {
      // A service shows the receipts of its own calls.
      for (const receipt of expected.receipts.filter(({ service }) => service === 'utility')) {
        const response = await fetch(`${shop.seller.url}/v1/receipts/${receipt.id}`)
        const found = (await response.json()) as Document
        const same = Object.fromEntries(Object.keys(receipt).map((name) => [name, found[name]]))
        assert.deepEqual(same, receipt)
      }
      const path = '/test/good?word=hi'
      assert.equal((await shop.ask(path, await shop.sign(await shop.newPayer(), path))).status, 200)
    } finally {
      await shop.close()
    }
  } finally {
    await state.close()
  }
})

async function restore(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) return writeFileSync(url.slice('sqlite:'.length), read('state.sqlite.br'))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(read('state.sql.br').toString())
  return client.end()
}

type Columns = ReadonlyMap<string, { readonly isRequired: boolean }>

async function readColumns({ db }: State): Promise<Columns> {
  const tables = await db.introspection.getTables()
  return new Map(
    tables.flatMap(({ name, columns }) =>
      columns.map((column) => {
        const isRequired = !(column.isNullable || column.hasDefaultValue || column.isAutoIncrementing)
        return [`${name}.${column.name}`, { isRequired }] as const
      }),
    ),
  )
}

/** @returns the migrations after which statements of older processes fail, their mark, and the tables at fault */
async function migrateOneByOne(state: State): Promise<readonly (readonly [string, boolean, ...string[]])[]> {
  const applied = new Set(await findAppliedMigrations(state))
  const broken: [string, boolean, ...string[]][] = []
  for (const { name, isCompatible = false } of MIGRATIONS) {
    if (applied.has(name)) continue
    applied.add(name)
    const before = await readColumns(state)
    const known = MIGRATIONS.filter((migration) => applied.has(migration.name))
    assert.deepEqual(await migrateState(state, known), [name])
    const tables = findBrokenTables(before, await readColumns(state))
    if (tables.length > 0) broken.push([name, isCompatible, ...tables])
  }
  assert.deepEqual(await migrateState(state), [])
  return broken
}

async function findAppliedMigrations(state: State): Promise<readonly string[]> {
  const missing = await findMissingMigrations(state)
  return MIGRATIONS.map(({ name }) => name).filter((name) => !missing.includes(name))
}

/** Tables that lost a column, or demand one that older statements do not write. */
function findBrokenTables(before: Columns, after: Columns): readonly string[] {
  const toTable = (column: string) => column.slice(0, column.indexOf('.'))
  const tables = new Set([...before.keys()].map(toTable))
  const lost = [...before.keys()].filter((name) => !after.has(name))
  const demanded = [...after]
    .filter(([name, { isRequired }]) => isRequired && !before.has(name) && tables.has(toTable(name)))
    .map(([name]) => name)
  return [...new Set([...lost, ...demanded].map(toTable))]
}
