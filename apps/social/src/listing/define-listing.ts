import type { UsdText } from '@tollbook/chain/usdc'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { composeTweetPage, composeUserPage, findEmptyPage, type Page } from '../envelope/compose.ts'
import { type TweetPage, tweetPage, type UserPage, userPage } from '../envelope/envelope.ts'
import { isInRange, type SocialUser, type Tweet } from '../model.ts'
import { findTokenIssues, nextToken, positionOf, toNextToken } from '../paging/next-token.ts'
import type { SocialPorts } from '../ports.ts'
import { checkCapability, requireOperation } from '../source/check-capability.ts'
import type {
  FoundPage,
  Paged,
  RequestedPage,
  SocialOperation,
  SocialOperations,
} from '../source/provider.ts'

type Asked<Name> = {
  readonly ports: SocialPorts
  readonly operation: Name
  /** The parameters of the call. */
  readonly input: { readonly next_token?: string | undefined }
  readonly pageSize: number
}

/** A screen name, or a handle that is a domain name if the source's network has those. */
export const usernameField = z
  .string()
  .trim()
  .regex(/^@?(\w{1,15}|[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8})$/, 'must be a screen name')
  .describe('Screen name in any case, with or without @: 1 to 15 letters, digits and underscores.')

/** Operations that list objects belonging to one id. */
export type TweetListing = 'repliesTo' | 'quotesOf' | 'tweetsOfList' | 'tweetsOfCommunity'
export type UserListing = 'repostersOf' | 'followersOf' | 'followedBy' | 'membersOfList' | 'followersOfList'

type Declaration<Operation> = {
  readonly id: string
  readonly path: `/${string}`
  readonly priceUsd: UsdText
  readonly summary: string
  readonly description: string
  readonly operation: Operation
  /** The kind of object that the id identifies and the list belongs to. */
  readonly of: 'tweet' | 'user' | 'List' | 'community'
  /** Maximum number of objects per page. */
  readonly pageSize: number
}

const LIMITS = { bodyBytes: 4096, timeoutMs: 15_000 }

/** An endpoint that lists the tweets of an object, newest first, paginated. */
export function defineTweetListing(
  declaration: Declaration<TweetListing> & { readonly example: TweetExample },
): Endpoint {
  return defineEndpoint({
    ...partsOf(declaration),
    output: tweetPage,
    example: declaration.example,
    handle: async (call: ListingCall) => json(composeTweetPage(await readOwned<Tweet>(declaration, call))),
  })
}

/** An endpoint that lists users related to an object, newest first, paginated. */
export function defineUserListing(
  declaration: Declaration<UserListing> & { readonly example: UserExample },
): Endpoint {
  return defineEndpoint({
    ...partsOf(declaration),
    output: userPage,
    example: declaration.example,
    handle: async (call: ListingCall) =>
      json(composeUserPage(await readOwned<SocialUser>(declaration, call))),
  })
}

type Input = { readonly id: string; readonly next_token?: string | undefined }
type ListingCall = Call<Input, SocialPorts, Address>
export type TweetExample = { readonly input: Input; readonly output: TweetPage }
export type UserExample = { readonly input: Input; readonly output: UserPage }

function partsOf({
  id,
  path,
  priceUsd,
  summary,
  description,
  operation,
  of,
}: Declaration<TweetListing | UserListing>) {
  return {
    id,
    method: 'GET',
    path,
    summary,
    description,
    limits: LIMITS,
    pricing: { kind: 'exact', priceUsd },
    input: z.object({ id: idField(of), next_token: nextToken }),
    availability: (ports: SocialPorts) => checkCapability(ports, operation),
    check: (input: Input, ports: SocialPorts) => findTokenIssues(ports, operation, input),
    findEmptiness: findEmptyPage,
  } as const
}

function readOwned<Item extends Tweet | SocialUser>(
  { operation, of, pageSize }: Declaration<TweetListing | UserListing>,
  { input, ports, signal }: ListingCall,
) {
  return readPage(
    { ports, operation, input, pageSize },
    (found, page) => {
      // Each operation returns the item type its definer names: tweets or users.
      const ask = found as unknown as Paged<Item>
      return ask(input.id, page, { signal })
    },
    `No ${of} has the id ${input.id}.`,
  )
}

const pastedId = z
  .string()
  .trim()
  .regex(/^\d{1,19}$/, 'must be 1 to 19 decimal digits')

/** The id of the requested object, as a parameter. */
export function idField(of: 'tweet' | 'user' | 'List' | 'community' | 'media') {
  return pastedId.refine(isInRange, 'must be at most 9223372036854775807').describe(`Numeric ${of} ID.`)
}

/** A screen name in the form that sources expect. */
export function withoutAt(username: string): string {
  return username.replace(/^@/, '')
}

/**
 * Reads the page that a call requests.
 * @throws ProblemError `not_found` with that detail if the object that the list belongs to does not exist.
 */
export async function readPage<Item, Name extends SocialOperation>(
  { ports, operation, input, pageSize }: Asked<Name>,
  ask: (operation: SocialOperations[Name], page: RequestedPage) => Promise<FoundPage<Item> | null>,
  absent = 'This list does not exist.',
): Promise<Page<Item>> {
  const page: RequestedPage = { limit: pageSize, position: positionOf(ports, operation, input) }
  const found = await ask(requireOperation(ports, operation), page)
  if (!found) throw new ProblemError({ code: 'not_found', detail: absent })
  const { data, includes, next } = found
  return { data, includes, nextToken: toNextToken(ports, operation, input, next) }
}
