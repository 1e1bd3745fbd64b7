import type { FreeAnswer } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { hashText } from '@tollbook/http/reply/rendered-text'
import { rankingUrl, toQuery } from '@tollbook/verify/published/links'
import { html } from 'hono/html'
import * as z from 'zod'
import { loadPublications, type StoredEdition } from '../editions/stored-reports.ts'
import { showCount, showDollars } from '../pages/figures-text.ts'
import { loadMerchantWeeks, type MerchantWeek } from '../served/merchant-history.ts'
import { toSums } from '../served/merchant-line.ts'
import { defineRead, type ReportCall, renderDocument, textOf } from './reads/define-read.ts'
import { EXAMPLE_ADDRESS, MERCHANT_PATTERNS, merchant } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'
import { findReport } from './reads/requested-report.ts'

/** One entry for each published week and one for each correction, for all merchants or for one. */
export const FEED_ENDPOINTS: readonly Endpoint[] = [
  defineRead({
    id: 'feed',
    path: '/feed.atom',
    summary: 'Published weeks and corrections as an Atom feed',
    input: z.object({}),
    output: textOf('application/atom+xml'),
    example: {},
    answer: answerFeed,
  }),
  defineRead({
    id: 'merchant-feed',
    path: '/merchants/base/{address}/feed.atom',
    summary: 'The published weeks of a merchant as an Atom feed',
    input: z.object({ address: merchant }),
    output: textOf('application/atom+xml'),
    example: { address: EXAMPLE_ADDRESS },
    pathPatterns: MERCHANT_PATTERNS,
    answer: answerMerchantFeed,
  }),
]

/** Feed readers use a year of entries at most. */
const MAX_ENTRIES = 52

async function answerFeed({ ports }: ReportCall): Promise<FreeAnswer> {
  const { state, baseUrl } = ports
  const publications = await loadPublications(state, MAX_ENTRIES)
  return toDocument(ports, {
    key: 'weeks',
    title: 'x402 merchants on Base, week by week',
    subtitle: 'Weekly x402 revenue of merchants: reported totals, and the totals that pass every screen.',
    path: '/feed.atom',
    page: '/',
    entries: publications.map((edition) => toEntry(edition, baseUrl)),
  })
}

async function answerMerchantFeed({
  input: { address },
  ports,
}: ReportCall<{ readonly address: string }>): Promise<FreeAnswer> {
  const weeks = (await loadMerchantWeeks(ports.state, address)).slice(0, MAX_ENTRIES)
  // A merchant that was paid but is in no published week yet has a feed without entries. A wallet that was
  // never paid has no feed.
  if (weeks.length === 0) await findReport({ address }, ports)
  const page = `/merchants/base/${address}`
  return toDocument(ports, {
    key: `merchants/base/${address}`,
    title: `x402 payments to ${weeks[0]?.name_confirmed ? weeks[0].name : address}`,
    subtitle: `The published weeks of ${address}: reported totals, and the totals that pass every screen.`,
    path: `${page}/feed.atom`,
    page,
    entries: weeks.map((week) => toMerchantEntry(week, `${ports.baseUrl}${page}`)),
  })
}

function toDocument(ports: ReportPorts, parts: Omit<Feed, 'baseUrl' | 'updated'>): Promise<FreeAnswer> {
  const { baseUrl, maxAgeSeconds, startedAt } = ports
  const times = parts.entries.map(({ published }) => published.getTime())
  const updated = times.length === 0 ? startedAt : new Date(Math.max(...times))
  return renderDocument(ports, `feed/${parts.path}/${hashText(JSON.stringify(parts.entries))}`, {
    render: () => renderFeed({ ...parts, baseUrl, updated }),
    contentType: 'application/atom+xml; charset=utf-8',
    lastModified: updated,
    maxAgeSeconds,
  })
}

function toEntry(edition: StoredEdition, baseUrl: string): FeedEntry {
  const { edition: week, revision, merchants, tx } = edition
  const { usd, real_usd } = toSums(edition)
  return {
    key: `${week}/${revision}`,
    title: `${titleOf(week, revision)}: ${showBoth(real_usd, usd)}`,
    summary: `${showCount(merchants)} merchants received ${showCount(tx)} payments; ${showCount(edition.real_tx)} payments pass every screen. A flag is a pattern, not a finding of wrongdoing.`,
    page: `${baseUrl}/${toQuery({ week, revision })}`,
    json: rankingUrl(baseUrl, { week, revision }),
    published: new Date(edition.published_at),
  }
}

function toMerchantEntry(week: MerchantWeek, page: string): FeedEntry {
  const rank = week.rank === null ? 'No rank' : `Rank ${showCount(week.rank)} by real revenue`
  return {
    key: `${week.week}/${week.revision}`,
    title: `${titleOf(week.week, week.revision)}: ${showBoth(week.real_usd, week.usd)}`,
    summary: `${showCount(week.real_tx)} of ${showCount(week.tx)} payments pass every screen. ${rank}.`,
    page: `${page}${toQuery(week)}`,
    json: `${page}.json${toQuery(week)}`,
    published: week.changedAt,
  }
}

/** The first publication of a week is revision 1. */
function titleOf(week: string, revision: number): string {
  return revision === 1 ? `Week to ${week}` : `Week to ${week}, corrected (revision ${revision})`
}

type FeedEntry = {
  /** The subject of the entry, appended to the feed's identifier; never reused for another entry. */
  readonly key: string
  readonly title: string
  readonly summary: string
  readonly page: string
  readonly json: string
  readonly published: Date
}

type Feed = {
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
  /** Of the newest entry; without entries since when the feed has been served. */
  readonly updated: Date
}

/** Tag URIs (RFC 4151) stay the same when paths change; a date on which the service was running. */
const TAG_DATE = '2026'

/** An Atom feed (RFC 4287). */
async function renderFeed(feed: Feed): Promise<string> {
  const { baseUrl, entries } = feed
  const tag = `tag:${new URL(baseUrl).hostname},${TAG_DATE}:${feed.key}`
  const body = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${tag}</id>
<title>${feed.title}</title>
<subtitle>${feed.subtitle}</subtitle>
<updated>${toTime(feed.updated)}</updated>
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
function showBoth(realUsd: number, usd: number): string {
  return `${showDollars(realUsd)} real of ${showDollars(usd)} reported`
}

/** An RFC 3339 time with seconds. */
function toTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
