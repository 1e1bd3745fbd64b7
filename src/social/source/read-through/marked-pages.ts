import { ProblemError } from '../../../catalogue/problem.ts'
import type { Asking, FoundPage, PageAsked } from '../provider.ts'

/** Reads a page of what belongs to something: an id, a name, a query, or who asks. */
export type AskPage<What, Answer> = (what: What, page: PageAsked, asking: Asking) => Promise<Answer>

/**
 * The pages of one source among several: its positions carry its name, and it takes only those.
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
      const detail = 'This next_token continues a list of another source; begin again without it.'
      throw new ProblemError({ code: 'cannot_be_served', detail })
    }
    const own = position === null ? null : position.slice(mark.length)
    const found = await ask(what, { ...page, position: own }, asking)
    return found === null || found.next === null ? found : { ...found, next: `${mark}${found.next}` }
  }
}
