import { isIP } from 'node:net'
import type { CertificateFacts, TlsFacts } from '@tollbook/safe-fetch/certificate'

const DAY_MS = 86_400_000

/** The TLS fields of a report; null without a certificate, which cannot happen with the cipher suites offered here. */
export function describeTls(
  { protocol, cipher, alpn, isTrusted, trustError, certificate }: TlsFacts,
  now: Date,
) {
  if (!certificate) return null
  return {
    protocol,
    cipher,
    alpn,
    trusted: isTrusted,
    trust_error: trustError,
    ...describeCertificate(certificate, now),
  }
}

function describeCertificate(certificate: CertificateFacts, now: Date) {
  const { subject, issuer, validFrom, validTo, key, chain } = certificate
  const isDated = !Number.isNaN(validTo.getTime())
  return {
    hostname_match: certificate.isOfHost,
    issuer: { cn: partOf(issuer, 'CN'), o: partOf(issuer, 'O') },
    subject: { cn: partOf(subject, 'CN'), o: partOf(subject, 'O') },
    san: [...namesOf(certificate.altNames)],
    valid_from: toTime(validFrom),
    valid_to: toTime(validTo),
    // Whole days until expiry; -1 from the first moment after it.
    expires_in_days: isDated ? Math.floor((validTo.getTime() - now.getTime()) / DAY_MS) : null,
    fingerprint_sha256: certificate.fingerprint256,
    serial: certificate.serialNumber,
    key: key && { ...key },
    chain: chain.map((name) => partOf(name, 'CN') ?? partOf(name, 'OU') ?? partOf(name, 'O') ?? name),
  }
}

/** Null for an invalid time, such as a 13th month: certificates are untrusted input. */
function toTime(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Characters that OpenSSL escapes within a part (RFC 2253 section 2.4). */
const ESCAPED = /\\([,+"\\<>;#= ])/g

/** The first part of this type in a distinguished name; one part per line. */
function partOf(name: string, kind: 'CN' | 'O' | 'OU'): string | null {
  const line = name.split('\n').find((part) => part.startsWith(`${kind}=`))
  return line === undefined ? null : line.slice(kind.length + 1).replaceAll(ESCAPED, '$1')
}

/** Comma-separated entries; a value with a comma or a quote is written as a JSON string. */
const ALT_NAME = /([^:,"]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy
const OF_HOSTS = new Set(['DNS', 'IP Address'])

function namesOf(altNames: string): readonly string[] {
  return [...altNames.matchAll(ALT_NAME)]
    .filter(([, kind = '']) => OF_HOSTS.has(kind))
    .map(([, , value = '']) => (isIP(value) === 6 ? shorten(value) : value))
}

/** OpenSSL writes all eight groups; RFC 5952 omits the zeros. */
function shorten(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}
