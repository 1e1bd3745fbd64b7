import type { KeyObject, X509Certificate } from 'node:crypto'
import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** A host's TLS parameters and certificate. */
export type TlsFacts = {
  /** Such as `TLSv1.3`. */
  readonly protocol: string | null
  /** IANA name of the cipher suite. */
  readonly cipher: string
  /** Negotiated protocol (RFC 7301); null if none was. */
  readonly alpn: string | null
  /** Whether the certificate leads to a trusted authority, is valid now, and is for this host. */
  readonly isTrusted: boolean
  /** Why it is not trusted, such as `CERT_HAS_EXPIRED`. */
  readonly trustError: string | null
  readonly certificate: CertificateFacts | null
}

export type CertificateFacts = {
  /** Distinguished names, one part per line, as OpenSSL writes them. */
  readonly subject: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  readonly serialNumber: string
  readonly fingerprint256: string
  /** Such as `DNS:example.com, IP Address:192.0.2.1`; empty if it has none. */
  readonly altNames: string
  readonly isOfHost: boolean
  /** null if its kind is not supported here. */
  readonly key: KeyFacts | null
  /** Subjects of the certificates that were sent with it, from its issuer upwards. */
  readonly chain: readonly string[]
}

/** Kind of a public key, such as `rsa` or `ec`, and its size; bits are null if the kind has no single size. */
export type KeyFacts = { readonly type: string; readonly bits: number | null }

/** No chain of the public web is longer. */
const MAX_CHAIN_LENGTH = 10

/** Reads the TLS parameters of an open connection; null without TLS. */
export function readTlsFacts(socket: Socket, host: string): TlsFacts | null {
  if (!(socket instanceof TLSSocket)) return null
  const certificate = socket.getPeerX509Certificate()
  // Typed as an Error, but usually OpenSSL's code as a string; for a wrong name it is an Error with a code.
  const error: unknown = socket.authorizationError
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    alpn: socket.alpnProtocol || null,
    isTrusted: socket.authorized,
    trustError: error instanceof Error && 'code' in error ? String(error.code) : error ? String(error) : null,
    certificate: certificate ? readCertificate(certificate, host) : null,
  }
}

function readCertificate(certificate: X509Certificate, host: string): CertificateFacts {
  const chain: string[] = []
  let issuer = certificate.issuerCertificate
  while (issuer && chain.length < MAX_CHAIN_LENGTH) {
    chain.push(issuer.subject)
    issuer = issuer.issuerCertificate
  }
  const isOfHost = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  return {
    subject: certificate.subject,
    issuer: certificate.issuer,
    validFrom: certificate.validFromDate,
    validTo: certificate.validToDate,
    serialNumber: certificate.serialNumber,
    fingerprint256: certificate.fingerprint256,
    altNames: certificate.subjectAltName ?? '',
    isOfHost: isOfHost !== undefined,
    key: readKey(certificate),
    chain,
  }
}

/** Sizes of the curves of the web (RFC 8422 section 5.1.1, RFC 8032), by OpenSSL's names. */
const CURVE_BITS: Readonly<Record<string, number>> = {
  prime256v1: 256,
  secp256k1: 256,
  secp384r1: 384,
  secp521r1: 521,
  ed25519: 256,
  ed448: 456,
}

function readKey(certificate: X509Certificate): KeyFacts | null {
  let key: KeyObject
  try {
    key = certificate.publicKey
  } catch {
    // OpenSSL does not support this kind of key; everything else about the certificate can still be reported.
    return null
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === undefined) return null
  return { type, bits: details?.modulusLength ?? CURVE_BITS[details?.namedCurve ?? type] ?? null }
}
