import { html } from 'hono/html'
import { showDollars } from '../pages/figures-text.ts'

export type FeedEntry = {
  /** The subject of the entry, appended to the feed's identifier; never reused for another entry. */
  readonly key: string
  readonly title: string
  readonly summary: string
  readonly page: string
  readonly json: string
  readonly published: Date
}

export type Feed = {
  readonly baseUrl: string
  /** Appended to the service's identifier, such as `weeks`. */
  readonly key: string
  readonly title: string
  readonly subtitle: string
  /** Paths of the feed and of the page with the same content. */
  readonly path: string
  readonly page: string
  /** Newest first. */
  readonly entries: readonly FeedEntry[]
  /** `updated` of a feed without entries: the time since when it has been served. */
  readonly startedAt: Date
}

/** Tag URIs (RFC 4151) stay the same when paths change; a date on which the service was running. */
const TAG_DATE = '2026'

/** An Atom feed (RFC 4287). */
export async function renderFeed(feed: Feed): Promise<string> {
  const { baseUrl, entries } = feed
  const newest = entries.reduce<Date | undefined>(
    (latest, { published }) => (latest && latest >= published ? latest : published),
    undefined,
  )
  const tag = `tag:${new URL(baseUrl).hostname},${TAG_DATE}:${feed.key}`
  const body = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${tag}</id>
<title>${feed.title}</title>
<subtitle>${feed.subtitle}</subtitle>
<updated>${toTime(newest ?? feed.startedAt)}</updated>
<author><name>Tollbook</name><uri>${baseUrl}/</uri></author>
<rights>CC BY 4.0, https://creativecommons.org/licenses/by/4.0/</rights>
<icon>${baseUrl}/icon.svg</icon>
<link rel="self" type="application/atom+xml" href="${baseUrl}${feed.path}"/>
<link rel="alternate" type="text/html" href="${baseUrl}${feed.page}"/>
${entries.map(
  (entry) => html`<entry>
<id>${tag}/${entry.key}</id>
<title>${entry.title}</title>
<updated>${toTime(entry.published)}</updated>
<published>${toTime(entry.published)}</published>
<link rel="alternate" type="text/html" href="${entry.page}"/>
<link rel="alternate" type="application/json" href="${entry.json}"/>
<summary>${entry.summary}</summary>
</entry>
`,
)}</feed>
`
  return String(await body)
}

/** `$7.35 real of $9.55 reported`. */
export function showBoth(realUsd: number, usd: number): string {
  return `${showDollars(realUsd)} real of ${showDollars(usd)} reported`
}

/** An RFC 3339 time with seconds. */
function toTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
