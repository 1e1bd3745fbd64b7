import { STATUS_CODES } from 'node:http'
import { isIP } from 'node:net'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { hostOf } from '@tollbook/safe-fetch/target'
import * as z from 'zod'
import type { AddressPlace } from '../../../../geo/address-place.ts'
import { pageUrl } from '../../../../page/read-page.ts'
import type { UtilityPorts } from '../../../../ports.ts'
import { detectCdn, readCnameChain } from '../../../../probe/cdn/detect-cdn.ts'
import { describeTls } from '../../../../probe/describe-tls.ts'
import { roundMs, sumOf } from '../../../../probe/durations.ts'
import type { Down } from '../../../../probe/explain-down.ts'
import { type Probe, probeTarget } from '../../../../probe/probe-target.ts'
import { reportFields } from './report-fields.ts'

const UPTIME_EXAMPLE = {
  input: { url: 'https://example.com/' },
  output: {
    url: 'https://example.com/',
    up: true,
    status: 200,
    status_text: 'OK',
    error: null,
    final_url: 'https://example.com/',
    method_used: 'HEAD' as const,
    http_version: '2' as const,
    timings: { dns_ms: 4.1, tcp_ms: 11.8, tls_ms: 14.2, ttfb_ms: 38.9, total_ms: 69 },
    elapsed_ms: 69.6,
    server: {
      ip: '93.184.215.14',
      family: 4 as const,
      location: {
        country: 'US',
        region: null,
        city: null,
        lat: null,
        lon: null,
        attribution:
          'Country by ip-location-db geo-whois-asn-country (CC0), from statistics of the NRO (https://www.nro.net), CC BY 4.0.',
      },
    },
    tls: {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      alpn: 'h2',
      trusted: true,
      trust_error: null,
      hostname_match: true,
      issuer: { cn: 'Example TLS CA 1', o: 'Example Trust Services' },
      subject: { cn: 'example.com', o: null },
      san: ['example.com', 'www.example.com'],
      valid_from: '2026-10-02T00:00:00.000Z',
      valid_to: '2026-12-31T23:59:59.000Z',
      expires_in_days: 40,
      fingerprint_sha256:
        '5E:F2:F2:14:26:0A:B8:F5:8E:55:EE:A4:2E:4A:C0:4B:0F:17:18:07:D8:D1:18:5F:DD:D6:74:70:E9:AB:60:96',
      serial: '0F12B5A7',
      key: { type: 'ec', bits: 256 },
      chain: ['Example TLS CA 1'],
    },
    http2: true,
    cdn: {
      detected: true,
      provider: 'Cloudflare',
      evidence: [{ provider: 'Cloudflare', source: 'header' as const, seen: 'server: cloudflare' }],
      cname: [],
    },
    redirects: [],
    headers: { server: 'cloudflare', 'content-type': 'text/html' },
    ts: '2026-11-21T10:00:00.000Z',
  },
}

const PROBE_MS = 20_000
/** In addition to the probe: CNAME records are read by DNS, with retries of their own. */
const TIMEOUT_MS = 30_000

/** Headers about the server and its caches; cookies and the like are omitted. */
const SHOWN_HEADERS = new Set([
  'server',
  'via',
  'x-powered-by',
  'date',
  'age',
  'alt-svc',
  'retry-after',
  'cache-control',
  'expires',
  'etag',
  'last-modified',
  'vary',
  'x-cache',
  'content-type',
  'content-length',
  'content-encoding',
  'strict-transport-security',
])

const input = z.object({ url: pageUrl.describe('Public http(s) URL of the target.') })

type Input = z.output<typeof input>

export const uptimeReport = defineEndpoint({
  id: 'uptime-report',
  method: 'GET',
  path: '/api/uptime/report',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Uptime report of a URL',
  description:
    'One HEAD probe: DNS, TCP, TLS and TTFB timings, certificate (issuer, days left, trust), HTTP/2 by ALPN, server IP and its approximate location, CDN with evidence, redirect chain. A target that is down is a valid answer.',
  input,
  output: reportFields,
  example: UPTIME_EXAMPLE,
  limits: { bodyBytes: 8192, timeoutMs: TIMEOUT_MS },
  async handle({ input: args, ports, payer, signal, now }: Call<Input, UtilityPorts, Address>) {
    const startedMs = performance.now()
    const probe = await probeTarget(args.url, {
      fetch: ports.fetch,
      timeoutMs: PROBE_MS,
      payer,
      signal,
    })
    const elapsedMs = performance.now() - startedMs
    const { answer, redirects, address, tls, down } = probe
    const finalUrl = answer?.url ?? redirects.at(-1)?.location ?? args.url
    const host = hostOf(new URL(finalUrl))
    const [cname, place] = await Promise.all([
      readCnameChain(host, ports.dns),
      address === null ? null : ports.locate(address, signal),
    ])
    const headers = answer?.headers ?? {}
    const evidence = detectCdn({ headers, names: [host, ...(cname ?? [])] })
    const status = answer?.status ?? null
    const error = down ?? findIssue(status, tls?.trustError ?? null)
    return json({
      url: args.url,
      up: error === null,
      status,
      status_text: status === null ? null : (STATUS_CODES[status] ?? null),
      error,
      final_url: finalUrl,
      method_used: probe.method,
      http_version: answer?.httpVersion ?? null,
      timings: describeTimings(probe),
      elapsed_ms: roundMs(elapsedMs),
      server: { ip: address, family: familyOf(address), location: place && describePlace(place) },
      tls: tls && describeTls(tls, now),
      http2: tls?.alpn === 'h2',
      cdn: {
        detected: evidence.length > 0,
        provider: evidence[0]?.provider ?? null,
        evidence: [...evidence],
        cname: cname && [...cname],
      },
      redirects: redirects.map((hop) => ({
        url: hop.url,
        status: hop.status,
        location: hop.location,
        ms: roundMs(sumOf(hop.timings)),
      })),
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => SHOWN_HEADERS.has(name))),
      ts: now.toISOString(),
    })
  },
})

/** Why a target that responds is down: by its status, or because clients that verify its certificate refuse it. */
function findIssue(status: number | null, trustError: string | null): Down | null {
  if (status !== null && status >= 500)
    return { code: 'server_error', message: `the target responded with ${status}` }
  if (trustError === null) return null
  return { code: 'tls_failed', message: `the certificate is not trusted (${trustError})` }
}

function describePlace({ country, region, city, lat, lon, attribution }: AddressPlace) {
  return { country, region, city, lat, lon, attribution }
}

function familyOf(address: string | null): 4 | 6 | null {
  if (address === null) return null
  return isIP(address) === 6 ? 6 : 4
}

/** The total is present only if a response arrived. */
function describeTimings({ dnsMs, connectMs, tlsMs, firstByteMs }: Probe) {
  const round = (ms: number | null) => (ms === null ? null : roundMs(ms))
  const isWhole = dnsMs !== null && connectMs !== null && firstByteMs !== null
  const total = isWhole ? sumOf({ dnsMs, connectMs, tlsMs, firstByteMs }) : null
  return {
    dns_ms: round(dnsMs),
    tcp_ms: round(connectMs),
    tls_ms: round(tlsMs),
    ttfb_ms: round(firstByteMs),
    total_ms: round(total),
  }
}
