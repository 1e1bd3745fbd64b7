import * as z from 'zod'
import type { Article } from '../../model.ts'
import { NO_ARTICLE, type SocialOperations } from '../provider.ts'
import { parseAtUri } from './at-uri.ts'
import type { Bluesky } from './bluesky.ts'
import { problemOf } from './bluesky-problem.ts'
import { findRepository, type Places } from './find-repository.ts'
import { hashOf } from './known-ids.ts'
import { readEmbed } from './read-embed.ts'
import { readJson } from './read-json.ts'
import { toIsoTime, toUser } from './to-user.ts'
import { type PostView, type ProfileView, parseFacet, profileView } from './views.ts'

export type ArticleSource = Bluesky &
  Places & {
    /** Epoch milliseconds. */
    readonly nowMs: () => number
  }

const COLLECTION = 'com.whtwnd.blog.entry'
/** Timeout of each of the two reads outside of the AppView, ms. */
const READ_MS = 3_000

/** `com.whtwnd.blog.entry` (https://github.com/whtwnd/whitewind-blog, lexicons): the text is Markdown. */
const entry = z.looseObject({
  content: z.string().min(1),
  title: z.string().optional(),
  subtitle: z.string().optional(),
  createdAt: z.string().optional(),
  visibility: z.string().optional(),
  isDraft: z.boolean().optional(),
  ogp: z.looseObject({ url: z.string() }).optional().catch(undefined),
})
const recordAnswer = z.looseObject({ uri: z.string(), value: entry })

/**
 * The WhiteWind article that a post links to, read from its author's own server, since the AppView has no
 * articles. Drafts and author-only entries are excluded.
 */
export function createArticleReader(source: ArticleSource): SocialOperations['articleOf'] {
  const { client, known, present, fetchOutside, nowMs } = source
  return async (tweetId, asking) => {
    const uri = await known.findOne('tweet', tweetId)
    const [post] = uri === null ? [] : await present.findPosts([uri], asking)
    if (!post) return null
    const link = linksOf(post)
      .map(parseLink)
      .find((one) => one !== null)
    if (!link) return NO_ARTICLE
    const parameters = { actor: link.writer }
    const requested = { method: 'app.bsky.actor.getProfile', parameters, answer: profileView }
    const writer = await client.ask(requested, asking.signal)
    const repository = writer && (await findRepository(source, writer.did, asking))
    if (!writer || !repository) return NO_ARTICLE
    const found = await readEntry(repository, writer.did, link.key, asking.signal)
    if (!found) return NO_ARTICLE
    return known.give((idOf) => ({
      data: toArticle(found, { tweetId, writer, authorId: idOf(writer.did) }),
      includes: { users: [toUser(writer, idOf)] },
    }))
  }

  async function readEntry(repository: string, did: string, key: string, signal: AbortSignal) {
    const query = new URLSearchParams({ repo: did, collection: COLLECTION, rkey: key })
    const address = `${repository}/xrpc/com.atproto.repo.getRecord?${query}`
    const answer = await readJson(fetchOutside, address, { timeoutMs: READ_MS, signal })
    const problem = problemOf(answer, nowMs())
    if (problem === 'gone') return null
    if (problem) throw problem
    const record = recordAnswer.safeParse(answer.json).data
    const isOpen = record?.value.visibility !== 'author' && record?.value.isDraft !== true
    return record && isOpen ? record : null
  }
}

type Link = { readonly writer: string; readonly key: string }

function linksOf({ record, embed }: PostView): string[] {
  const { card } = readEmbed(embed)
  const marked = (record.facets ?? []).flatMap((facet) => parseFacet(facet)?.features ?? [])
  return [...(card ? [card.url] : []), ...marked.flatMap(({ uri }) => uri ?? [])]
}

/** `https://whtwnd.com/<handle or DID>/<key>`, and by title: `/<handle or DID>/entries/<title>?rkey=<key>`. */
function parseLink(link: string): Link | null {
  const url = URL.parse(link)
  if (url?.hostname !== 'whtwnd.com') return null
  const [writer, first, second] = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart)
  const key = first === 'entries' ? (url.searchParams.get('rkey') ?? second) : first
  // The characters of record keys (https://atproto.com/specs/record-key).
  return writer && key && /^[A-Za-z0-9._:~-]{1,512}$/.test(key) ? { writer, key } : null
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

type Written = { readonly tweetId: string; readonly writer: ProfileView; readonly authorId: string }

function toArticle(
  { uri, value }: z.output<typeof recordAnswer>,
  { tweetId, writer, authorId }: Written,
): Article {
  const { content, title, subtitle, createdAt, ogp } = value
  const published = toIsoTime(createdAt)
  return {
    id: tweetId,
    article_id: hashOf(uri),
    title:
      title || (/^#+\s+(.+)$/m.exec(content)?.[1] ?? `An article by ${writer.displayName || writer.handle}`),
    ...(subtitle && { preview_text: subtitle }),
    ...(ogp && { cover_image: { url: ogp.url } }),
    ...(published !== null && { published_at: published }),
    author_id: authorId,
    article_content: content,
    content_format: 'rich',
    url: `https://whtwnd.com/${writer.did}/${parseAtUri(uri)?.key ?? ''}`,
  }
}
