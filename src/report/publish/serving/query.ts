import * as z from 'zod'
import { toFaults } from '../../../catalogue/arguments/zod-faults.ts'
import { ProblemError } from '../../../http/problem.ts'
import { BADGE_METRICS, BADGE_STYLES } from '../merchant/badge.ts'
import { DIRECTIONS, naturalDirection, type Order, SORTS } from '../ranking/ranking-order.ts'
import type { ReportContext } from './route.ts'

const MAX_PAGE_SIZE = 1000
const MAX_SEARCH_LENGTH = 200

const shapes = {
  week: z.iso.date('must be a date such as 2026-11-15').optional(),
  revision: z.coerce.number().int().min(1).optional(),
  sort: z.enum(SORTS).optional(),
  order: z.enum(DIRECTIONS).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(100),
  cursor: z.string().max(1000).optional(),
  q: z
    .string()
    .max(MAX_SEARCH_LENGTH)
    .default('')
    .transform((text) => text.trim()),
  style: z.enum(BADGE_STYLES).default('flat'),
  metric: z.enum(BADGE_METRICS).default('real_usd'),
}
type Shapes = typeof shapes

/**
 * Reads one query parameter and ignores the others, because embedders add their own to a badge.
 * @throws ProblemError `invalid_request` that names the parameter.
 */
export function readQuery<Name extends keyof Shapes>(
  context: ReportContext,
  name: Name,
): z.output<Shapes[Name]> {
  const given = context.req.query(name)
  const input = { [name]: given === '' ? undefined : given }
  const parsed = z.object({ [name]: shapes[name] }).safeParse(input)
  if (parsed.success) return parsed.data[name] as z.output<Shapes[Name]>
  const faults = toFaults(parsed.error.issues, input)
  const sentences = faults.map(({ parameter, detail }) => `${parameter} ${detail}`)
  throw new ProblemError({ code: 'invalid_request', detail: `${sentences.join('; ')}.`, faults })
}

/**
 * The requested order of the merchants; by default relevance for a search, and real revenue for the ranking.
 */
export function readOrder(context: ReportContext, search: string): Order {
  const sort = readQuery(context, 'sort') ?? (search === '' ? 'real_usd' : 'relevance')
  return { sort, direction: readQuery(context, 'order') ?? naturalDirection(sort), search }
}
