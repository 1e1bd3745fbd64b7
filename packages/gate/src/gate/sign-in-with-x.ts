import { toChecksumAddress } from '@tollbook/chain/checksum-address'
import type { Address } from '@tollbook/chain/hex'
import { hasChecksum } from '@tollbook/chain/wallet-address'
import * as z from 'zod'

/** The extension, and the header with its proof (x402 specs/extensions/sign-in-with-x.md). */
export const SIGN_IN_WITH_X = 'sign-in-with-x'
/** Of a proof, from its time of issue ("Verification Requirements"). */
export const MAX_PROOF_AGE_MS = 5 * 60_000

const proofShape = z.object({
  domain: z.string(),
  address: z.string(),
  statement: z.string().optional(),
  uri: z.string(),
  version: z.string(),
  chainId: z.string(),
  type: z.enum(['eip191', 'ed25519']),
  nonce: z.string(),
  issuedAt: z.string(),
  expirationTime: z.string().optional(),
  notBefore: z.string().optional(),
  requestId: z.string().optional(),
  resources: z.array(z.string()).optional(),
  signatureScheme: z.enum(['eip191', 'eip1271', 'eip6492', 'siws']).optional(),
  signature: z.string(),
})

/** Without the spaces that `atob` skips. */
const BASE64 = /^[a-z0-9+/]*={0,2}$/i

/** The content of the header `SIGN-IN-WITH-X`. */
export type SignInProof = z.infer<typeof proofShape>

/** Reads the header: base64 of the JSON of a proof, which is not yet verified; null if it is something else. */
export function parseSignIn(header: string): SignInProof | null {
  try {
    if (!BASE64.test(header)) return null
    const json = new TextDecoder().decode(Buffer.from(atob(header), 'latin1'))
    return proofShape.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}

/** Whether a proof is meant for a service, and is valid now. */
export function isProofFor(proof: SignInProof, service: URL, now: Date): boolean {
  const { domain, uri, issuedAt, expirationTime, notBefore } = proof
  if (domain !== service.host || URL.parse(uri)?.origin !== service.origin) return false
  const nowMs = now.getTime()
  const ageMs = nowMs - Date.parse(issuedAt)
  return (
    // Each comparison with a time that cannot be read is false.
    ageMs >= 0 &&
    ageMs <= MAX_PROOF_AGE_MS &&
    (!expirationTime || Date.parse(expirationTime) >= nowMs) &&
    (!notBefore || Date.parse(notBefore) <= nowMs)
  )
}

const EVM_CHAIN = /^eip155:(\d+)$/
const ADDRESS = /^0x[0-9a-f]{40}$/i
/** Date and time of RFC 3339. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i
/** RFC 3986: letters, digits and the marks that it reserves or not, of which `%` begins two hex digits. */
const URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})*$/i
const PATH_CHARACTERS = /^(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*$/i
const STATEMENT = /^[a-z0-9\-._~:/?#[\]@!$&'()*+,;= ]*$/i
const NONCE = /^[a-z0-9]{8,}$/i

/**
 * The text that a wallet signs of a proof (https://eips.ethereum.org/EIPS/eip-4361, "ABNF Message Format"); null if a
 * member does not have the form of its line. So no text has two readings.
 */
export function toSignedText(proof: SignInProof): string | null {
  const { domain, address, statement, uri, version, nonce, requestId, resources } = proof
  const [, chainId] = EVM_CHAIN.exec(proof.chainId) ?? []
  // A time that is empty has no line.
  const times = [proof.issuedAt, ...[proof.expirationTime, proof.notBefore].filter((time) => time)]
  if (
    chainId === undefined ||
    version !== '1' ||
    !ADDRESS.test(address) ||
    !hasChecksum(address) ||
    !NONCE.test(nonce) ||
    !STATEMENT.test(statement ?? '') ||
    !PATH_CHARACTERS.test(requestId ?? '') ||
    ![uri, ...(resources ?? [])].every((one) => URI.test(one)) ||
    !times.every((time) => DATE_TIME.test(time ?? ''))
  )
    return null
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    toChecksumAddress(address as Address),
    '',
    ...(statement === undefined ? [] : [statement]),
    '',
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${Number(chainId)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${proof.issuedAt}`,
    ...(proof.expirationTime ? [`Expiration Time: ${proof.expirationTime}`] : []),
    ...(proof.notBefore ? [`Not Before: ${proof.notBefore}`] : []),
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ...(resources === undefined ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n')
}
