import { ProblemError } from '../../../http/problem.ts'
import type { Asking, FoundPage, RequestedPage } from '../provider.ts'

/** Reads a page of objects that belong to an id, a name, a query or the calling user. */
export type AskPage<What, Answer> = (what: What, page: RequestedPage, asking: Asking) => Promise<Answer>

/**
 * Binds pages to one of several sources: positions are prefixed with its name, and only those are accepted.
 * @throws ProblemError `cannot_be_served` for the position of another source.
 */
export function markPages<What, Answer extends Pick<FoundPage<unknown>, 'next'> | null>(
  source: string,
  ask: AskPage<What, Answer>,
): AskPage<What, Answer> {
  const mark = `${source}:`
  return async (what, page, asking) => {
    const { position } = page
    if (position !== null && !position.startsWith(mark)) {
      const detail = 'This next_token continues a list of another source; start again without it.'
      throw new ProblemError({ code: 'cannot_be_served', detail })
    }
    const own = position === null ? null : position.slice(mark.length)
    const found = await ask(what, { ...page, position: own }, asking)
    return found === null || found.next === null ? found : { ...found, next: `${mark}${found.next}` }
  }
}
