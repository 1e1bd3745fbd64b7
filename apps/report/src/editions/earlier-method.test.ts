import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { parseInputs, parsePublishedReport } from '@tollbook/verify/published/published-report'
import { verifyReport } from '@tollbook/verify/verify-report'
import { sql } from 'kysely'
import { openEvidenceArchive } from '../evidence/open-evidence-archive.ts'
import { withArchive } from '../evidence/packed-evidence.ts'
import { toSha256 } from './basis.ts'

// The evidence and the digests of the answers of commit c8098e52, the last one of version 2 of the method, after it
// had published the paid week of packages/testing/src/report/paid-week.ts, and its state with the tables of release 1.0.0.
const FIXTURE = new URL('golden/method-2/', import.meta.url)
const WEEK = '2026-11-22'
const SHOP = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'

test('a week that version 2 of the method published stays byte for byte', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-method-2-'))
  const file = join(folder, 'state.sqlite')
  writeFileSync(file, gunzipSync(readFileSync(new URL('state.sqlite.gz', FIXTURE))))
  const start = Date.now()
  const state = await openStateAt(`sqlite:${file}`)
  try {
    const added = await sql`select name from migration where applied_at >= ${start}`.execute(state.db)
    assert(added.rows.length > 0)
    const archive = openEvidenceArchive(state, { folder: FIXTURE.pathname, now: () => new Date() })
    const ledger = { payments: () => assert.fail('the payments of a published week are in its archive') }
    const { app } = sampleService(state, {
      evidence: withArchive(ledger, archive),
      baseUrl: 'https://report.example',
    })
    const read = async (path: string) => {
      const body = await (await app.request(path)).text()
      // Only the lines of the ranking have gained fields, which are unknown for this week.
      return path.startsWith('/merchants.json')
        ? body.replaceAll(',"effective_buyers":null,"returning_buyers":null', '')
        : body
    }
    const documents = Object.entries<string>(
      JSON.parse(readFileSync(new URL('documents.json', FIXTURE), 'utf8')),
    )
    const compareAll = async () => {
      for (const [path, sha256] of documents) assert.equal(toSha256(await read(path)), sha256, path)
    }
    await compareAll()

    // The current method publishes the rolling window, and does not publish the week again.
    assert.equal((await publishSample(state)).written, 2)
    assert.equal((await publishSample(state, sampleFigures({ edition: WEEK }))).written, 0)
    await compareAll()

    // Its digests hold; its figures are for a Tollbook of that version.
    const report = await read(`/merchants/base/${SHOP}.json?week=${WEEK}`)
    const inputs = parseInputs(JSON.parse(await read(`/merchants/base/${SHOP}/inputs.json?week=${WEEK}`)))
    const evidence = await read(`/merchants/base/${SHOP}/payments.ndjson?week=${WEEK}`)
    assert.equal(inputs.report.sha256, toSha256(report))
    assert.equal(inputs.evidence?.sha256, toSha256(evidence))
    const parsed = parsePublishedReport(JSON.parse(report))
    const rpc = { call: () => assert.fail('no node is needed'), batch: () => assert.fail() }
    const provided = { report: parsed, inputs, evidence, claim: null, rpc, now: new Date() }
    await assert.rejects(verifyReport(provided, new AbortController().signal), {
      name: 'CannotCheck',
      message: /method version 2, .*: verify it with a Tollbook of that version/,
    })
  } finally {
    await state.close()
    rmSync(folder, { recursive: true })
  }
})
