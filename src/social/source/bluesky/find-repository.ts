import * as z from 'zod'
import type { SafeFetch } from '../../../fetching/safe-fetch.ts'
import type { Asking } from '../provider.ts'
import { readJson } from './read-json.ts'
import { failed } from './refusal.ts'

/** Time for the one read, ms. */
const READ_MS = 3_000

/** A DID document, of which the service `#atproto_pds` holds the records (https://atproto.com/specs/did). */
const didDocument = z.looseObject({
  service: z.array(z.looseObject({ id: z.string(), serviceEndpoint: z.unknown() })).optional(),
})

/** Ways to the servers that accounts name. */
export type Places = {
  readonly fetch: SafeFetch
  /** Reaches hosts that others name. */
  readonly fetchOutside: SafeFetch
  /** Where the directory of `did:plc` is, without a trailing slash. */
  readonly plcUrl: string
}

/** The server that holds the records of a DID, without a trailing slash; null where there is none. */
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
  if (!document) throw failed('The directory of accounts does not answer.')
  const service = document.service?.find(({ id }) => id === '#atproto_pds' || id === `${did}#atproto_pds`)
  const endpoint = service?.serviceEndpoint
  return typeof endpoint === 'string' ? endpoint.replace(/\/+$/, '') : null
}

/** The two methods that the network knows; a `did:web` is a host alone, without a path. */
function placeOf(did: string, plcUrl: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `${plcUrl}/${did}`
  const [, host] = /^did:web:([A-Za-z0-9.-]+)$/.exec(did) ?? []
  return host ? `https://${host}/.well-known/did.json` : null
}
