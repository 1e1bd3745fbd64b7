import { ProblemError } from '../../http/problem.ts'
import { positionOf, toNextToken } from '../paging/next-token.ts'
import type { SocialPorts } from '../ports.ts'
import { requireOperation } from '../source/check-capability.ts'
import type { FoundPage, RequestedPage, SocialOperation, SocialOperations } from '../source/provider.ts'

type Asked<Name> = {
  readonly ports: SocialPorts
  readonly operation: Name
  /** The parameters of the call. */
  readonly input: { readonly next_token?: string | undefined }
  readonly pageSize: number
}

/** A page of a list with the token for the next one; null at the end. */
export type ReadPage<Item> = Pick<FoundPage<Item>, 'data' | 'includes'> & {
  readonly nextToken: string | null
}

/**
 * Reads the page that a call requests.
 * @throws ProblemError `not_found` with that detail if the object that the list belongs to does not exist.
 */
export async function readPage<Item, Name extends SocialOperation>(
  { ports, operation, input, pageSize }: Asked<Name>,
  ask: (operation: SocialOperations[Name], page: RequestedPage) => Promise<FoundPage<Item> | null>,
  absent = 'This list does not exist.',
): Promise<ReadPage<Item>> {
  const page: RequestedPage = { limit: pageSize, position: positionOf(ports, operation, input) }
  const found = await ask(requireOperation(ports, operation), page)
  if (!found) throw new ProblemError({ code: 'not_found', detail: absent })
  const { data, includes, next } = found
  return { data, includes, nextToken: toNextToken(ports, operation, input, next) }
}
