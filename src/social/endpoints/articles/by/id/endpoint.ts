import * as z from 'zod'
import { json } from '../../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../../catalogue/endpoint.ts'
import { ProblemError } from '../../../../../http/problem.ts'
import { includesOf } from '../../../../envelope/compose.ts'
import { type ArticleAnswer, articleEnvelope } from '../../../../envelope/envelope.ts'
import { idField } from '../../../../listing/fields.ts'
import type { SocialPorts } from '../../../../ports.ts'
import { checkCapability, requireOperation } from '../../../../source/check-capability.ts'
import { example } from './example.ts'

const input = z.object({ id: idField('tweet') })

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
    if (found === 'hosts nothing')
      throw new ProblemError({ code: 'not_found', detail: `The tweet ${id} hosts no article.` })
    const answer: ArticleAnswer = { data: found.data, ...includesOf(found.includes) }
    return json(answer)
  },
})
