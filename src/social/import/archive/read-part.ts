import { isRecord } from '../../../fetching/is-record.ts'
import { addObject, addRelation, type ImportedObjects } from '../imported-objects.ts'
import { type ArchiveEntities, type ArchiveMedia, type ArchiveTweet, archiveTweet } from './archive-shapes.ts'
import type { PartKind } from './data-types.ts'
import type { NoteTweets } from './note-tweets.ts'

type Indices = { readonly indices: readonly [start: number, end: number] }

/** An archive stores only the text of a repost: neither the id of the original tweet nor that of its author. */
const REPOST = /^RT @\w{1,20}: /

const ID = /^\d{1,19}$/

/** The first number of a media key, by type (docs.x.com, data dictionary of media). */
const PREFIXES: Readonly<Record<string, number>> = { photo: 3, video: 7, animated_gif: 16 }

type Archive = { readonly ownerId: string; readonly notes: NoteTweets }

export function readPartValue(kind: PartKind, value: unknown, archive: Archive, objects: ImportedObjects) {
  const { ownerId } = archive
  const wrapped = isRecord(value) ? value : {}
  switch (kind) {
    case 'tweets':
      return readTweet(wrapped.tweet, archive, objects)
    case 'communityTweet':
      return readTweet(wrapped.tweet ?? wrapped.communityTweet, archive, objects)
    case 'follower':
      return addRelation(objects, { kind: 'follow', from: accountOf(wrapped.follower), to: ownerId })
    case 'following':
      return addRelation(objects, { kind: 'follow', from: ownerId, to: accountOf(wrapped.following) })
    case 'listsMember':
      return addListRelation(objects, { kind: 'list_member', from: ownerId, to: listOf(wrapped) })
    case 'listsSubscribed':
      return addListRelation(objects, { kind: 'list_follower', from: ownerId, to: listOf(wrapped) })
    default:
      throw new Error('unreachable', { cause: kind satisfies never })
  }
}

function readTweet(provided: unknown, { ownerId, notes }: Archive, objects: ImportedObjects) {
  const read = archiveTweet.safeParse(provided)
  if (!read.success) {
    const [first] = read.error.issues
    objects.faults.push(`tweet: ${first?.path.join('.') || 'the whole'}: ${first?.message}`)
    return
  }
  const { tweet, media } = fromArchiveTweet(read.data, ownerId)
  const note = notes.find(read.data)
  addObject(objects, 'tweets', note === null ? tweet : { ...tweet, note_tweet: { text: note } })
  for (const one of media) addObject(objects, 'media', one)
}

function accountOf(provided: unknown): unknown {
  return isRecord(provided) ? provided.accountId : undefined
}

/** An archive stores only the URL of a list, which contains its id in newer archives only. */
function listOf({ userListInfo }: Readonly<Record<string, unknown>>): unknown {
  const url = isRecord(userListInfo) ? userListInfo.url : undefined
  return typeof url === 'string' ? /\/lists\/(\d{1,19})\/?$/.exec(url)?.[1] : undefined
}

function addListRelation(objects: ImportedObjects, relation: Parameters<typeof addRelation>[1]) {
  if (relation.to === undefined) objects.faults.push('a list without an id in its URL')
  else addRelation(objects, relation)
}

/**
 * The tweet and its media with the names of the API v2. Its author is the archive's owner. An archive has no
 * counts of replies, quotes, bookmarks and views, so they are absent; the counts of a repost belong to the
 * original and are omitted.
 */
function fromArchiveTweet(provided: ArchiveTweet, authorId: string) {
  const {
    id_str: id,
    in_reply_to_status_id_str: repliedTo,
    in_reply_to_user_id_str: repliedToUser,
  } = provided
  const attached = provided.extended_entities?.media ?? provided.entities?.media ?? []
  const media = attached.map(toMedia)
  const history = provided.edit_info?.initial?.editTweetIds
  return {
    media,
    tweet: {
      id,
      text: provided.full_text,
      author_id: authorId,
      created_at: new Date(provided.created_at).toISOString(),
      // A conversation has the id of its root; the archive does not name the root of a reply.
      ...(repliedTo === undefined && { conversation_id: id }),
      ...(repliedToUser !== undefined && { in_reply_to_user_id: repliedToUser }),
      ...(repliedTo !== undefined && { referenced_tweets: [{ type: 'replied_to', id: repliedTo }] }),
      ...(!REPOST.test(provided.full_text) && toMetrics(provided)),
      ...(provided.lang !== undefined && { lang: provided.lang }),
      ...(provided.source !== undefined && { source: nameOfSource(provided.source) }),
      ...(provided.entities && { entities: toEntities(provided.entities) }),
      ...(media.length > 0 && { attachments: { media_keys: media.map(({ media_key }) => media_key) } }),
      ...(provided.community_id_str !== undefined && { community_id: provided.community_id_str }),
      ...(provided.display_text_range && { display_text_range: provided.display_text_range }),
      ...(provided.possibly_sensitive !== undefined && { possibly_sensitive: provided.possibly_sensitive }),
      ...(history && { edit_history_tweet_ids: history }),
      url: `https://x.com/i/status/${id}`,
    },
  }
}

function toMetrics({ favorite_count, retweet_count }: ArchiveTweet) {
  if (favorite_count === undefined && retweet_count === undefined) return {}
  return {
    public_metrics: {
      ...(retweet_count !== undefined && { retweet_count }),
      ...(favorite_count !== undefined && { like_count: favorite_count }),
    },
  }
}

/** The app's name is the text of a link. */
function nameOfSource(source: string): string {
  return /^<a [^>]*>([^<]*)<\/a>$/.exec(source)?.[1] ?? source
}

/** The entities of a text, with the names of the API v2. Both count code points, so the offsets are the same. */
function toEntities({
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
  const tags = (provided: readonly (Indices & { readonly text: string })[]) =>
    provided.map(({ text, indices }) => ({ ...spanOf({ indices }), tag: text }))
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

function mediaKeyOf({ id_str, type }: Pick<ArchiveMedia, 'id_str' | 'type'>): string {
  return `${(Object.hasOwn(PREFIXES, type) ? PREFIXES[type] : undefined) ?? 3}_${id_str}`
}

/** A picture or video of an archive, with the names of the API v2. */
function toMedia(provided: ArchiveMedia) {
  const { type, media_url_https, ext_alt_text, sizes, video_info } = provided
  const picture = media_url_https === undefined ? {} : { [pictureField(type)]: media_url_https }
  return {
    media_key: mediaKeyOf(provided),
    type,
    ...picture,
    ...(sizes?.large && { width: sizes.large.w, height: sizes.large.h }),
    ...(ext_alt_text !== undefined && { alt_text: ext_alt_text }),
    ...(video_info?.duration_millis !== undefined && { duration_ms: video_info.duration_millis }),
    ...(video_info?.variants && {
      variants: video_info.variants.map(({ bitrate, ...variant }) => ({
        ...variant,
        ...(bitrate !== undefined && { bit_rate: bitrate }),
      })),
    }),
  }
}

/** For a video the URL is that of its preview image. */
function pictureField(type: string): 'url' | 'preview_image_url' {
  return type === 'photo' ? 'url' : 'preview_image_url'
}
