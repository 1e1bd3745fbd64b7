import * as z from 'zod'
import type { Fault } from '../../catalogue/problem.ts'
import type { SocialPorts } from '../ports.ts'
import type { SocialOperation } from '../source/provider.ts'
import type { Listing } from './cursors.ts'

/** The parameter that continues a list. */
export const nextToken = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe('meta.next_token of the page before; absent for the first page.')

type Asked = { readonly next_token?: string | undefined }

/** The list that a call asks for: its operation, its source and everything but the token. */
export function listingOf({ provider }: SocialPorts, operation: SocialOperation, input: Asked): Listing {
  const { next_token, ...filters } = input
  return { operation: `${provider.name}/${operation}`, filters }
}

/** A fault where the token is not one that this list gave out. */
export function findTokenFaults(
  ports: SocialPorts,
  operation: SocialOperation,
  input: Asked,
): readonly Fault[] {
  if (input.next_token === undefined) return []
  if (positionOf(ports, operation, input) !== null) return []
  const detail = 'is no token of this list; send meta.next_token of its last page, with the same parameters'
  return [{ parameter: 'next_token', detail }]
}

/** Where the source goes on; null for the start. */
export function positionOf(ports: SocialPorts, operation: SocialOperation, input: Asked): string | null {
  if (input.next_token === undefined) return null
  return ports.cursors.open(listingOf(ports, operation, input), input.next_token)
}

/** The token with which a caller goes on; null at the end. */
export function toNextToken(
  ports: SocialPorts,
  operation: SocialOperation,
  input: Asked,
  next: string | null,
): string | null {
  return next === null ? null : ports.cursors.seal(listingOf(ports, operation, input), next)
}
