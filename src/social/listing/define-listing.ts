import * as z from 'zod'
import { json } from '../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint, type Endpoint } from '../../catalogue/endpoint.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { UsdText } from '../../money/usdc.ts'
import { includesOf, plainMeta, tweetMeta, withAuthors } from '../envelope/compose.ts'
import { answeredTweet, pageEnvelope } from '../envelope/envelope.ts'
import type { Tweet } from '../model/tweet.ts'
import { type SocialUser, user } from '../model/user.ts'
import { findTokenFaults, nextToken, positionOf, toNextToken } from '../paging/next-token.ts'
import type { SocialPorts } from '../ports.ts'
import { checkCapability, requireOperation } from '../source/check-capability.ts'
import type { FoundPage, PageAsked, Paged } from '../source/provider.ts'
import { idField } from './fields.ts'

/** Operations that list what belongs to one id. */
export type TweetListing = 'repliesTo' | 'quotesOf' | 'tweetsOfList' | 'tweetsOfCommunity'
export type UserListing = 'repostersOf' | 'followersOf' | 'followedBy' | 'membersOfList' | 'followersOfList'

type Declaration<Operation> = {
  readonly id: string
  readonly path: `/${string}`
  readonly priceUsd: UsdText
  readonly summary: string
  readonly description: string
  readonly operation: Operation
  /** What the id is of, to which the list belongs. */
  readonly of: 'tweet' | 'user' | 'List' | 'community'
  /** Most objects of one page. */
  readonly pageSize: number
}

const LIMITS = { bodyBytes: 4096, timeoutMs: 15_000 }

/** An endpoint that lists the tweets of something, the newest first, in pages. */
export function defineTweetListing(
  declaration: Declaration<TweetListing> & { readonly example: TweetExample },
): Endpoint {
  return defineEndpoint({
    ...partsOf(declaration),
    output: tweetPage,
    example: declaration.example,
    async handle(call: ListingCall) {
      const page = await readPage<Tweet>(declaration, call)
      const data = withAuthors(page.data, page.includes)
      return json({
        data,
        ...includesOf(page.includes),
        meta: tweetMeta({ data, nextToken: page.nextToken }),
      })
    },
  })
}

/** An endpoint that lists users who stand to something, the newest first, in pages. */
export function defineUserListing(
  declaration: Declaration<UserListing> & { readonly example: UserExample },
): Endpoint {
  return defineEndpoint({
    ...partsOf(declaration),
    output: userPage,
    example: declaration.example,
    async handle(call: ListingCall) {
      const { data, includes, nextToken: token } = await readPage<SocialUser>(declaration, call)
      return json({ data: [...data], ...includesOf(includes), meta: plainMeta({ data, nextToken: token }) })
    },
  })
}

const tweetPage = pageEnvelope(answeredTweet)
const userPage = pageEnvelope(user)

type Input = { readonly id: string; readonly next_token?: string | undefined }
type ListingCall = Call<Input, SocialPorts, Address>
type TweetExample = { readonly input: Input; readonly output: z.output<typeof tweetPage> }
type UserExample = { readonly input: Input; readonly output: z.output<typeof userPage> }

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
    ...({ id, method: 'GET', path, summary, description, limits: LIMITS } as const),
    pricing: { kind: 'exact', priceUsd },
    input: z.object({ id: idField(of), next_token: nextToken }),
    availability: (ports: SocialPorts) => checkCapability(ports, operation),
    check: (input: Input, ports: SocialPorts) => findTokenFaults(ports, operation, input),
  } as const
}

type ReadPage<Item> = Pick<FoundPage<Item>, 'data' | 'includes'> & { readonly nextToken: string | null }

async function readPage<Item extends Tweet | SocialUser>(
  { operation, of, pageSize }: Declaration<TweetListing | UserListing>,
  { input, ports, signal }: ListingCall,
): Promise<ReadPage<Item>> {
  const page: PageAsked = { limit: pageSize, position: positionOf(ports, operation, input) }
  // Each operation of these lists gives what its definer names: tweets or users.
  const ask = requireOperation(ports, operation) as unknown as Paged<Item>
  const found = await ask(input.id, page, { signal })
  if (!found)
    throw new ProblemError({ code: 'not_found', detail: `There is no ${of} with the id ${input.id}.` })
  const { data, includes, next } = found
  return { data, includes, nextToken: toNextToken(ports, operation, input, next) }
}
