import * as z from 'zod'
import { type Article, article as articleModel, type Includes, type Tweet } from '../../model.ts'
import { failed } from './x-envelope.ts'

/** The article of a tweet object (docs.x.com, data dictionary): the text without formatting. */
const xArticle = z.looseObject({
  id: z.string().optional(),
  title: z.string(),
  preview_text: z.string().optional(),
  plain_text: z.string().optional(),
  cover_media: z.string().optional(),
  media_key: z.string().optional(),
})

/**
 * The article of a tweet, with its paragraphs as Markdown; null if it has none.
 * @throws ProblemError if the X API returns only a preview, which must not be charged.
 */
export function toArticle(tweet: Tweet, includes: Includes): Article | null {
  const { article: provided } = tweet
  if (provided === undefined) return null
  const read = xArticle.safeParse(provided)
  if (!read.success) throw failed("The X API's answer is not a valid article.", read.error)
  const { id, title, preview_text, plain_text, cover_media, media_key } = read.data
  if (!plain_text) throw failed('The X API returns only a preview of this article.')
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

/**
 * Plain text as Markdown: each line is a paragraph, and all characters with a meaning are escaped (CommonMark
 * 0.31, section 2.4).
 */
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
