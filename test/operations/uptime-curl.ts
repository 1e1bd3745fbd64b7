import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { makeCertificate } from '@tollbook/testing/servers/certificates'
import { serveTls } from '@tollbook/testing/servers/serve-tls'
import { createDnsResolver } from '@tollbook/utility/dns/dns-resolver'
import { uptimeReport } from '@tollbook/utility/endpoints/api/uptime/report/endpoint'

const run = promisify(execFile)
const SLOW_TLS_MS = 40
const SLOW_ANSWER_MS = 80
/** A few rounds on both sides: one alone would measure what else the machine does. */
const MIN_ROUNDS = 3
const MAX_ROUNDS = 12

type Parts = Readonly<Record<'tcp' | 'tls' | 'ttfb' | 'total', number>>

const TIMES = ['namelookup', 'connect', 'appconnect', 'pretransfer', 'starttransfer'] as const

/** What curl measures, ms; times of curl run from the start. */
async function askCurl(url: string, resolve: string): Promise<Parts> {
  const format = TIMES.map((name) => `%{time_${name}}`).join(' ')
  const given = [
    '-q',
    '-s',
    '-k',
    '-I',
    '--noproxy',
    '*',
    '--resolve',
    resolve,
    '-o',
    '/dev/null',
    '-w',
    format,
    url,
  ]
  const { stdout } = await run('curl', given)
  const [named = 0, connected = 0, secured = 0, ready = 0, answered = 0] = stdout
    .split(' ')
    .map((seconds) => Number(seconds) * 1_000)
  return { tcp: connected - named, tls: secured - connected, ttfb: answered - ready, total: answered }
}

const isNear = (ours: number, theirs: number) => Math.abs(ours - theirs) <= Math.max(5, theirs * 0.2)
const timesOf = (rounds: readonly Parts[], part: keyof Parts) => rounds.map((round) => round[part])
const PARTS = ['tcp', 'tls', 'ttfb', 'total'] as const

test('the phases of a request take as long as in curl, within 20 % or 5 ms', async (context) => {
  const port = await serveTls(context, {
    certificate: makeCertificate({ name: 'slow.example', hosts: ['slow.example'] }),
    slowTlsMs: SLOW_TLS_MS,
    answer: async (_request, response) => {
      await wait(SLOW_ANSWER_MS)
      response.end()
    },
  })
  const url = `https://slow.example:${port}/`
  const ports = {
    fetch: createSafeFetch({
      allowPrivateNetwork: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    }),
    dns: createDnsResolver({ servers: ['127.0.0.1:1'], timeoutMs: 50, tries: 1 }),
    locate: async () => null,
  }
  const ours: Parts[] = []
  const theirs: Parts[] = []
  // On a busy machine either side may see the end of a part late, or its begin: then it is the next round that agrees.
  const agree = (part: keyof Parts) =>
    timesOf(ours, part).some((one) => timesOf(theirs, part).some((other) => isNear(one, other)))
  const differing = () => PARTS.filter((part) => !agree(part))
  do {
    const { timings, http2 } = await runEndpoint(uptimeReport, { url }, { ports })
    const { tcp_ms: tcp, tls_ms: tls, ttfb_ms: ttfb, total_ms: total } = timings
    assert.ok(http2)
    ours.push({ tcp, tls, ttfb, total })
    try {
      theirs.push(await askCurl(url, `slow.example:${port}:127.0.0.1`))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
        return context.skip('curl is not installed here')
      throw error
    }
  } while (ours.length < MIN_ROUNDS || (differing().length > 0 && ours.length < MAX_ROUNDS))
  const shown = PARTS.map(
    (part) => `${part} ${timesOf(ours, part).join(' ')} / ${timesOf(theirs, part).map(Math.round).join(' ')}`,
  )
  context.diagnostic(`ms here/by curl: ${shown.join(', ')}`)
  assert.deepEqual(differing(), [], shown.join(', '))
})
