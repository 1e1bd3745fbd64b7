import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { type Certificate, makeCertificate } from '@tollbook/testing/servers/certificates'
import { serveTls } from '@tollbook/testing/servers/serve-tls'
import { createDnsResolver } from '../../../../dns/dns-resolver.ts'
import { uptimeReport } from './endpoint.ts'

const HOUR_MS = 3_600_000
const HOSTS = ['good.example', '127.0.0.1']
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS)
const root = makeCertificate({ name: 'Root', isAuthority: true })
const middle = makeCertificate({ name: 'Middle', isAuthority: true, issuer: root })

const ports = {
  fetch: createSafeFetch({
    allowPrivateNetwork: true,
    ca: [root.cert],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  }),
  dns: createDnsResolver({ servers: ['127.0.0.1:1'], timeoutMs: 50, tries: 1 }),
  locate: async () => null,
}

async function reportOn(
  context: TestContext,
  certificate: Pick<Certificate, 'cert' | 'key'>,
  protocols: 'both' | 'h2' | 'http/1.1' = 'both',
) {
  const port = await serveTls(context, { certificate, protocols })
  return runEndpoint(uptimeReport, { url: `https://good.example:${port}/` }, { ports, now: new Date() })
}

type Case = {
  readonly certificate: Pick<Certificate, 'cert' | 'key'>
  readonly trust_error: string | null
  readonly hostname_match?: boolean
  /** 24 hours each, rounded down. */
  readonly expires_in_days: number
}

const leaf = (more: object) => makeCertificate({ name: 'leaf', hosts: HOSTS, issuer: root, ...more })
const chained = leaf({ issuer: middle, to: inHours(49) })
const CASES: Readonly<Record<string, Case>> = {
  'signed by a trusted authority': {
    certificate: leaf({ to: inHours(721) }),
    trust_error: null,
    expires_in_days: 30,
  },
  'signed by an intermediate that is sent': {
    certificate: { cert: chained.cert + middle.cert, key: chained.key },
    trust_error: null,
    expires_in_days: 2,
  },
  'signed by an intermediate that is missing': {
    certificate: chained,
    trust_error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    expires_in_days: 2,
  },
  'expired one hour ago': {
    certificate: leaf({ to: inHours(-1) }),
    trust_error: 'CERT_HAS_EXPIRED',
    expires_in_days: -1,
  },
  'expired 25 hours ago': {
    certificate: leaf({ from: inHours(-100), to: inHours(-25) }),
    trust_error: 'CERT_HAS_EXPIRED',
    expires_in_days: -2,
  },
  'not valid yet': {
    certificate: leaf({ from: inHours(1), to: inHours(25) }),
    trust_error: 'CERT_NOT_YET_VALID',
    expires_in_days: 1,
  },
  'of another host': {
    certificate: leaf({ hosts: ['other.example'], to: inHours(25) }),
    trust_error: 'ERR_TLS_CERT_ALTNAME_INVALID',
    hostname_match: false,
    expires_in_days: 1,
  },
  'self-signed': {
    certificate: makeCertificate({ name: 'own', hosts: HOSTS, to: inHours(25) }),
    trust_error: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    expires_in_days: 1,
  },
  'of an untrusted authority that is sent': {
    certificate: foreign(),
    trust_error: 'SELF_SIGNED_CERT_IN_CHAIN',
    expires_in_days: 1,
  },
}

function foreign(): Pick<Certificate, 'cert' | 'key'> {
  const authority = makeCertificate({ name: 'Nobody', isAuthority: true })
  const { cert, key } = leaf({ issuer: authority, to: inHours(25) })
  return { cert: cert + authority.cert, key }
}

for (const [name, { certificate, trust_error, hostname_match = true, expires_in_days }] of Object.entries(
  CASES,
)) {
  test(`a certificate ${name} is reported, and the host is up only if it is trusted, as for /api/ping`, async (context) => {
    const { up, status, tls, error } = await reportOn(context, certificate)
    const message = `the certificate is not trusted (${trust_error})`
    assert.deepEqual([up, status], [trust_error === null, 200])
    assert.deepEqual(error, trust_error === null ? null : { code: 'tls_failed', message })
    assert.deepEqual(
      [tls.trusted, tls.trust_error, tls.hostname_match, tls.expires_in_days],
      [trust_error === null, trust_error, hostname_match, expires_in_days],
    )
  })
}

test('a certificate is reported by field, with the authorities sent with it', async (context) => {
  const certificate = makeCertificate({ name: 'Leaf, "the" \\1+1', hosts: HOSTS, issuer: middle })
  const { cert } = certificate
  const { tls } = await reportOn(context, { cert: cert + middle.cert, key: certificate.key })
  const { fingerprint_sha256, serial, valid_from, valid_to, ...others } = tls
  assert.match(fingerprint_sha256, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  assert.match(serial, /^[0-9A-F]+$/)
  assert.equal(Math.round((Date.parse(valid_to) - Date.parse(valid_from)) / HOUR_MS), 31 * 24)
  assert.deepEqual(others, {
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    alpn: 'h2',
    trusted: true,
    trust_error: null,
    hostname_match: true,
    expires_in_days: 29,
    issuer: { cn: 'Middle', o: null },
    subject: { cn: 'Leaf, "the" \\1+1', o: null },
    san: HOSTS,
    key: { type: 'ec', bits: 256 },
    chain: ['Middle'],
  })
})

test('HTTP/2 is reported if it was negotiated', async (context) => {
  const certificate = leaf({})
  for (const [protocols, alpn, version] of [
    ['both', 'h2', '2'],
    ['h2', 'h2', '2'],
    ['http/1.1', 'http/1.1', '1.1'],
  ] as const) {
    const { http2, http_version, tls } = await reportOn(context, certificate, protocols)
    assert.deepEqual([http2, http_version, tls.alpn], [version === '2', version, alpn], protocols)
  }
})

test('a certificate made by OpenSSL is reported as OpenSSL prints it', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-openssl-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const openssl = (...provided: readonly string[]) =>
    execFileSync('openssl', provided, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '3',
      '-keyout',
      keyFile,
      '-out',
      certFile,
      '-subj',
      '/C=US/O=Example, Inc./CN=good.example',
      '-addext',
      'subjectAltName=DNS:good.example,DNS:*.good.example,IP:2001:db8::1,email:a@good.example',
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return context.skip('openssl is not installed here')
    throw error
  }
  const said = openssl('x509', '-in', certFile, '-noout', '-serial', '-fingerprint', '-sha256', '-dates')
  const saidOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'im').exec(said)?.[1] ?? ''
  const { tls } = await reportOn(context, {
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  })
  assert.equal(tls.serial, saidOf('serial'))
  assert.equal(tls.fingerprint_sha256, saidOf('sha256 fingerprint'))
  assert.equal(Date.parse(tls.valid_from), Date.parse(saidOf('notBefore')))
  assert.equal(Date.parse(tls.valid_to), Date.parse(saidOf('notAfter')))
  assert.deepEqual(tls.subject, { cn: 'good.example', o: 'Example, Inc.' })
  assert.deepEqual(tls.san, ['good.example', '*.good.example', '2001:db8::1'])
  assert.deepEqual(tls.key, { type: 'rsa', bits: 2048 })
})
