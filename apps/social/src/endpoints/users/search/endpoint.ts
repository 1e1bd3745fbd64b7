import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import { composeUserPage, findEmptyPage } from '../../../envelope/compose.ts'
import { type UserPage, userPage } from '../../../envelope/envelope.ts'
import { readPage } from '../../../listing/define-listing.ts'
import { findTokenIssues, nextToken } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { sampleUser } from '../../../sample/sample.ts'
import { checkCapability } from '../../../source/check-capability.ts'
import { toPhrase } from '../../../text/tokens.ts'

const PAGE_SIZE = 20
const MAX_WORDS = 10

const input = z.object({
  query: z
    .string()
    .min(1)
    .max(100)
    .describe('Keyword or phrase: each word must occur in the name, username or bio.'),
  next_token: nextToken,
})

const example: { input: { query: string }; output: UserPage } = {
  input: { query: 'chess' },
  output: { data: [sampleUser('kofi_sample')], meta: { result_count: 1 } },
}

export const searchUsers = defineEndpoint({
  id: 'users.search',
  method: 'GET',
  path: '/users/search',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Search users',
  description:
    'User profiles whose name, username or bio contains every word of the keyword or phrase, those with the most followers first, paginated.',
  input,
  output: userPage,
  example,
  limits: { bodyBytes: 4096, timeoutMs: 15_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'searchUsers'),
  check(args, ports) {
    const words = args.query.split(/\s+/).filter((word) => toPhrase(word) !== null)
    if (words.length === 0) return [{ parameter: 'query', detail: 'has no letter, digit or emoji' }]
    if (words.length > MAX_WORDS)
      return [{ parameter: 'query', detail: `has ${words.length} words (limit ${MAX_WORDS})` }]
    const unsearchable = ports.provider.searchIssues?.users?.(args.query) ?? []
    return unsearchable.length > 0 ? unsearchable : findTokenIssues(ports, 'searchUsers', args)
  },
  findEmptiness: findEmptyPage,
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const page = await readPage(
      { ports, operation: 'searchUsers', input: args, pageSize: PAGE_SIZE },
      (search, requested) => search(args.query, requested, { signal }),
    )
    return json(composeUserPage(page))
  },
})
