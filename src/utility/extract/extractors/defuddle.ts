import { DefuddleClass } from 'defuddle/node'
import { withSilentConsole } from './silent-console.ts'
import { toDocument } from './to-document.ts'

/** A host that no page has (RFC 2606): the library's rules for single sites stay out of it. */
const NEUTRAL_ORIGIN = 'https://page.invalid'

/**
 * The content of a page by Defuddle, which keeps more than Readability does where a page has several parts; empty
 * when it finds none. It runs without any of its fetching: `parse` is the half of it that has none, and `useAsync`
 * says so again.
 */
export function extractByDefuddle(html: string, pageUrl: string): string {
  const { origin, pathname, search } = new URL(pageUrl)
  const url = `${NEUTRAL_ORIGIN}${pathname}${search}`
  return withSilentConsole(() => {
    try {
      const document = toDocument(html)
      // What it asks of a document, and linkedom's lacks.
      document.styleSheets ??= []
      document.URL = url
      const view = document.defaultView
      if (view && !view.getComputedStyle) view.getComputedStyle = () => ({ display: '' })
      const { content } = new DefuddleClass(document, { url, useAsync: false }).parse()
      return content.replaceAll(NEUTRAL_ORIGIN, origin)
    } catch {
      return ''
    }
  })
}
