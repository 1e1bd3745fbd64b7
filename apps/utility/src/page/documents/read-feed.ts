import type { Block } from '@tollbook/extract/document/block'
import { readBlocks } from '@tollbook/extract/document/read-blocks'
import { safeUrl } from '@tollbook/extract/document/safe-url'
import { parseTree } from '@tollbook/extract/html-tree'
import { checkMarkup } from '@tollbook/safe-fetch/markup-bounds'
import { parseFeed } from 'htmlparser2'

/** Feeds list their newest entries; longer ones are archives. */
const MAX_ENTRIES = 500

export type FeedDocument = {
  readonly title: string | null
  readonly description: string | null
  readonly byline: string | null
  readonly updatedAt: string | null
  readonly blocks: readonly Block[]
  readonly isCut: boolean
}

type FeedOptions = { readonly url: string; readonly includeLinks: boolean; readonly includeImages: boolean }

/**
 * Reads RSS, RDF or Atom into a heading with a link, the date and the text of each entry; null if the markup is none
 * of them.
 * @throws TooComplex if the markup of an entry exceeds the limits of pages.
 */
export function readFeed(
  xml: string,
  { url, includeLinks, includeImages }: FeedOptions,
): FeedDocument | null {
  const feed = parseFeed(xml)
  if (!feed) return null
  const blocks = feed.items
    .slice(0, MAX_ENTRIES)
    .flatMap(({ title, link, pubDate, description }): Block[] => {
      const href = link === undefined ? null : safeUrl(link, url)
      const name = { kind: 'text' as const, text: title ?? link ?? '' }
      const isLinked = includeLinks && href !== null
      const heading: Block = {
        kind: 'heading',
        level: 2,
        content: [isLinked ? { kind: 'link', href, title: '', content: [name] } : name],
      }
      const date: Block[] = pubDate
        ? [{ kind: 'paragraph', content: [{ kind: 'text', text: pubDate.toISOString() }] }]
        : []
      const markup = description ?? ''
      checkMarkup(markup)
      return [
        heading,
        ...date,
        ...readBlocks(parseTree(markup), { baseUrl: url, includeLinks, includeImages }),
      ]
    })
  return {
    title: feed.title ?? null,
    description: feed.description ?? null,
    byline: feed.author ?? null,
    updatedAt: feed.updated?.toISOString() ?? null,
    blocks,
    isCut: feed.items.length > MAX_ENTRIES,
  }
}
