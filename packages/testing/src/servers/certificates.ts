import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, PEM. */
export type Certificate = { readonly cert: string; readonly key: string; readonly name: string }

export type CertificateOptions = {
  readonly name: string
  /** Host names and IPv4 addresses that it is for. */
  readonly hosts?: readonly string[]
  readonly from?: Date
  readonly to?: Date
  /** Who signs it; default itself. */
  readonly issuer?: Certificate
  readonly isAuthority?: boolean
}

const DAY_MS = 86_400_000

/** Makes an X.509 certificate (RFC 5280) with an elliptic key, for TLS servers of tests. */
export function makeCertificate(options: CertificateOptions): Certificate {
  const { name, hosts = [], issuer, isAuthority = false } = options
  const { from = new Date(Date.now() - DAY_MS), to = new Date(Date.now() + 30 * DAY_MS) } = options
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const issuerKey: KeyObject = issuer ? createPrivateKey(issuer.key) : privateKey
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.from([1, ...Buffer.from(`${name}`).subarray(0, 8)])),
    ECDSA_SHA256,
    distinguished(issuer?.name ?? name),
    sequence(time(from), time(to)),
    distinguished(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions(hosts, isAuthority))),
  )
  const signature = sign('sha256', body, issuerKey)
  const certificate = sequence(body, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { cert, key, name }
}

/** 1.2.840.10045.4.3.2, RFC 5758. */
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))

function extensions(hosts: readonly string[], isAuthority: boolean): readonly Buffer[] {
  const names = hosts.map((host) =>
    isIP(host) === 4
      ? der(0x87, Buffer.from(host.split('.').map(Number)))
      : der(0x82, Buffer.from(host, 'ascii')),
  )
  return [
    // 2.5.29.19 basicConstraints, critical.
    sequence(oid('551d13'), TRUE, octets(isAuthority ? sequence(TRUE) : sequence())),
    // 2.5.29.17 subjectAltName.
    ...(names.length > 0 ? [sequence(oid('551d11'), octets(sequence(...names)))] : []),
  ]
}

const TRUE = der(0x01, Buffer.from([0xff]))

function distinguished(name: string): Buffer {
  // 2.5.4.3 commonName as UTF8String.
  return sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
}

/** UTCTime, for years up to 2049. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return der(0x17, Buffer.from(digits.slice(2)))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function tagged(number: number, content: Buffer): Buffer {
  return der(0xa0 + number, content)
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes)
}

function octets(content: Buffer): Buffer {
  return der(0x04, content)
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
