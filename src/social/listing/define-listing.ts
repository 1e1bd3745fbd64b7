import * as z from 'zod'
import { json } from '../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint, type Endpoint } from '../../catalogue/endpoint.ts'
import type { UsdText } from '../../money/usdc.ts'
import { composeTweetPage, composeUserPage } from '../envelope/compose.ts'
import { type TweetPage, tweetPage, type UserPage, userPage } from '../envelope/envelope.ts'
import type { SocialUser, Tweet } from '../model.ts'
import { findTokenFaults, nextToken } from '../paging/next-token.ts'
import type { SocialPorts } from '../ports.ts'
import { checkCapability } from '../source/check-capability.ts'
import type { Paged } from '../source/provider.ts'
import { idField } from './fields.ts'
import { readPage } from './read-page.ts'

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
    check: (input: Input, ports: SocialPorts) => findTokenFaults(ports, operation, input),
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
