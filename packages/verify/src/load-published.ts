import { toUtcDate } from './build/compose-report.ts'
import { type ClaimRecord, parseClaimRecord } from './checks/check-claim.ts'
import { parseRankingPage, type RankingLine } from './checks/check-ranking.ts'
import { digestReportDocument } from './published/digest.ts'
import { CannotCheck, UnusableDocument } from './published/failure.ts'
import { isWeekEnd } from './published/find-window.ts'
import { isGroupKey } from './published/group-key.ts'
import type { ReportInputs } from './published/inputs.ts'
import { type PublishedReport, parseInputs, parsePublishedReport } from './published/published-report.ts'
import {
  type Document,
  type DocumentSource,
  isUrl,
  parseJsonDocument,
  readDocument,
} from './published/read-document.ts'

export type Published = {
  /** Where the report was read: a URL or a file. */
  readonly location: string
  readonly report: PublishedReport
  readonly inputs: ReportInputs
  /** Null when none is published; undefined when it could not be read. */
  readonly claim: ClaimRecord | null | undefined
  /** NDJSON; undefined when it could not be read. */
  readonly evidence: string | undefined
  /** Every line; undefined when it was not requested. */
  readonly ranking: readonly RankingLine[] | undefined
  /** What could not be read, and why. */
  readonly notes: readonly string[]
}

/** Ten times the report of the largest merchant known. */
const MAX_REPORT_BYTES = 4_000_000
const MAX_INPUTS_BYTES = 32_000_000
const MAX_CLAIM_BYTES = 200_000
/** 1.6 million payments, more than any merchant had in a week; fits the runtime's strings. */
const MAX_EVIDENCE_BYTES = 400_000_000
/** The rolling window is published every few minutes, perhaps between two requests. */
const MAX_TRIES = 4
const MAX_RANKING_BYTES = 4_000_000
const LINES_A_PAGE = 1_000
/** A hundred times the merchants of 2026, and a limit for an endless ranking. */
const MAX_PAGES = 100

/**
 * Loads a report and its documents; what only the report refers to, from public addresses alone.
 * @throws UnusableDocument; CannotCheck for report, inputs and ranking; evidence and claim may be absent.
 */
export async function loadPublished(
  locations: Locations & { readonly withRanking?: boolean },
  source: DocumentSource,
  signal: AbortSignal,
): Promise<Published> {
  const location = toReportLocation(locations.report)
  const read = (at: string, name: string, maxBytes: number) =>
    readDocument(at, { source, name, maxBytes, isTyped: isTyped(at, locations) }, signal)
  const require = async (at: string, name: string, maxBytes: number) => {
    const document = await read(at, name, maxBytes)
    if (document) return parseJsonDocument(document, name)
    throw new CannotCheck(`not found: ${name} at ${at} (404)`)
  }
  const loadReport = async () => parsePublishedReport(await require(location, 'the report', MAX_REPORT_BYTES))

  for (let attempt = 1; ; attempt++) {
    const report = await loadReport()
    const located = locateDocuments({ ...locations, report: location }, report)
    const inputs = parseInputs(await require(located.inputs, 'the inputs', MAX_INPUTS_BYTES))
    const notes: string[] = []
    const note = (error: Error) => {
      signal.throwIfAborted()
      if (error instanceof UnusableDocument) throw error
      notes.push(`${error.message}.`)
      return undefined
    }
    const optional = async (at: string | null, name: string, maxBytes: number) =>
      at === null ? undefined : read(at, name, maxBytes).catch(note)
    const claim = await optional(located.claim, 'the claim record', MAX_CLAIM_BYTES)
    const evidence = await optional(located.evidence, 'the evidence', MAX_EVIDENCE_BYTES)
    if (evidence === null) notes.push(`Not found: the evidence at ${located.evidence}.`)
    const ranking = locations.withRanking
      ? await loadRanking(located.ranking, (at) => require(at, 'the ranking', MAX_RANKING_BYTES))
      : undefined
    // The rolling window may have moved while its parts were read, and a week may have been revised.
    const digest = await digestReportDocument(report)
    const isOther = async () => (await digestReportDocument(await loadReport())) !== digest
    const hasMoved = isUrl(location) && (inputs.report.sha256 !== digest || (await isOther()))
    if (hasMoved && attempt < MAX_TRIES) continue
    // If the digest of a week still differs, everything is compared.
    const isLost = hasMoved && inputs.evidence === null
    if (isLost && ranking)
      throw new CannotCheck('the report was updated while its ranking was read: verify it again')
    if (isLost) notes.push('The report was updated while its evidence was read.')
    return {
      location,
      report,
      inputs,
      notes,
      claim: claim && parseClaimRecord(parseJsonDocument(claim, 'the claim record')),
      evidence: evidence && !isLost ? toText(evidence) : undefined,
      ranking,
    }
  }
}

/** Every line of a ranking. @throws CannotCheck */
export async function loadRanking(
  at: string | null,
  read: (at: string) => Promise<unknown>,
): Promise<readonly RankingLine[]> {
  const url = at === null ? null : URL.parse(at)
  if (!url) throw new CannotCheck('the report has no page URL from which to find its ranking')
  url.searchParams.set('limit', String(LINES_A_PAGE))
  const lines: RankingLine[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const { merchants, next_cursor: cursor } = parseRankingPage(await read(url.href))
    lines.push(...merchants)
    if (cursor === null) return lines
    url.searchParams.set('cursor', cursor)
  }
  throw new CannotCheck(`the ranking has more than ${MAX_PAGES * LINES_A_PAGE} merchants`)
}

/** Invalid UTF-8 becomes replacement characters, which equal nothing. */
function toText({ bytes }: Document): string {
  return new TextDecoder().decode(bytes)
}

/** Locations of the documents of one report as a person typed them; each a URL or a file. */
type Locations = {
  readonly report: string
  readonly inputs?: string | undefined
  readonly evidence?: string | undefined
  readonly claim?: string | undefined
}

type DocumentLocations = {
  readonly inputs: string
  readonly evidence: string | null
  readonly claim: string | null
  /** The first page of the ranking of the same edition. */
  readonly ranking: string | null
}

const MERCHANT_PATH = /^(.*\/merchants\/base\/(?:0x[0-9a-f]{40}|host:[\w.:-]+?))(?:\.json|\/inputs\.json)?$/i

const OWN_PATH = /\/merchants\/base\/(?:0x[0-9a-f]{40}|host:[\w.:-]+)$/i

/** The URL of the JSON, also if the URL of the page was typed. */
export function toReportLocation(location: string): string {
  const url = isUrl(location) ? URL.parse(location) : null
  const path = url && MERCHANT_PATH.exec(url.pathname)?.[1]
  return url && path ? `${url.origin}${path}.json${url.search}` : location
}

/** Documents next to the report, its inputs, or for a file its page. @throws CannotCheck without inputs. */
export function locateDocuments(locations: Locations, report: PublishedReport): DocumentLocations {
  const { inputs, evidence, claim } = locations
  const base = [locations.report, ...(inputs === undefined ? [] : [inputs])]
    .map(toBase)
    .find((each) => each !== null)
  const found = base ?? (inputs === undefined ? toBase(pageOf(report)) : null)
  const isGroup = isGroupKey(report.address)
  const at = (name: string) => (found ? `${found.path}/${name}${found.search}` : null)
  const inputsAt = inputs ?? at('inputs.json')
  if (inputsAt === null)
    throw new CannotCheck(
      'the report has no page URL from which to find its inputs: provide them with --inputs',
    )
  return {
    inputs: inputsAt,
    // A group's payments and claims are those of its wallets.
    evidence: evidence ?? (isGroup ? null : at('payments.ndjson')),
    claim: claim ?? (found && !isGroup ? `${found.path}/claim.json` : null),
    ranking: found && toRanking(found, isGroup),
  }
}

function toRanking({ path, search }: Base, isGroup: boolean): string {
  const url = new URL(`${path.replace(OWN_PATH, '')}/merchants.json${search}`)
  // Services of version 1.0 do not know `group`.
  if (isGroup) url.searchParams.set('by', 'operator')
  return url.href
}

/** Whether a person typed this location, or another one of its origin. */
export function isTyped(location: string, locations: Locations): boolean {
  if (!isUrl(location)) return true
  const origin = URL.parse(location)?.origin
  const { report, inputs, evidence, claim } = locations
  return [report, inputs, evidence, claim].some(
    (typed) => typed !== undefined && isUrl(typed) && URL.parse(typed)?.origin === origin,
  )
}

type Base = { readonly path: string; readonly search: string }

function toBase(location: string): Base | null {
  const url = isUrl(location) ? URL.parse(location) : null
  const path = url && MERCHANT_PATH.exec(url.pathname)?.[1]
  return url && path ? { path: `${url.origin}${path}`, search: url.search } : null
}

/** A file has no week in its location; only a published week ends at a week's end. */
function pageOf({ document, end, days }: PublishedReport): string {
  if (days !== 7) return `${String(document.page)}?days=${days}`
  return `${String(document.page)}${isWeekEnd(end) ? `?week=${toUtcDate(end)}` : ''}`
}
