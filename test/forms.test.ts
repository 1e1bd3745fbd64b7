import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listParameters } from '@tollbook/endpoints/documents/parameters'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { renderInputForm } from '@tollbook/endpoints/paying/input-form'
import type { Gate } from '@tollbook/gate/contract/exchange'
import { ProblemError } from '@tollbook/http/problem'
import { examplePorts } from '@tollbook/testing/catalogue/example-ports'
import { jsonReply } from '@tollbook/testing/catalogue/json-reply'
import { createTestApp } from '@tollbook/testing/catalogue/test-app'
import { fc } from '@tollbook/testing/property'
import { findAll, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'

const folders = ['social', 'utility', 'inference'].map(
  (name) => new URL(`../apps/${name}/src/`, import.meta.url),
)
const all = (await Promise.all(folders.map(loadEndpoints))).flat()
/** Reads the arguments of a call without running it. */
const gate: Gate = {
  async serve(exchange) {
    const read = await exchange.readRequest()
    if ('problem' in read) throw new ProblemError(read.problem)
    return jsonReply({})
  },
}
// The module of the page; it reads the form through the two members below.
const { readRequest } = await import(
  new URL('../packages/endpoints/src/paying/browser/request.js', import.meta.url).href
)

/** The form as a browser has it, with the secrets and files that a person adds, and those of `empty` left empty. */
async function openForm(endpoint: Endpoint, empty: ReadonlySet<string> = new Set()) {
  const example = endpoint.example.input as Readonly<Record<string, unknown>>
  const markup = String(await renderInputForm(endpoint, { path: {}, query: '' }))
  const controls = findAll(({ attribs }) => 'data-place' in attribs, parseDocument(markup).children)
  const { method, path, accepts } = endpoint
  return {
    dataset: { method, path, accepts },
    querySelectorAll: () =>
      controls.map(({ attribs, children }) => {
        const { name = '', value, 'data-place': place, 'data-kind': kind, 'data-secret': secret } = attribs
        const [selected] = findAll((each) => 'selected' in each.attribs, children)
        const text = value ?? selected?.attribs.value ?? textContent(selected ?? children).replace(/^\n/, '')
        const isChoice = selected !== undefined || findAll(() => true, children).length > 0
        if (empty.has(name)) return { name, value: '', dataset: { place, kind }, files: [] }
        return {
          name,
          value: secret === undefined ? (isChoice && !selected ? '' : text) : String(example[name] ?? ''),
          dataset: { place, kind, ...(secret !== undefined && { secret }) },
          files: [example[name]],
        }
      }),
  }
}

test('the form of every paid endpoint, with its example, sends a request that the endpoint accepts', async () => {
  for (const endpoint of all.filter(({ pricing }) => pricing.kind !== 'free')) {
    const sharing = all.filter(({ path }) => path === endpoint.path)
    const { url, init } = readRequest(await openForm(endpoint))
    const response = await createTestApp(sharing, { gate, ports: examplePorts }).request(url, init)
    assert.equal(response.status, 200, `${endpoint.id}: ${url} ${init.body}: ${await response.text()}`)
  }
})

test('every form accepts any of its optional inputs empty, or names the input that it misses', async () => {
  for (const endpoint of all.filter(({ pricing }) => pricing.kind !== 'free')) {
    const names = listParameters(endpoint).map(({ name }) => name)
    const app = createTestApp(
      all.filter(({ path }) => path === endpoint.path),
      { gate, ports: examplePorts },
    )
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), async (empty) => {
        const form = await openForm(endpoint, new Set(empty))
        let request: { readonly url: string; readonly init: RequestInit }
        try {
          request = readRequest(form)
        } catch (error) {
          assert.match(String(error), new RegExp(`\\b(?:${names.join('|')}) is required`), endpoint.id)
          return
        }
        const response = await app.request(request.url, request.init)
        if (response.status === 200) return
        const text = await response.text()
        assert.equal(response.status, 400, `${endpoint.id} without ${empty}: ${text}`)
        const { issues = [] } = JSON.parse(text).problem ?? JSON.parse(text)
        const named = issues.map(({ parameter }: { parameter: string }) => parameter.split('.')[0])
        assert.ok(named.length > 0, `${endpoint.id} without ${empty}: ${text}`)
        for (const name of named) assert.ok([...names, 'body'].includes(name), `${endpoint.id}: ${text}`)
      }),
      { numRuns: 8 },
    )
  }
})
