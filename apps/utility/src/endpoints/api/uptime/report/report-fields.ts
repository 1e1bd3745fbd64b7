import * as z from 'zod'
import { DOWN_CODES } from '../../../../probe/explain-down.ts'

const ms = z.number().nullable()
const named = z.object({ cn: z.string().nullable(), o: z.string().nullable() })

const tls = z.object({
  protocol: z.string().nullable(),
  cipher: z.string(),
  alpn: z.string().nullable(),
  trusted: z
    .boolean()
    .describe('Whether the certificate is valid now, matches this host and has a trusted issuer.'),
  trust_error: z.string().nullable().describe('Such as CERT_HAS_EXPIRED.'),
  hostname_match: z.boolean(),
  issuer: named,
  subject: named,
  san: z.array(z.string()).describe('Names and addresses that the certificate covers.'),
  valid_from: z.iso.datetime().nullable(),
  valid_to: z.iso.datetime().nullable(),
  expires_in_days: z.int().nullable().describe('Whole days until expiry; negative once expired.'),
  fingerprint_sha256: z.string(),
  serial: z.string(),
  key: z.object({ type: z.string(), bits: z.int().nullable() }).nullable(),
  chain: z.array(z.string()).describe('Names of the authorities sent with it, from its issuer upwards.'),
})

export const reportFields = z.object({
  url: z.string(),
  up: z.boolean().describe('Status below 500 after redirects, and a trusted certificate.'),
  status: z.int().nullable(),
  status_text: z.string().nullable(),
  error: z.object({ code: z.enum(DOWN_CODES), message: z.string() }).nullable(),
  final_url: z.string().describe('URL after redirects.'),
  method_used: z
    .enum(['HEAD', 'GET'])
    .describe('GET if the response to HEAD was 400, 403, 405 or 501; the body is not read.'),
  http_version: z.enum(['1.0', '1.1', '2']).nullable(),
  timings: z
    .object({ dns_ms: ms, tcp_ms: ms, tls_ms: ms, ttfb_ms: ms, total_ms: ms })
    .describe(
      'Of the last request; null for phases not reached, and for TLS without it. ttfb_ms is the wait for the response alone.',
    ),
  elapsed_ms: z.number().describe('For the whole probe, including all redirects.'),
  server: z.object({
    ip: z.string().nullable(),
    family: z.union([z.literal(4), z.literal(6)]).nullable(),
    location: z
      .object({
        country: z.string().nullable(),
        region: z.string().nullable(),
        city: z.string().nullable(),
        lat: z.number().nullable(),
        lon: z.number().nullable(),
        attribution: z.string().describe('Attribution that the data licences require.'),
      })
      .nullable()
      .describe('Null for an address without a location in the installed data sets.'),
  }),
  tls: tls.nullable().describe('Null without TLS, and if no handshake was completed.'),
  http2: z.boolean().describe('Whether ALPN negotiated HTTP/2.'),
  cdn: z.object({
    detected: z.boolean(),
    provider: z.string().nullable(),
    evidence: z.array(
      z.object({ provider: z.string(), source: z.enum(['header', 'name']), seen: z.string() }),
    ),
    cname: z
      .array(z.string())
      .nullable()
      .describe('The names that the CNAME records of the host lead to; null if DNS did not answer.'),
  }),
  redirects: z
    .array(z.object({ url: z.string(), status: z.int(), location: z.string(), ms: z.number() }))
    .describe('At most 10 are followed.'),
  headers: z.record(z.string(), z.string()).describe('Response headers about the server and its caches.'),
  ts: z.iso.datetime(),
})
