import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { dns } from '@tollbook/utility/endpoints/api/dns/endpoint'
import { verify } from '@tollbook/utility/endpoints/api/email/verify/endpoint'
import { ping } from '@tollbook/utility/endpoints/api/ping/endpoint'
import { uptimeReport } from '@tollbook/utility/endpoints/api/uptime/report/endpoint'
import { parseAddress } from '@tollbook/utility/engines/email/parse-address'
import type { UtilityPorts } from '@tollbook/utility/ports'
import * as z from 'zod'
import { type Contest, timed } from './contest.ts'

const run = promisify(execFile)
const SUITE = new URL('../../apps/utility/src/engines/email/golden/isemail-tests.xml', import.meta.url)

type Place = {
  readonly ports: UtilityPorts
  /** URL of a page on loopback. */
  readonly url: string
  /** Address of the name server on loopback, which has only example.com. */
  readonly nameServer: string
  readonly calls: number
}

/** Endpoints that query other hosts; here those hosts are on loopback. */
export function networkContests({ ports, url, nameServer, calls }: Place): readonly Contest<string>[] {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  resolver.setServers([nameServer])
  const all = (name: string) =>
    Promise.allSettled([
      resolver.resolve4(name),
      resolver.resolve6(name),
      resolver.resolveMx(name),
      resolver.resolveNs(name),
      resolver.resolveTxt(name),
      resolver.resolveSoa(name),
      resolver.resolveCaa(name),
      resolver.resolveCname(name),
    ])
  const ask = (endpoint: Endpoint, name: string) =>
    timed((value: string) => runEndpoint(endpoint, { [name]: value }, { ports }))
  const curl = { name: 'curl, its own time_total', side: askCurl }
  const repeat = (value: string) => Array.from({ length: calls }, () => value)
  return [
    { figure: '/api/ping', unit: 'calls/s', items: repeat(url), ours: ask(ping, 'url'), peer: curl },
    {
      figure: '/api/uptime/report',
      unit: 'calls/s',
      items: repeat(url),
      ours: ask(uptimeReport, 'url'),
      peer: curl,
    },
    {
      figure: '/api/dns',
      unit: 'calls/s',
      items: repeat('example.com'),
      ours: ask(dns, 'domain'),
      peer: { name: 'node:dns, the same eight types, no SPF, DMARC and DKIM', side: timed(all) },
    },
    {
      figure: '/api/email/verify',
      unit: 'calls/s',
      items: repeat('jane@example.com'),
      ours: ask(verify, 'email'),
      peer: {
        name: 'node:dns, MX alone',
        side: timed((email: string) => resolver.resolveMx(email.slice(email.indexOf('@') + 1))),
      },
    },
    {
      figure: '/api/email/verify, the parser on the suite of isemail',
      unit: 'addresses/s',
      items: readSuite(),
      ours: timed((email: string) => parseAddress(email)),
      // Handles only common forms.
      peer: { name: 'zod 4.6.7 z.email()', side: timed((email: string) => z.email().safeParse(email)) },
    },
  ]
}

const askCurl = async (url: string) => {
  const { stdout } = await run('curl', [
    '-q',
    '-s',
    '--noproxy',
    '*',
    '-o',
    '/dev/null',
    '-w',
    '%{time_total}',
    url,
  ])
  return Number(stdout) * 1000
}

function readSuite(): string[] {
  return [...readFileSync(SUITE, 'utf8').matchAll(/<address>([\s\S]*?)<\/address>/g)].map(
    ([, text = '']) => text,
  )
}
