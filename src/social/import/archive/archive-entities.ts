import { mediaKeyOf } from './archive-media.ts'
import type { ArchiveEntities } from './archive-shapes.ts'

type Indices = { readonly indices: readonly [start: number, end: number] }

const ID = /^\d{1,19}$/

/**
 * The entities of a text, with the names of the API v2. Both count code points, so the offsets are the same.
 */
export function toEntities({
  hashtags = [],
  symbols = [],
  user_mentions = [],
  urls = [],
  media = [],
}: ArchiveEntities) {
  const links = [
    ...urls.map(({ indices, ...link }) => ({ ...spanOf({ indices }), ...link })),
    ...media.map(({ indices, url, expanded_url, display_url, ...picture }) => ({
      ...spanOf({ indices }),
      url,
      ...(expanded_url !== undefined && { expanded_url }),
      ...(display_url !== undefined && { display_url }),
      media_key: mediaKeyOf(picture),
    })),
  ]
  const tags = (given: readonly (Indices & { readonly text: string })[]) =>
    given.map(({ text, indices }) => ({ ...spanOf({ indices }), tag: text }))
  const mentions = user_mentions.map(({ screen_name, id_str, indices }) => ({
    ...spanOf({ indices }),
    username: screen_name,
    // -1 means a deleted account.
    ...(id_str !== undefined && ID.test(id_str) && { id: id_str }),
  }))
  return {
    ...(hashtags.length > 0 && { hashtags: tags(hashtags) }),
    ...(symbols.length > 0 && { cashtags: tags(symbols) }),
    ...(mentions.length > 0 && { mentions }),
    ...(links.length > 0 && { urls: links }),
  }
}

function spanOf({ indices: [start, end] }: Indices) {
  return { start, end }
}
