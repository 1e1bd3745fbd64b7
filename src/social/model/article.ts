import * as z from 'zod'
import { socialId } from './social-id.ts'

/** A long text attached to a tweet, its body as Markdown (specification 4.3). */
export const article = z.looseObject({
  /** The tweet it is attached to. */
  id: socialId,
  article_id: socialId.optional(),
  title: z.string(),
  preview_text: z.string().optional(),
  cover_image: z
    .looseObject({
      url: z.string(),
      width: z.int().min(0).optional(),
      height: z.int().min(0).optional(),
    })
    .optional(),
  published_at: z.iso.datetime().optional(),
  author_id: socialId.optional(),
  article_content: z.string(),
  /**
   * `rich` with headings, bold, italic, lists, images and links; `plain` if the source has only paragraphs.
   */
  content_format: z.enum(['rich', 'plain']),
})

export type Article = z.output<typeof article>
