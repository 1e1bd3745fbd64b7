import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { includesOf } from '../../../../envelope/compose.ts'
import { type ArticleAnswer, articleEnvelope } from '../../../../envelope/envelope.ts'
import { idField } from '../../../../listing/define-listing.ts'
import type { SocialPorts } from '../../../../ports.ts'
import { sampleUser } from '../../../../sample/sample.ts'
import { checkCapability, requireOperation } from '../../../../source/check-capability.ts'

const input = z.object({ id: idField('tweet') })

const example: { input: { id: string }; output: ArticleAnswer } = {
  input: { id: '9100000000000000037' },
  output: {
    data: {
      id: '9100000000000000037',
      article_id: '9150000000000000001',
      title: 'What a median is, for people who dislike numbers',
      preview_text: 'Line everybody up by height and ask the one in the middle.',
      cover_image: { url: 'https://example.com/articles/median.png', width: 1600, height: 640 },
      published_at: '2026-10-08T12:55:00.000Z',
      author_id: '9000000000000000015',
      article_content:
        '# What a median is\n\nLine everybody up by height and ask **the one in the middle**. That is all.\n\n## Why not the average\n\nOne giant walks in, and the *average* grows by a head. The one in the middle does not even look up.\n\n- half are shorter,\n- half are taller,\n- nobody is average.\n\n## How to find it\n\n1. Sort.\n2. Count.\n3. Take the middle; of two middles, either will do.\n\n![Seven people in a row, the fourth one waving](https://example.com/articles/row.png)\n\n> A median is the number that nobody had to calculate.\n\nMore of this stands at [example.com](https://example.com/articles/median).',
      content_format: 'rich',
    },
    includes: { users: [sampleUser('omar_sample')] },
  },
}

export const articleById = defineEndpoint({
  id: 'articles.by.id',
  method: 'GET',
  path: '/articles/by/id',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Article by its tweet',
  description:
    'The article that a tweet hosts, by numeric tweet ID: title, preview text, cover image, publish date and article_content as Markdown (headings, bold, italic, lists, images, links).',
  input,
  output: articleEnvelope,
  example,
  limits: { bodyBytes: 1024, timeoutMs: 10_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'articleOf'),
  async handle({ input: { id }, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const found = await requireOperation(ports, 'articleOf')(id, { signal })
    if (!found) throw new ProblemError({ code: 'not_found', detail: `No tweet has the id ${id}.` })
    if ('kind' in found)
      throw new ProblemError({ code: 'not_found', detail: `The tweet ${id} has no article.` })
    const answer: ArticleAnswer = { data: found.data, ...includesOf(found.includes) }
    return json(answer)
  },
})
