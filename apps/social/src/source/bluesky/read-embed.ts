import * as z from 'zod'
import type { Media } from '../../model.ts'
import { kindOf } from './at-uri.ts'
import { hashOf } from './known-ids.ts'
import { embedView, type ListView, listView } from './views.ts'

/** A linked page as shown in a post. */
export type Card = {
  readonly url: string
  readonly title: string
  readonly description: string
  readonly image_url?: string
}

/** The content that a post shows below its text. */
export type Embed = {
  readonly media: readonly Media[]
  readonly card: Card | null
  /** The quoted post, and whether it is public. */
  readonly quoted: { readonly uri: string; readonly isShown: boolean } | null
  readonly list: ListView | null
}

const NOTHING: Embed = Object.freeze({ media: [], card: null, quoted: null, list: null })

const ratio = z
  .looseObject({ width: z.int().min(1), height: z.int().min(1) })
  .optional()
  .catch(undefined)
const images = z.array(
  z.looseObject({ fullsize: z.string(), alt: z.string().optional(), aspectRatio: ratio }),
)
const video = z.looseObject({
  playlist: z.string(),
  thumbnail: z.string().optional(),
  alt: z.string().optional(),
  aspectRatio: ratio,
  presentation: z.string().optional(),
})
const external = z.looseObject({
  uri: z.string(),
  title: z.string(),
  description: z.string(),
  thumb: z.string().optional(),
})
const record = z.looseObject({ $type: z.string(), uri: z.string() })

/** Reads the `embed` of a post view; empty for an unknown kind (app.bsky.embed.*). */
export function readEmbed(provided: z.output<typeof embedView> | undefined): Embed {
  switch (provided?.$type) {
    case 'app.bsky.embed.images#view':
      return { ...NOTHING, media: (images.safeParse(provided.images).data ?? []).map(toPhoto) }
    case 'app.bsky.embed.gallery#view':
      return { ...NOTHING, media: (images.safeParse(provided.items).data ?? []).map(toPhoto) }
    case 'app.bsky.embed.video#view':
      return { ...NOTHING, media: toFilm(video.safeParse(provided).data) }
    case 'app.bsky.embed.external#view':
      return { ...NOTHING, card: toCard(external.safeParse(provided.external).data) }
    case 'app.bsky.embed.record#view':
      return { ...NOTHING, ...readRecord(provided.record) }
    case 'app.bsky.embed.recordWithMedia#view':
      return {
        ...readEmbed(embedView.safeParse(provided.media).data),
        ...readRecord(embedView.safeParse(provided.record).data?.record),
      }
    default:
      return NOTHING
  }
}

function readRecord(provided: unknown): Pick<Embed, 'quoted' | 'list'> {
  const shown = record.safeParse(provided).data
  const isPost = shown && kindOf(shown.uri) === 'tweet'
  return {
    quoted: isPost ? { uri: shown.uri, isShown: shown.$type === 'app.bsky.embed.record#viewRecord' } : null,
    list:
      shown?.$type === 'app.bsky.graph.defs#listView' ? (listView.safeParse(provided).data ?? null) : null,
  }
}

/** The ratio does not contain the size in pixels (app.bsky.embed.defs#aspectRatio), so it keeps its own name. */
function toPhoto({ fullsize, alt, aspectRatio }: z.output<typeof images>[number]): Media {
  return {
    media_key: `3_${hashOf(fullsize)}`,
    type: 'photo',
    url: fullsize,
    ...(alt && { alt_text: alt }),
    ...(aspectRatio && { aspect_ratio: aspectRatio }),
  }
}

function toFilm(film: z.output<typeof video> | undefined): Media[] {
  if (!film) return []
  const isGif = film.presentation === 'gif'
  return [
    {
      media_key: `${isGif ? '16' : '7'}_${hashOf(film.playlist)}`,
      type: isGif ? 'animated_gif' : 'video',
      ...(film.thumbnail !== undefined && { preview_image_url: film.thumbnail }),
      ...(film.alt && { alt_text: film.alt }),
      ...(film.aspectRatio && { aspect_ratio: film.aspectRatio }),
      variants: [{ content_type: 'application/x-mpegURL', url: film.playlist }],
    },
  ]
}

function toCard(page: z.output<typeof external> | undefined): Card | null {
  if (!page) return null
  const { uri, title, description, thumb } = page
  return { url: uri, title, description, ...(thumb !== undefined && { image_url: thumb }) }
}
