import * as z from 'zod'
import { type Article, article as articleModel } from '../../model/article.ts'
import type { Includes } from '../../model/includes.ts'
import type { Tweet } from '../../model/tweet.ts'
import { failed } from './x-envelope.ts'

/** The article of a tweet object (docs.x.com, data dictionary): the text without its form. */
const xArticle = z.looseObject({
  id: z.string().optional(),
  title: z.string(),
  preview_text: z.string().optional(),
  plain_text: z.string().optional(),
  cover_media: z.string().optional(),
  media_key: z.string().optional(),
})

/**
 * The article that a tweet hosts, with its paragraphs as Markdown; null when it hosts none.
 * @throws ProblemError when the X API gives only a preview, which is nothing to charge for.
 */
export function toArticle(tweet: Tweet, includes: Includes): Article | null {
  const { article: given } = tweet
  if (given === undefined) return null
  const read = xArticle.safeParse(given)
  if (!read.success) throw failed('The X API answered with something else than an article.', read.error)
  const { id, title, preview_text, plain_text, cover_media, media_key } = read.data
  if (!plain_text) throw failed('The X API gives only a preview of this article.')
  const cover = includes.media?.find((one) => one.media_key === (cover_media ?? media_key))
  return articleModel.parse({
    id: tweet.id,
    ...(id !== undefined && /^\d{1,19}$/.test(id) && { article_id: id }),
    title,
    ...(preview_text !== undefined && { preview_text }),
    ...(cover?.url !== undefined && {
      cover_image: {
        url: cover.url,
        ...(cover.width !== undefined && { width: cover.width }),
        ...(cover.height !== undefined && { height: cover.height }),
      },
    }),
    ...(tweet.created_at !== undefined && { published_at: tweet.created_at }),
    ...(tweet.author_id !== undefined && { author_id: tweet.author_id }),
    article_content: toParagraphs(plain_text),
    content_format: 'plain',
  })
}

/** Plain text as Markdown: each line a paragraph, and no sign of it with a meaning (CommonMark 0.31, section 2.4). */
function toParagraphs(text: string): string {
  return text
    .split(/\n+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) =>
      line
        .replace(/[\\`*_[\]<>&]/g, '\\$&')
        .replace(/^(#{1,6}(?=\s)|[-+=~|]|\d{1,9}(?=[.)]))/, (start) =>
          /^\d/.test(start) ? start : `\\${start}`,
        )
        .replace(/^(\d{1,9})([.)])/, '$1\\$2'),
    )
    .join('\n\n')
}
