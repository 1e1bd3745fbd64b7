import { toUtcDate } from '../build/compose-report.ts'
import { isOperatorKey } from '../claims/operators.ts'
import { CannotCheck } from './failure.ts'
import { isWeekEnd } from './find-window.ts'
import type { PublishedReport } from './published-report.ts'
import { isUrl } from './read-document.ts'

/** Locations of the documents of one report as a person typed them; each a URL or a file. */
export type Locations = {
  readonly report: string
  readonly inputs?: string | undefined
  readonly evidence?: string | undefined
  readonly claim?: string | undefined
}

/** Locations of all documents of a report. */
export type DocumentLocations = {
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
  const isOperator = isOperatorKey(report.address)
  const at = (name: string) => (found ? `${found.path}/${name}${found.search}` : null)
  const inputsAt = inputs ?? at('inputs.json')
  if (inputsAt === null)
    throw new CannotCheck(
      'the report has no page URL from which to find its inputs: provide them with --inputs',
    )
  return {
    inputs: inputsAt,
    // An operator's payments and claims are those of its wallets.
    evidence: evidence ?? (isOperator ? null : at('payments.ndjson')),
    claim: claim ?? (found && !isOperator ? `${found.path}/claim.json` : null),
    ranking: found && toRanking(found, isOperator),
  }
}

function toRanking({ path, search }: Base, isOperator: boolean): string {
  const url = new URL(`${path.replace(OWN_PATH, '')}/merchants.json${search}`)
  if (isOperator) url.searchParams.set('by', 'operator')
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
