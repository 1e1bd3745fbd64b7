import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { SocialOperation, SocialProvider } from '../source/provider.ts'
import type { Cursors, Listing } from './cursors.ts'

/** The parameter that continues a list. */
export const nextToken = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe('meta.next_token of the previous page; absent for the first page.')

/** Of the ports of the service. */
type Ports = { readonly provider: SocialProvider; readonly cursors: Cursors }

type Asked = { readonly next_token?: string | undefined }

/** The list that a call requests: its operation, its source and all parameters except the token. */
export function listingOf(
  { provider }: Pick<Ports, 'provider'>,
  operation: SocialOperation,
  input: Asked,
): Listing {
  const { next_token, ...filters } = input
  return { operation: `${provider.name}/${operation}`, filters }
}

/** An issue if the token was not issued for this list. */
export function findTokenIssues(ports: Ports, operation: SocialOperation, input: Asked): readonly Issue[] {
  if (input.next_token === undefined) return []
  if (positionOf(ports, operation, input) !== null) return []
  const detail =
    'is not a token of this list; send meta.next_token of its last page, with the same parameters'
  return [{ parameter: 'next_token', detail }]
}

/** The source's position to continue from; null for the start. */
export function positionOf(ports: Ports, operation: SocialOperation, input: Asked): string | null {
  if (input.next_token === undefined) return null
  return ports.cursors.open(listingOf(ports, operation, input), input.next_token)
}

/** The token of the next page; null at the end. */
export function toNextToken(
  ports: Ports,
  operation: SocialOperation,
  input: Asked,
  next: string | null,
): string | null {
  return next === null ? null : ports.cursors.seal(listingOf(ports, operation, input), next)
}
