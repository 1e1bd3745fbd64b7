import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { checkServices } from '../discovery/find-findings.ts'
import { type DocumentedCall, readDocumentedCalls, withoutMoments } from './documented-calls.ts'
import { type Product, startProduct } from './product.ts'

/** Pays to the utility API for `/api/calc`; specification 4.4. */
const CALC_PRICE_USD = 0.001

let product: Product
before(async () => {
  // The default of most systems: files that everybody may read.
  process.umask(0o022)
  product = await startProduct()
})
after(async () => {
  assert.equal(await product?.close(), 0, 'SIGTERM drains and exits 0')
})

test('other users of the machine cannot read anything that a start writes', () => {
  const folder = product.environment.TOLLBOOK_DATA_DIR ?? ''
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  assert.ok(written.length > 10)
  const open = written.filter((name) => {
    // Some files of the ledger exist only for a moment.
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found && (found.mode & 0o077) !== 0
  })
  assert.deepEqual(open, [])
})

test('ranking, merchant page, report and badge answer for the demo week', async () => {
  const { report } = product.addresses
  const ranking = (await (await fetch(`${report}/merchants.json`)).json()) as {
    merchants: { address: string }[]
  }
  assert.ok(ranking.merchants.length >= 12, `${ranking.merchants.length} merchants`)
  assert.match(await (await fetch(`${report}/`)).text(), /<html/)
  const address = ranking.merchants[0]?.address
  const answer = await fetch(`${report}/merchants/base/${address}.json`)
  assert.equal(answer.status, 200)
  const merchant = (await answer.json()) as MerchantReport
  assert.equal(merchant.schema_version, '1')
  assert.match(await (await fetch(merchant.page)).text(), new RegExp(merchant.name.replaceAll('.', '\\.')))
  const badge = await fetch(merchant.badge)
  assert.equal(badge.headers.get('content-type')?.split(';')[0], 'image/svg+xml')
})

test('the demo week holds at least 2,500 payments that count, and screens that flagged some', async () => {
  const { report } = product.addresses
  const { merchants } = (await (await fetch(`${report}/merchants.json?limit=100`)).json()) as {
    merchants: {
      address: string
      name: string
      name_confirmed: boolean
      tx: number
      flags: Record<string, unknown> | string[]
    }[]
  }
  // The demo listings are the operator's own statements.
  const named = merchants.filter(({ address, name }) => name !== address)
  assert.ok(named.length > 0 && named.every((merchant) => merchant.name_confirmed))
  // Metered sellers list a maximum, and are paid less.
  assert.deepEqual(
    merchants.filter(({ tx }) => tx === 0),
    [],
  )
  // Of about 2,600, a few are less than a thousandth of a dollar.
  const counted = merchants.reduce((sum, { tx }) => sum + tx, 0)
  assert.ok(counted >= 2500, `${counted} payments`)
  const kinds = new Set(merchants.flatMap(({ flags }) => (Array.isArray(flags) ? flags : Object.keys(flags))))
  assert.deepEqual([...kinds].sort(), ['round_trip', 'self_pay'])
})

test('a payment made by the call command appears in its merchant report', async () => {
  const { report, utility } = product.addresses
  const paid = await product.command(
    'call',
    `${utility}/api/calc?expr=100!`,
    '--yes',
    '--json',
    '--max',
    '0.01',
  )
  assert.equal(paid.code, 0, paid.stderr)
  const answer = JSON.parse(paid.stdout) as { status: number; paid_usd: string; body: { result: string } }
  assert.equal(answer.paid_usd, '0.001')
  assert.match(answer.body.result, /^93326215443944152681/)

  const payTo = /to (0x[0-9a-fA-F]{40})/.exec(paid.stderr)?.[1]
  const reportUrl = `${report}/merchants/base/${payTo}.json`
  let response = await fetch(reportUrl)
  for (; response.status === 404; response = await fetch(reportUrl)) await wait(250)
  assert.equal(response.status, 200)
  const merchant = (await response.json()) as MerchantReport
  assert.equal(merchant.tx, 1)
  assert.equal(merchant.paid.median, CALC_PRICE_USD)
  assert.ok(merchant.bazaar_listings.length > 0, 'its listings were collected')
})

test('a call above --max is not signed, and an invalid one is not paid', async () => {
  const { inference, utility } = product.addresses
  const dear = await product.command('call', `${utility}/api/calc?expr=1`, '--yes', '--max', '0.0001')
  assert.equal(dear.code, 1)
  assert.match(dear.stderr, /\$0\.001 is above --max/)
  const faulty = await product.command('call', `${utility}/api/calc?expr=1%2F0&colour=red`, '--yes', '--json')
  assert.equal(faulty.code, 1)
  assert.match(faulty.stdout, /unknown_parameter/)
  assert.match(faulty.stderr, /not paid: .*colour/)
  const voiceless = ['call', `${inference}/v1/audio/speech`, '-d', '{"input":"x"}', '--yes']
  assert.match((await product.command(...voiceless)).stderr, /not paid: .*voice is required/)
})

test('a call prints every digit of the answer as JSON', async () => {
  const body = '{"data":[{"id":9223372036854775807}],"from":"json","to":"json"}'
  const url = `${product.addresses.utility}/api/data/convert`
  const { stdout } = await product.command('call', url, '-d', body, '--yes', '--json')
  assert.match(stdout, /^\{"status":200,.*"data":\[\{"id":9223372036854775807\}\]\}\}\n$/)
})

test('the check of x402scan finds nothing at any service', async () => {
  const found = await checkServices(product.addresses)
  const nothing = { report: [], social: [], utility: [], inference: [], facilitator: [] }
  assert.deepEqual(found, nothing)
})

test('every service has an MCP server with at most 25 tools, and those of reports are free', async () => {
  const { report, social, utility, inference } = product.addresses
  const connect = async (address = '') => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)))
    return client
  }
  for (const address of [social, utility, inference]) {
    const client = await connect(address)
    const { length } = (await client.listTools()).tools
    assert.ok(length <= 25 && length >= (address === utility ? 15 : 2), `${length} tools of ${address}`)
    await client.close()
  }
  const client = await connect(report)
  const { tools } = await client.listTools()
  const names = ['search', 'report', 'ranking', 'preflight', 'verify', 'find_tool', 'call_tool']
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  )
  const ask = async (name: string, input: Record<string, unknown> = {}) => {
    const { structuredContent, isError } = await client.callTool({ name, arguments: input })
    assert.ok(!isError, JSON.stringify(structuredContent))
    return structuredContent as Record<string, unknown>
  }
  const ranking = await ask('ranking', { limit: 3 })
  const [{ address, name } = { address: '', name: '' }] = ranking.merchants as {
    address: string
    name: string
  }[]
  assert.equal((await ask('report', { address })).address, address)
  assert.equal(((await ask('search', { q: name })).merchants as { address: string }[])[0]?.address, address)
  assert.equal((await ask('preflight', { payTo: address })).pay_to, address)
  // The newest window moves while its payments are read.
  const [week] = (await ask('call_tool', { name: 'weeks' })).weeks as { week: string }[]
  const verified = await ask('verify', { address, week: week?.week })
  assert.equal(verified.is_equal, true, JSON.stringify(verified))
  await client.close()
})

/** Minimum number of calls with answers that each document shows. */
const DOCUMENTED: Readonly<Record<string, number>> = {
  convert: 1,
  geo: 1,
  translate: 1,
  'generate-image': 1,
  vectorize: 1,
  search: 1,
  store: 3,
  social: 1,
}

for (const [name, min] of Object.entries(DOCUMENTED)) {
  test(`the calls of docs/${name}.md are answered as documented`, async (t) => {
    const calls = readDocumentedCalls(`docs/${name}.md`)
    assert.ok(calls.length >= min, `${calls.length} calls`)
    for (const call of calls) {
      const documented = toJson(call.answer)
      let answer = await runDocumented(call)
      // A busy machine may exceed the time limit of a call, which then is not charged.
      for (let round = 0; round < 20 && hasCode(answer, 'upstream_timeout'); round++)
        answer = await runDocumented(call)
      if (hasCode(answer, 'not_configured') && !hasCode(documented, 'not_configured'))
        t.diagnostic(`not set up on this machine: ${call.commands}`)
      else assert.deepEqual(answer, documented, call.commands)
    }
  })
}

/** Runs the lines of a document verbatim, except for the ports and the confirmation of payment. */
async function runDocumented({ commands }: DocumentedCall): Promise<unknown> {
  const asked = commands.replaceAll(/(main\.ts call .*)/g, '$1 --yes --json')
  const { stdout, stderr } = await product.shell(atPorts(asked))
  const last = stdout.trim().split('\n').at(-1) ?? ''
  assert.match(last, /^\{"status":/, stderr)
  return withoutMoments((JSON.parse(last) as { body: unknown }).body)
}

function toJson(text: string): unknown {
  return withoutMoments(JSON.parse(atPorts(text)))
}

/** A text with the standard addresses replaced by this product's. */
function atPorts(text: string): string {
  const { report, social, utility, inference } = product.addresses
  return [report, social, utility, inference].reduce<string>(
    (changed, address, at) => changed.replaceAll(`http://127.0.0.1:${4020 + at}`, address ?? ''),
    text,
  )
}

function hasCode(value: unknown, code: string): boolean {
  return typeof value === 'object' && value !== null && 'code' in value && value.code === code
}
