import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { State } from '@tollbook/cli/commands/state/state'
import { json } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { Answer } from '@tollbook/gate/contract/answer'
import { ProblemError } from '@tollbook/http/problem'
import { createPrograms } from '@tollbook/inference/engine/run-program'
import { toWav } from '@tollbook/inference/sound/write-wav'
import type { Transcriber } from '@tollbook/inference/transcription/transcriber'
import { callEndpoint, issuesOf } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { createWorkerPool } from '@tollbook/workers/pool'
import sharp from 'sharp'

/**
 * The rule of the catalogue: an answer is right, or says what is missing, or is refused and not charged. Each paid
 * endpoint is in one of these groups, so that a new one cannot be forgotten.
 */

/** They search, list or audit: without anything found the call is refused, by `findEmptiness`. */
const SEARCHING = [
  'communities.posts',
  'icon-search',
  'lists.followers',
  'lists.members',
  'lists.tweets',
  'search',
  'seo-alt-check',
  'seo-metadata',
  'summarize',
  'tweets.mentions',
  'tweets.quote_tweets',
  'tweets.replies',
  'tweets.retweeted_by',
  'tweets.search',
  'tweets.user',
  'users.followers',
  'users.following',
  'users.search',
]

type Reading = {
  /** Arguments whose content has nothing to read, by the URL of the test's site. */
  readonly empty: readonly ((site: string) => object)[]
  /** How an answer about them says what is missing; absent if each has to be refused. */
  readonly says?: (body: Readonly<Record<string, unknown>>) => boolean
}

const pages = (...names: readonly string[]) =>
  names.map((name) => (site: string) => ({ url: `${site}/${name}` }))
const NOTHING = ['blank', 'script', 'gone', 'nothing'] as const
const sent = (args: object) => () => args

/** They read foreign content. */
const READING: Readonly<Record<string, Reading>> = {
  scrape: { empty: [...pages(...NOTHING, 'white.png'), sent({ html: '<main> </main>' })] },
  summarize: { empty: [...pages(...NOTHING, 'white.png'), sent({ text: ' . ' })] },
  'seo-metadata': { empty: pages('gone', 'nothing') },
  'seo-alt-check': { empty: pages(...NOTHING) },
  // An empty page lacks a title and a language, which are findings; one made by scripts has no score.
  'a11y-check': {
    empty: pages('script', 'gone'),
    says: ({ score }) => score === null,
  },
  vectorize: { empty: [...pages('gone', 'blank'), sent({ image_base64: 'AAAA' })] },
  'data-convert': {
    empty: ['', ' \n', '[]'].map((data) => sent({ data, from: 'json', to: 'csv' })),
    says: ({ rows }) => rows === 0,
  },
}

/** A missing object is 404; of several, the missing ones are listed (`apps/social/src/sample-answers.test.ts`). */
const BY_ID = ['articles.by.id', 'lists.by.id', 'tweets', 'tweets.by.id', 'users.by.username']
/** That a target does not answer, exist or receive mail is their finding; if we cannot ask, they fail. */
const PROBING = ['dns', 'email-verify', 'geo', 'ping', 'timezone', 'uptime-report']
/** They compute or draw what the arguments say. */
const COMPUTING = ['calc', 'contrast', 'icon-generate', 'qr', 'tweets.mediaUpload']
/** The payer's own data, of which none is an answer, too. */
const OWN = /^(store|scratchpad)\./
/** A model's answer; one without text is refused by its upstream's client. */
const BY_MODEL =
  /^(chat|messages|responses)(\.|$)|^(embeddings|images\.generations|generate-image|translate-text|audio\.speech)$/
/** Tested below. */
const HEARING = 'audio.transcriptions'

const services = ['social', 'utility', 'inference'] as const
const all: readonly Endpoint[] = (
  await Promise.all(services.map((name) => loadEndpoints(new URL(`../apps/${name}/src/`, import.meta.url))))
).flat()
const paid = all.filter(({ pricing }) => pricing.kind !== 'free')
const endpointOf = (id: string) => paid.find((endpoint) => endpoint.id === id) ?? assert.fail(id)

let state: State
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  state = await openTestState()
  const white = sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff' } })
  site = await servePages({
    '/blank': '<html><body></body></html>',
    '/script': '<html><body><div id="app"></div><script src="/app.js"></script></body></html>',
    '/nothing': '',
    '/gone': { status: 404, body: 'Not found' },
    '/white.png': { headers: { 'content-type': 'image/png' }, body: await white.png().toBuffer() },
  })
})
after(async () => {
  site.close()
  await workers.close()
  await state.close()
})

test('each paid endpoint has a rule for empty answers', () => {
  const groups = [...SEARCHING, ...Object.keys(READING), ...BY_ID, ...PROBING, ...COMPUTING, HEARING]
  const ruled = new Set(groups)
  for (const { id } of paid) assert.ok(ruled.delete(id) || OWN.test(id) || BY_MODEL.test(id), id)
  assert.deepEqual([...ruled], [])
})

test('a search, a list or an audit without anything found is refused, by one rule', async () => {
  const declaring = paid.filter(({ findEmptiness }) => findEmptiness).map(({ id }) => id)
  assert.deepEqual(declaring.sort(), SEARCHING.toSorted())
  for (const id of SEARCHING) {
    const endpoint = endpointOf(id)
    const { input, output } = endpoint.example
    assert.equal(endpoint.findEmptiness?.(output), null, id)
    const parts = { ...endpoint, check: () => [], handle: () => json(emptied(output)) }
    await assert.rejects(callEndpoint(parts, input), /^ProblemError: cannot_be_served: /, id)
  }
})

test('an empty page before the end of a list is refused with the token of the next one', async () => {
  const search = endpointOf('tweets.search')
  const page = { data: [], meta: { result_count: 0, next_token: 'AQ' } }
  const parts = { ...search, check: () => [], handle: () => json(page) }
  await assert.rejects(callEndpoint(parts, search.example.input), (error) => {
    assert.ok(error instanceof ProblemError)
    assert.deepEqual(error.problem.members, { next_token: 'AQ' })
    return true
  })
})

for (const [id, { empty, says }] of Object.entries(READING))
  test(`${id}: content with nothing in it is refused, or the answer says so`, async () => {
    const endpoint = endpointOf(id)
    const ports = utilityPorts(state, { workers })
    for (const toArguments of empty) {
      const args = toArguments(site.url)
      if (issuesOf(endpoint, args, ports).length > 0) continue
      const answer = await callEndpoint(endpoint, args, { ports }).catch((error: unknown) => {
        assert.ok(error instanceof ProblemError, `${JSON.stringify(args)}: ${error}`)
        return null
      })
      const body = answer && bodyOf(answer)
      assert.ok(body === null || says?.(body), `${JSON.stringify(args)}: ${JSON.stringify(body)}`)
    }
  })

test('a recording without speech is refused, and silence is not sent to the upstream', async () => {
  let sentTimes = 0
  const transcriber: Transcriber = {
    engine: 'http',
    languages: null,
    async transcribe() {
      sentTimes += 1
      return { text: ' [BLANK_AUDIO]', language: null, segments: [], words: [] }
    },
  }
  const programs = createPrograms()
  const ports = inferencePorts({ workers, transcription: { transcriber, kinds: ['wav'], programs } })
  const hear = async (samples: Int16Array) => {
    const bytes = toWav(new Uint8Array(samples.buffer), 16_000)
    const file = new File([bytes], 'a.wav')
    const options = { ports, file: { contentType: 'audio/wav', bytes } }
    await assert.rejects(callEndpoint(endpointOf(HEARING), { file }, options), /No speech was found/)
  }
  await hear(new Int16Array(5 * 16_000))
  assert.equal(sentTimes, 0)
  // It swells four times a second, as speech does.
  await hear(Int16Array.from({ length: 16_000 }, (_, at) => 9_000 * Math.sin(at / 9) * Math.sin(at / 2_546)))
  assert.equal(sentTimes, 1)
})

function bodyOf(answer: Answer) {
  assert.ok(answer.kind !== 'stream')
  const body: unknown =
    answer.kind === 'json' ? answer.body : JSON.parse(new TextDecoder().decode(answer.body))
  return body as Readonly<Record<string, unknown>>
}

/** The same answer without anything found. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'number') return 0
  if (typeof value !== 'object' || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, emptied(member)]))
}
