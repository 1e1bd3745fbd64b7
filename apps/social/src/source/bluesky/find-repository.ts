import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import * as z from 'zod'
import type { Asking } from '../provider.ts'
import { failed } from './bluesky-problem.ts'
import { readJson } from './read-json.ts'

/** Timeout of the one read, ms. */
const READ_MS = 3_000
const MAX_URL_LENGTH = 2_048

/** A DID document, whose service `#atproto_pds` holds the records (https://atproto.com/specs/did). */
const didDocument = z.looseObject({
  service: z.array(z.looseObject({ id: z.string(), serviceEndpoint: z.unknown() })).optional(),
})

/** Access to the servers that accounts name. */
export type Places = {
  readonly fetch: SafeFetch
  /** Fetches from untrusted hosts. */
  readonly fetchOutside: SafeFetch
  /** Base URL of the `did:plc` directory, without a trailing slash. */
  readonly plcUrl: string
}

/** The server that holds the records of a DID, without a trailing slash; null if there is none. */
export async function findRepository(
  { fetch, fetchOutside, plcUrl }: Places,
  did: string,
  { signal }: Asking,
): Promise<string | null> {
  const place = placeOf(did, plcUrl)
  if (place === null) return null
  const bounds = { timeoutMs: READ_MS, signal }
  const { status, json } = await readJson(did.startsWith('did:plc:') ? fetch : fetchOutside, place, bounds)
  if (status === 404 || status === 410) return null
  const document = status === 200 ? didDocument.safeParse(json).data : undefined
  if (!document) throw failed('The account directory does not answer.')
  const service = document.service?.find(({ id }) => id === '#atproto_pds' || id === `${did}#atproto_pds`)
  const endpoint = service?.serviceEndpoint
  // A longer one is no place to reach, and its trailing slashes would take hours to find.
  if (typeof endpoint !== 'string' || endpoint.length > MAX_URL_LENGTH) return null
  return endpoint.replace(/\/+$/, '')
}

/** The two DID methods of the network; a `did:web` is a host without a path. */
function placeOf(did: string, plcUrl: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `${plcUrl}/${did}`
  const [, host] = /^did:web:([A-Za-z0-9.-]+)$/.exec(did) ?? []
  return host ? `https://${host}/.well-known/did.json` : null
}
